#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace assay::execute {

/// How far a judge has come: `done` of `total` steps, and what it is doing.
struct Progress {
  double done = 0;
  double total = 0;  ///< 0: unknown.
  std::string what;
};

/// Parses one line "done total what", without its newline. The numbers are finite and not negative, in decimal or
/// exponent notation; `done` beyond a known `total` is cut to it; `what` may be empty, is made printable and cut to
/// 200 bytes. nullopt for anything else. Pure; any bytes may be given.
[[nodiscard]] std::optional<Progress> parse_progress(std::string_view line);

/// Cuts a stream of bytes into progress lines. Holds at most one line of at most 1 KiB; a longer one is skipped.
class ProgressReader {
 public:
  /// Takes the next bytes and returns the last good line that they complete: what lies before it is out of date, and
  /// a judge that floods us costs one call a read.
  [[nodiscard]] std::optional<Progress> feed(std::string_view bytes);

 private:
  std::string line_;
  bool too_long_ = false;
};

}  // namespace assay::execute
