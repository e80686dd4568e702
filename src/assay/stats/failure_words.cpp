#include <assay/stats/failure_words.hpp>

#include <fmt/core.h>

#include <vector>

namespace assay::stats {
namespace {

std::string counted_trials(std::int64_t count) { return fmt::format("{} trial{}", count, count == 1 ? "" : "s"); }

}  // namespace

StrataBound bound_clean_trials(std::span<const std::int64_t> trials, double confidence) {
  std::vector<Stratum> strata;
  strata.reserve(trials.size());
  for (const std::int64_t count : trials) {
    strata.push_back({count, 0, 1});
  }
  return bound_strata(strata, confidence);
}

std::string failure_words(std::span<const std::int64_t> trials, const std::function<std::string(std::size_t)>& name) {
  const StrataBound bound = bound_clean_trials(trials);
  if (bound.trials == 0) {
    return "0 trials: nothing is known of its failure rate";
  }
  const std::string weakest =
      trials[bound.weakest] == 0
          ? std::string("no trial, nothing known")
          : fmt::format("{}, below {:.2g} %", counted_trials(trials[bound.weakest]), 100 * bound.of_weakest);
  return fmt::format("0 failures in {}; failure rate below {:.2g} % with {:g} % confidence; weakest stratum {}: {}",
                     counted_trials(bound.trials), 100 * bound.in_use, 100 * kVerdictConfidence, name(bound.weakest),
                     weakest);
}

}  // namespace assay::stats
