#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>

namespace assay::os {

using Path = std::filesystem::path;

/// Reads a whole regular file. A missing file or a directory is an input error that names the path; a file
/// larger than `limit` bytes is refused. Anything else is an environment error.
[[nodiscard]] base::Result<std::string> read_file(const Path& path, std::uint64_t limit = std::uint64_t{1} << 30U);

/// Whether an atomic write must survive a power cut (fsync of the file and its folder) or only a crash of the
/// program.
enum class Durability : std::uint8_t { process, power };

/// Writes a file so that readers see the old content or the new one, never a part: temporary in the same
/// folder, then rename. On any error (a full disk, say) the old content stays and no temporary is left.
[[nodiscard]] base::Result<void> write_file_atomic(const Path& path, std::string_view content,
                                                   Durability durability = Durability::process);

/// Tells whether a name is one that write_file_atomic gives its temporaries: what a killed process leaves
/// behind.
[[nodiscard]] bool is_temporary_name(std::string_view name);

/// Creates a folder and its parents; existing ones are fine.
[[nodiscard]] base::Result<void> create_directories(const Path& path);
/// Deletes a tree; a missing one is fine. Never follows links.
[[nodiscard]] base::Result<void> remove_tree(const Path& path);
/// Lists the names in a folder, sorted. A missing folder is an input error.
[[nodiscard]] base::Result<std::vector<std::string>> list_directory(const Path& path);
/// Renames a file or folder within one file system, replacing an existing file or empty folder.
[[nodiscard]] base::Result<void> rename_path(const Path& from, const Path& to);
/// Puts the folder `from` where `to` is, which is deleted if it exists; both lie on one file system. A reader finds the
/// old folder or the new one, whole; only where the file system cannot exchange two names (NFS), for a moment neither.
[[nodiscard]] base::Result<void> replace_folder(const Path& from, const Path& to);
/// Flushes a file or folder to the disk.
[[nodiscard]] base::Result<void> sync_path(const Path& path);

/// Returns the folder of the running executable: our programs find each other and the public headers beside
/// it.
[[nodiscard]] base::Result<Path> executable_directory();

/// A private folder that is deleted with its contents when the object dies.
class TemporaryDirectory {
 public:
  /// Creates `<parent>/<prefix>XXXXXX` with mode 0700.
  [[nodiscard]] static base::Result<TemporaryDirectory> create(const Path& parent, std::string_view prefix);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const Path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(Path path) : path_(std::move(path)) {}
  Path path_;
};

/// An exclusive advisory lock on a file (flock), released when the object dies or the process is killed.
class FileLock {
 public:
  /// Creates the file if needed. Returns an environment error with code "lock.held" if another process holds
  /// it.
  [[nodiscard]] static base::Result<FileLock> try_acquire(const Path& path);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace assay::os
