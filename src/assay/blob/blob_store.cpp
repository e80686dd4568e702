#include <assay/blob/blob_store.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>

#include <assay/blob/compression.hpp>
#include <assay/os/fd.hpp>

namespace assay::blob {
namespace {

constexpr std::string_view kObjects = "objects";
constexpr std::string_view kSuffix = ".zst";
constexpr std::size_t kFolderDigits = 2;

// A frame of incompressible content is larger than the content, by less than this at kMostContentBytes.
constexpr std::uint64_t kMostFrameBytes = kMostContentBytes + (std::uint64_t{8} << 20U);

tl::unexpected<base::Error> not_found(const base::Digest& digest, const os::Path& path) {
  return base::input_error(
      "blob.not_found", fmt::format("there is no blob {} (no file {}): check the digest", digest.hex(), path.string()));
}

tl::unexpected<base::Error> corrupt(const os::Path& path, std::string_view why) {
  return base::environment_error(
      "blob.corrupt",
      fmt::format("{} is damaged ({}): delete it and store its content again, and check the disk", path.string(), why));
}

bool is_folder_name(std::string_view name) {
  return name.size() == kFolderDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<base::Digest> digest_of_name(std::string_view folder, std::string_view name) {
  if (!name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  name.remove_suffix(kSuffix.size());
  auto digest = base::Digest::parse(fmt::format("{}{}", folder, name));
  return digest ? std::optional(*digest) : std::nullopt;
}

// Reads the size of the content from the head of a blob's file.
base::Result<std::uint64_t> read_size(const base::Digest& digest, const os::Path& path) {
  const os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    if (errno == ENOENT) {
      return not_found(digest, path);
    }
    return base::system_error("blob.read", fmt::format("cannot read {}", path.string()), errno);
  }
  std::array<char, kFrameHeaderBytes> head{};
  const ssize_t count = ::read(fd.get(), head.data(), head.size());
  if (count < 0) {
    return base::system_error("blob.read", fmt::format("cannot read {}", path.string()), errno);
  }
  const auto size = content_size({head.data(), static_cast<std::size_t>(count)});
  if (!size) {
    return corrupt(path, size.error().message);
  }
  return *size;
}

}  // namespace

base::Result<BlobStore> BlobStore::open(os::Path root) {
  ASSAY_TRY(base::with_context(os::create_directories(root / kObjects), "while opening a blob store"));
  return BlobStore(std::move(root));
}

os::Path BlobStore::path_of(const base::Digest& digest) const {
  const std::string hex = digest.hex();
  return root_ / kObjects / hex.substr(0, kFolderDigits) / (hex.substr(kFolderDigits) + std::string(kSuffix));
}

base::Result<base::Digest> BlobStore::put(std::string_view content, os::Durability durability) {
  const base::Digest digest = base::sha256(content);
  const os::Path path = path_of(digest);
  if (const auto size = read_size(digest, path); size && *size == content.size()) {
    return digest;
  }
  ASSAY_TRY_ASSIGN(const std::string frame, compress(content));
  ASSAY_TRY(os::create_directories(path.parent_path()));
  // Another process that stores the same meanwhile writes the same bytes: whoever renames last changes
  // nothing.
  ASSAY_TRY(base::with_context(os::write_file_atomic(path, frame, durability), "while storing a blob"));
  return digest;
}

base::Result<std::string> BlobStore::get(const base::Digest& digest) const {
  const os::Path path = path_of(digest);
  const auto frame = os::read_file(path, kMostFrameBytes);
  if (!frame) {
    if (frame.error().code == "file.not_found") {
      return not_found(digest, path);
    }
    if (frame.error().owner == base::Owner::input) {  // A folder, or far too large: no blob that we wrote.
      return corrupt(path, frame.error().message);
    }
    return tl::unexpected(frame.error());
  }
  auto content = decompress(*frame);
  if (!content) {
    return corrupt(path, content.error().message);
  }
  if (const base::Digest found = base::sha256(*content); found != digest) {
    return corrupt(path, fmt::format("it holds the content {}", found.brief()));
  }
  return std::move(*content);
}

base::Result<base::Digest> BlobStore::verify(const base::Digest& digest) const {
  ASSAY_TRY(get(digest));
  return digest;
}

bool BlobStore::contains(const base::Digest& digest) const {
  struct stat status{};
  return ::stat(path_of(digest).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

base::Result<std::uint64_t> BlobStore::size_bytes(const base::Digest& digest) const {
  return read_size(digest, path_of(digest));
}

base::Result<std::vector<os::Path>> BlobStore::folders() const {
  const os::Path objects = root_ / kObjects;
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(objects));
  std::vector<os::Path> result;
  for (const std::string& name : names) {
    if (is_folder_name(name)) {
      result.push_back(objects / name);
    }
  }
  return result;
}

base::Result<std::vector<base::Digest>> BlobStore::list() const {
  ASSAY_TRY_ASSIGN(const std::vector<os::Path> all, folders());
  std::vector<base::Digest> digests;
  for (const os::Path& folder : all) {
    ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder));
    for (const std::string& name : names) {
      if (const auto digest = digest_of_name(folder.filename().string(), name)) {
        digests.push_back(*digest);
      }
    }
  }
  std::sort(digests.begin(), digests.end());
  return digests;
}

base::Result<void> BlobStore::remove(const base::Digest& digest) { return os::remove_tree(path_of(digest)); }

base::Result<std::size_t> BlobStore::remove_stale_temporaries(std::chrono::seconds older_than) {
  ASSAY_TRY_ASSIGN(const std::vector<os::Path> all, folders());
  const std::time_t now = std::time(nullptr);
  std::size_t removed = 0;
  for (const os::Path& folder : all) {
    ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder));
    for (const std::string& name : names) {
      const os::Path path = folder / name;
      struct stat status{};
      if (!os::is_temporary_name(name) || ::lstat(path.c_str(), &status) != 0 ||
          now - status.st_mtime < older_than.count()) {
        continue;
      }
      if (::unlink(path.c_str()) == 0) {
        ++removed;
      } else if (errno != ENOENT) {  // Its writer may have finished just now.
        return base::system_error("blob.remove", fmt::format("cannot delete {}", path.string()), errno);
      }
    }
  }
  return removed;
}

}  // namespace assay::blob
