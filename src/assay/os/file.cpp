#include <assay/os/file.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>

#include <assay/base/random.hpp>
#include <assay/base/scope.hpp>
#include <assay/base/text.hpp>

namespace assay::os {
namespace {

constexpr std::string_view kTemporaryPrefix = ".assay-";
constexpr std::string_view kTemporarySuffix = ".tmp";

std::string_view remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return ": free some space there or use another folder";
    case EACCES:
    case EPERM:
      return ": check the permissions of the file and its folder";
    case EROFS:
      return ": use a folder on a writable file system";
    case ENOENT:
    case ENOTDIR:
      return ": check that the path exists";
    case EMFILE:
    case ENFILE:
      return ": raise the limit on open files (ulimit -n)";
    case EXDEV:
      return ": both must be on one file system";
    default:
      return "";
  }
}

// "cannot write a/b: No space left on device: free some space there or use another folder".
tl::unexpected<base::Error> file_error(std::string code, std::string_view verb, const Path& path, int error) {
  return base::environment_error(std::move(code), fmt::format("cannot {} {}: {}{}", verb, path.string(),
                                                              std::generic_category().message(error), remedy(error)));
}

tl::unexpected<base::Error> not_found(const Path& path) {
  return base::input_error("file.not_found", fmt::format("{} does not exist: check the path", path.string()));
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR; }

Path folder_of(const Path& path) { return path.has_parent_path() ? path.parent_path() : Path("."); }

int write_all(const Fd& fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd.get(), content.data(), content.size());
    if (count >= 0) {
      content.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Writes everything and closes; returns errno or 0. Network file systems report a full disk only on close.
int write_and_close(Fd fd, std::string_view content, std::optional<mode_t> mode, Durability durability) {
  if (const int error = write_all(fd, content); error != 0) {
    return error;
  }
  if (mode && ::fchmod(fd.get(), *mode) != 0) {
    return errno;
  }
  if (durability == Durability::power && ::fsync(fd.get()) != 0) {
    return errno;
  }
  return ::close(fd.release()) == 0 || errno == EINTR ? 0 : errno;
}

// Lets the owner enter and change every folder of a tree: a build may leave some that refuse it.
void open_up(const Path& path) {
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::directory) {
    return;
  }
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, std::filesystem::perm_options::add, ignored);
  std::filesystem::directory_iterator entries(path, ignored);
  for (; entries != std::filesystem::directory_iterator(); entries.increment(ignored)) {
    open_up(entries->path());
  }
}

}  // namespace

base::Result<std::string> read_file(const Path& path, std::uint64_t limit) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it means nothing for regular files.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    return is_missing(errno) ? not_found(path) : file_error("file.read", "read", path, errno);
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    return file_error("file.read", "read", path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return base::input_error("file.not_regular",
                             fmt::format("{} is {}: give a regular file", path.string(),
                                         S_ISDIR(status.st_mode) ? "a folder" : "not a regular file"));
  }
  const auto too_large = [&] {
    return base::input_error("file.too_large", fmt::format("{} is larger than {}, the most that is read here",
                                                           path.string(), base::human_bytes(limit)));
  };
  const auto expected = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (expected > limit) {
    return too_large();
  }
  // The size is a hint only: files in /proc say 0, and a file may grow while it is read.
  constexpr std::size_t kStep = 64 * 1024;
  std::string content;
  std::size_t used = 0;
  content.resize(expected + 1);
  while (true) {
    if (used == content.size()) {
      content.resize(content.size() + std::max(content.size() / 2, kStep));
    }
    const ssize_t count = ::read(fd.get(), content.data() + used, content.size() - used);
    if (count < 0 && errno != EINTR) {
      return file_error("file.read", "read", path, errno);
    }
    if (count == 0) {
      break;
    }
    used += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    if (used > limit) {
      return too_large();
    }
  }
  content.resize(used);
  return content;
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix);
}

base::Result<void> write_file_atomic(const Path& path, std::string_view content, Durability durability) {
  const Path folder = folder_of(path);
  const Path temporary = folder / fmt::format("{}{:016x}{}", kTemporaryPrefix, base::entropy_seed(), kTemporarySuffix);
  struct stat old{};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    return base::input_error("file.not_regular",
                             fmt::format("{} exists and is not a regular file: choose another path", path.string()));
  }
  // A private file that is written anew stays private.
  const std::optional<mode_t> mode = exists ? std::optional<mode_t>(old.st_mode & 0777U) : std::nullopt;
  Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ? 0600 : 0666));
  if (!fd.valid()) {
    return file_error("file.write", "write", path, errno);
  }
  base::Defer remove([&] { ::unlink(temporary.c_str()); });
  if (const int error = write_and_close(std::move(fd), content, mode, durability); error != 0) {
    return file_error("file.write", "write", path, error);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return file_error("file.write", "write", path, errno);
  }
  remove.dismiss();
  return durability == Durability::power ? sync_path(folder) : base::Result<void>();
}

base::Result<void> create_directories(const Path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return file_error("file.create_directory", "create the folder", path, error.value());
  }
  return {};
}

base::Result<void> remove_tree(const Path& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error == std::errc::permission_denied) {
    open_up(path);
    std::filesystem::remove_all(path, error);
  }
  if (error && !is_missing(error.value())) {
    return file_error("file.remove", "delete", path, error.value());
  }
  return {};
}

base::Result<std::vector<std::string>> list_directory(const Path& path) {
  std::error_code error;
  std::filesystem::directory_iterator entries(path, error);
  std::vector<std::string> names;
  while (!error && entries != std::filesystem::directory_iterator()) {
    names.push_back(entries->path().filename().string());
    entries.increment(error);
  }
  if (error == std::errc::not_a_directory) {
    return base::input_error("file.not_directory", fmt::format("{} is not a folder: give a folder", path.string()));
  }
  if (error) {
    return is_missing(error.value()) ? not_found(path)
                                     : file_error("file.list", "list the folder", path, error.value());
  }
  std::sort(names.begin(), names.end());
  return names;
}

base::Result<void> rename_path(const Path& from, const Path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return file_error("file.rename", fmt::format("rename {} to", from.string()), to, errno);
  }
  return {};
}

base::Result<void> replace_folder(const Path& from, const Path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) {  // Nothing was there, or an empty folder.
    return {};
  }
  if (errno != ENOTEMPTY && errno != EEXIST) {
    return file_error("file.rename", fmt::format("rename {} to", from.string()), to, errno);
  }
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    return remove_tree(from);
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return file_error("file.rename", fmt::format("exchange {} with", from.string()), to, errno);
  }
  const Path aside = from.string() + ".old";
  ASSAY_TRY(rename_path(to, aside));
  if (auto moved = rename_path(from, to); !moved) {
    static_cast<void>(rename_path(aside, to));  // What was there comes back if it can; the error is the first one.
    return moved;
  }
  return remove_tree(aside);
}

base::Result<void> sync_path(const Path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return file_error("file.sync", "flush", path, errno);
  }
  return {};
}

base::Result<Path> executable_directory() {
  std::error_code error;
  const Path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return file_error("file.executable", "find the running program by", "/proc/self/exe", error.value());
  }
  return executable.parent_path();
}

base::Result<TemporaryDirectory> TemporaryDirectory::create(const Path& parent, std::string_view prefix) {
  std::string pattern = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return file_error("file.temporary", "create a folder in", parent, errno);
  }
  return TemporaryDirectory(Path(pattern));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) {
    // A destructor cannot report; a folder that is left over is in a place for temporary ones.
    static_cast<void>(remove_tree(path_));
  }
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, Path())) {}

base::Result<FileLock> FileLock::try_acquire(const Path& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) {
    return file_error("lock.open", "open the lock", path, errno);
  }
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return base::environment_error(
          "lock.held", fmt::format("{} is locked by another process: wait until it ends, or stop it", path.string()));
    }
    if (errno != EINTR) {
      return file_error("lock.acquire", "lock", path, errno);
    }
  }
  return FileLock(std::move(fd));
}

}  // namespace assay::os
