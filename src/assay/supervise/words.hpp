#pragma once

#include <array>
#include <string_view>

#include <assay/supervise/supervisor.hpp>

namespace assay::supervise {

/// The persisted spellings, in the order of the enumerators.
inline constexpr std::array<std::string_view, kConditions> kConditionNames = {
    "phantom", "regression", "stall", "cycle", "plateau", "diminishing_returns"};
inline constexpr std::array<std::string_view, kCauses> kCauseNames = {"noise_floor", "invalid_rate", "cycling",
                                                                      "roofline",    "machines",     "none"};
inline constexpr std::array<std::string_view, kRecoveries> kRecoveryNames = {"buy_repeats", "fix_prompt", "close_route",
                                                                             "stop", "ask_person"};

[[nodiscard]] std::string_view to_string(Condition condition);
[[nodiscard]] std::string_view to_string(Cause cause);
[[nodiscard]] std::string_view to_string(Recovery recovery);

/// A label for pictures: "plateau", "phantom".
[[nodiscard]] std::string_view short_words(Condition condition);
/// For people: "a plateau", "the noise floor is too high", "buy repeats".
[[nodiscard]] std::string_view in_words(Condition condition);
[[nodiscard]] std::string_view in_words(Cause cause);
[[nodiscard]] std::string_view in_words(Recovery recovery);

}  // namespace assay::supervise
