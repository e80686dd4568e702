#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::base {

[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
[[nodiscard]] std::string_view trim(std::string_view text);

/// Makes the capitals of ASCII small, whatever the locale says; all other bytes stay.
[[nodiscard]] std::string lower(std::string_view text);

/// An ASCII digit, whatever the locale says.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Replaces control characters (but newline and tab), marks that override the direction of text, and bytes that are not
/// UTF-8, so that a hostile log can neither drive the terminal it is shown in nor look like another text.
[[nodiscard]] std::string printable(std::string_view text);

/// Keeps the last `limit` bytes or fewer, after a line with how much was left out: cut at a line if that costs no more
/// than half of them, otherwise between characters.
[[nodiscard]] std::string tail(std::string_view text, std::size_t limit);

/// Escapes text for HTML and SVG bodies and quoted attributes.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// Writes a duration for people: "812 ns", "41.3 µs", "2.04 ms", "1.5 s", "2 m 05 s".
[[nodiscard]] std::string human(std::chrono::nanoseconds duration);
/// Writes a size for people: "812 B", "41.3 KiB", "2.0 MiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// Returns the candidate in `known` nearest to `given` by edit distance, or "" if none is near enough to suggest.
[[nodiscard]] std::string nearest(std::string_view given, const std::vector<std::string>& known);

}  // namespace assay::base
