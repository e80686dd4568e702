#include <assay/os/file_stream.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace assay::os {
namespace {

tl::unexpected<base::Error> stream_error(std::string code, std::string_view verb, const Path& path, int error) {
  return base::system_error(std::move(code), fmt::format("cannot {} {}", verb, path.string()), error);
}

}  // namespace

base::Result<FileReader> FileReader::open(const Path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it means nothing for regular files.
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return base::input_error("file.not_found", fmt::format("{} does not exist: check the path", path.string()));
    }
    return stream_error("file.read", "read", path, errno);
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    return stream_error("file.read", "read", path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return base::input_error("file.not_regular", fmt::format("{} is {}: give a regular file", path.string(),
                                                             S_ISDIR(status.st_mode) ? "a folder" : "no regular file"));
  }
  return FileReader(std::move(fd), path, static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0)));
}

base::Result<void> FileReader::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t count = ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return stream_error("file.read", "read", path_, errno);
    }
    if (count == 0) {
      return base::input_error("file.truncated", fmt::format("{} ends {} bytes before what is to be read: fetch or "
                                                             "write it anew",
                                                             path_.string(), into.size()));
    }
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return {};
}

base::Result<FileWriter> FileWriter::create(const Path& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) {
    return stream_error("file.write", "create", path, errno);
  }
  return FileWriter(std::move(fd), path);
}

base::Result<void> FileWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return stream_error("file.write", "write", path_, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return {};
}

base::Result<void> FileWriter::finish(Durability durability) {
  if (durability == Durability::power && ::fsync(fd_.get()) != 0) {
    return stream_error("file.write", "flush", path_, errno);
  }
  // Network file systems report a full disk only on close.
  if (::close(fd_.release()) != 0 && errno != EINTR) {
    return stream_error("file.write", "write", path_, errno);
  }
  return {};
}

}  // namespace assay::os
