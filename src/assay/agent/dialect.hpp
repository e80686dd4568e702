#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::agent {

/// Which program wrote a stream of events.
enum class Dialect : std::uint8_t {
  codex,   ///< `codex exec --json`.
  claude,  ///< `claude --print --output-format stream-json --verbose`, or the one line of `--output-format json`.
};

/// In the order of the enumerators; persisted, and the words of `--as`.
inline constexpr std::array<std::string_view, 2> kDialects = {"codex", "claude"};

[[nodiscard]] constexpr std::string_view to_string(Dialect dialect) {
  return kDialects[static_cast<std::size_t>(dialect)];
}

[[nodiscard]] constexpr std::optional<Dialect> parse_dialect(std::string_view text) {
  for (std::size_t i = 0; i < kDialects.size(); ++i) {
    if (kDialects[i] == text) {
      return static_cast<Dialect>(i);
    }
  }
  return std::nullopt;
}

}  // namespace assay::agent
