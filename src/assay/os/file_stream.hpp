#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>

namespace assay::os {

/// A regular file that is read in pieces: for files that are larger than what is wanted of them.
class FileReader {
 public:
  /// Opens a file; a missing one and what is no regular file are input errors, as for read_file.
  [[nodiscard]] static base::Result<FileReader> open(const Path& path);

  [[nodiscard]] const Path& path() const { return path_; }
  /// Bytes that the file had when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Fills `into` from `offset` on. A file that ends before is an input error "file.truncated".
  [[nodiscard]] base::Result<void> read_at(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  FileReader(Fd fd, Path path, std::uint64_t size) : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}
  Fd fd_;
  Path path_;
  std::uint64_t size_;
};

/// A new file that is written from front to back. It is in its place from the start: write it into a folder that is
/// renamed when it is complete.
class FileWriter {
 public:
  /// Creates the file; one that exists is an environment error.
  [[nodiscard]] static base::Result<FileWriter> create(const Path& path);

  [[nodiscard]] base::Result<void> append(std::span<const std::byte> bytes);
  /// Closes the file; nothing can be appended afterwards.
  [[nodiscard]] base::Result<void> finish(Durability durability);

 private:
  FileWriter(Fd fd, Path path) : fd_(std::move(fd)), path_(std::move(path)) {}
  Fd fd_;
  Path path_;
};

}  // namespace assay::os
