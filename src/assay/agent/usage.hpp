#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <assay/base/json.hpp>

namespace assay::agent {

/// Tokens, counted alike for every provider: what was read from a cache or written to one is part of `input`, and what
/// the model thought is part of `output`.
struct Tokens {
  std::int64_t input = 0;
  std::int64_t cached_input = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;
  bool operator==(const Tokens&) const = default;
};

/// What was spent. Absent dollars: the program reports none (Codex), which is not nothing.
struct Usage {
  Tokens tokens;
  std::optional<double> dollars;
  bool operator==(const Usage&) const = default;
};

/// How far a number about spending can be relied on. Persisted as text.
enum class Certainty : std::uint8_t {
  exact,     ///< The program's own final account.
  at_least,  ///< What is known of a run whose final account is lost.
  unknown,   ///< Nothing is known.
};
inline constexpr std::array<std::string_view, 3> kCertainties = {"exact", "at_least", "unknown"};
[[nodiscard]] constexpr std::string_view to_string(Certainty certainty) {
  return kCertainties[static_cast<std::size_t>(certainty)];
}

struct Spend {
  Certainty certainty = Certainty::unknown;
  Usage usage;
  bool operator==(const Spend&) const = default;
};

[[nodiscard]] Usage operator+(const Usage& a, const Usage& b);

/// The larger of each: totals of one session never shrink, so a smaller one is an older one.
[[nodiscard]] Usage larger(const Usage& a, const Usage& b);

/// What was spent between two totals of one session: both programs report totals, also after a resume and in a fork.
/// Nullopt if any number shrank: then they are not totals of one session.
[[nodiscard]] std::optional<Usage> difference(const Usage& total, const Usage& before);

[[nodiscard]] base::Json encode(const Usage& usage);
[[nodiscard]] base::Json encode(const Spend& spend);

}  // namespace assay::agent
