#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace assay::os {

/// Tells whether a descriptor is a terminal that understands colours (isatty, TERM, NO_COLOR).
[[nodiscard]] bool is_terminal(int fd);
[[nodiscard]] bool wants_colour(int fd);
/// Returns the width in columns; 80 if unknown.
[[nodiscard]] int terminal_width(int fd);

/// Formats a progress line of at most `width` - 1 columns: "[12/40] what … 34 s left". A total that is not a
/// whole number above 1 shows as a percentage; a total of 0 is unknown. Pure.
[[nodiscard]] std::string progress_text(double done, double total, std::string_view what,
                                        std::chrono::nanoseconds elapsed, int width);

/// Tells whether a progress line should be drawn: not in the first two seconds, and ten times a second at
/// most. `since_last` is nullopt while no line is on the screen. Pure.
[[nodiscard]] bool progress_due(std::chrono::nanoseconds elapsed, std::optional<std::chrono::nanoseconds> since_last);

/// One line on stderr that rewrites itself: "[12/40] what … 34 s left". Quiet when stderr is not a terminal,
/// and in the first two seconds. Not thread-safe.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows `done` of `total` (total 0: unknown) and what is being done; the time left is extrapolated.
  void update(double done, double total, std::string_view what);
  /// Clears the line, so that other output can be printed.
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace assay::os
