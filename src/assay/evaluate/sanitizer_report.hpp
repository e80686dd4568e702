#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::evaluate {

/// One error in what compute-sanitizer printed. Any field but the first may be empty.
struct SanitizerError {
  std::string what;     ///< "Invalid __global__ read of size 4 bytes"
  std::string kernel;   ///< "decode(Arguments)+0x1b0", with the file and line if it was built with them.
  std::string thread;   ///< "(31,0,0)"
  std::string block;    ///< "(0,0,0)"
  std::string address;  ///< "0x7f6510c00001 is out of bounds"; for a race the access on the other side.
};

/// What compute-sanitizer printed, as data. It is advice for people: a candidate can print such lines too.
struct SanitizerReport {
  std::vector<SanitizerError> errors;       ///< At most eight.
  std::optional<std::int64_t> error_count;  ///< By its own summary; nothing if it printed none.
};

/// Reads the output of any of the four tools, other text between its lines included. Knows the forms of CUDA 11.6 to 13:
/// "at kernel+0x50 in file:7" and "at 0x50 in file:7:kernel", "Address 0x…" and "Access to 0x…".
[[nodiscard]] SanitizerReport parse_sanitizer_report(std::string_view text);

/// Tells an error in one sentence.
[[nodiscard]] std::string describe(const SanitizerError& error);

/// The last lines in which the tool, not the candidate, says something: for when it failed itself.
[[nodiscard]] std::string last_words_of_sanitizer(std::string_view text);

}  // namespace assay::evaluate
