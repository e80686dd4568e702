#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <assay/report/model.hpp>

namespace assay::report {

/// Makes text safe for HTML: control characters and bytes that are not UTF-8 replaced, markup escaped.
[[nodiscard]] std::string safe(std::string_view text);

/// Returns "1.84×", and where both bounds are known "1.84× [1.79, 1.90]".
[[nodiscard]] std::string with_interval(const Ratio& ratio);

/// Returns "1.84× [1.80, 1.88] (95 %, resampled over 2 sessions and 12 process pairs)".
[[nodiscard]] std::string resampled_text(const Headline::Resampled& resampled);

/// Returns a time for people, or "missing".
[[nodiscard]] std::string time_or_missing(const std::optional<double>& nanoseconds);

/// Returns "batch_size=4, heads=8".
[[nodiscard]] std::string pairs_text(const task::Named<std::int64_t>& values);

/// Returns "1 candidate", "3 candidates".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// Returns "2 not built, 1 crashed".
[[nodiscard]] std::string outcomes_text(const CampaignReport& report);

/// How a kind of outcome is shown: as a gain, as correct but kept out, as a failure, or as nothing of
/// interest.
enum class OutcomeFamily : std::uint8_t { gain, kept, failure, neutral };
[[nodiscard]] OutcomeFamily family(task::Outcome outcome);

}  // namespace assay::report
