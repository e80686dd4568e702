#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <assay/stats/failure_bound.hpp>

namespace assay::stats {

/// With which confidence verdicts bound failure rates, wherever they are said.
inline constexpr double kVerdictConfidence = 0.95;

/// Bounds the failure rate after so many trials without a failure on each stratum, of which at least one is given. Calls in
/// use are distributed evenly over them.
[[nodiscard]] StrataBound bound_clean_trials(std::span<const std::int64_t> trials,
                                             double confidence = kVerdictConfidence);

/// What a verdict says of correctness, which is a bound and never a word: "0 failures in 3024 trials; failure rate below
/// 0.099 % with 95 % confidence; weakest stratum workload 901e5104: 54 trials, below 5.4 %". `name` names a stratum. Without
/// any trial it says that nothing is known.
[[nodiscard]] std::string failure_words(std::span<const std::int64_t> trials,
                                        const std::function<std::string(std::size_t)>& name);

}  // namespace assay::stats
