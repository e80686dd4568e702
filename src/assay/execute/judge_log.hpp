#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>

namespace assay::execute {

/// Keeps what a judge prints: the first `limit` bytes go to a file as they come, the last 8 KiB stay in memory for the
/// error message. A judge that prints for ever fills neither the disk nor the memory.
class JudgeLog {
 public:
  static constexpr std::uint64_t kLimitBytes = std::uint64_t{1} << 20U;
  static constexpr std::size_t kTailBytes = std::size_t{8} << 10U;

  /// Creates or empties the file.
  [[nodiscard]] static base::Result<JudgeLog> create(const os::Path& path, std::uint64_t limit = kLimitBytes);

  /// Takes output. Never fails: a log that cannot be written (a full disk) must not end an evaluation, and the tail is
  /// still there.
  void append(std::string_view bytes);
  /// Ends the file; if it was cut, with a note and the last lines.
  void finish();
  /// Returns the last lines, at most `lines`, printable; "" if nothing was printed.
  [[nodiscard]] std::string last_lines(std::size_t lines) const;

 private:
  JudgeLog(os::Fd file, std::uint64_t limit) : file_(std::move(file)), limit_(limit) {}
  void write(std::string_view bytes);

  os::Fd file_;
  std::uint64_t limit_;
  std::uint64_t seen_ = 0;
  std::string tail_;
};

}  // namespace assay::execute
