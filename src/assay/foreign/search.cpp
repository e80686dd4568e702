#include <assay/foreign/search.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include <assay/foreign/failure.hpp>

namespace assay::foreign {
namespace {

// What the machines did not judge, and an interface that was described wrongly, are nothing that a candidate did.
supervise::AttemptKind kind_of(Failure failure) {
  if (failure == Failure::none) {
    return supervise::AttemptKind::measured;
  }
  return owner(failure) == FailureOwner::infrastructure ? supervise::AttemptKind::lost : supervise::AttemptKind::failed;
}

// The number of the environment of each success: another one begins where the reference has moved too far from the first of
// every environment that is known.
class Environments {
 public:
  explicit Environments(const TraceArchive& archive) : archive_(archive) {}

  int of(std::size_t evaluation) {
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      if (same_environment(archive_.evaluations[firsts_[i]], archive_.evaluations[evaluation])) {
        return static_cast<int>(i);
      }
    }
    firsts_.push_back(evaluation);
    return static_cast<int>(firsts_.size()) - 1;
  }

 private:
  const TraceArchive& archive_;
  std::vector<std::size_t> firsts_;
};

double log_gain(const Evaluation& before, const Evaluation& after) {
  return std::log(*before.latency_ms / *after.latency_ms);
}

}  // namespace

std::vector<std::size_t> search_order(const TraceArchive& archive, const std::string& trace) {
  std::vector<std::size_t> order = archive.of_trace(trace);
  const auto key = [&](std::size_t i) {
    const Evaluation& evaluation = archive.evaluations[i];
    return std::make_tuple(!evaluation.controller_run.has_value(), evaluation.controller_run.value_or(0),
                           evaluation.iteration.value_or(0), evaluation.round.value_or(0),
                           evaluation.candidate.value_or(0), i);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

SearchHistory search_history(const TraceArchive& archive, const std::string& trace, const ComparisonNoise& noise) {
  SearchHistory search;
  if (noise.source == ComparisonNoise::Source::none) {
    return search;
  }
  std::map<std::size_t, const Promotion*> promotions;  // By the evaluation that was promoted.
  for (const Promotion& promotion : archive.promotions) {
    if (promotion.trace == trace) {
      promotions.emplace(promotion.after, &promotion);
    }
  }
  std::map<std::size_t, std::size_t> attempt_of;  // By evaluation.
  std::map<int, std::size_t> best;                // By environment: an evaluation.
  Environments environments(archive);
  for (const std::size_t i : search_order(archive, trace)) {
    const Evaluation& evaluation = archive.evaluations[i];
    if (!evaluation.iteration) {
      continue;
    }
    attempt_of.emplace(i, search.attempts.size());
    search.attempts.push_back(i);
    supervise::Attempt& attempt = search.history.attempts.emplace_back();
    attempt.number = static_cast<int>(search.attempts.size());
    attempt.code = evaluation.normalised.hex();
    attempt.kind = kind_of(failure_of(evaluation));
    if (attempt.kind != supervise::AttemptKind::measured) {
      continue;
    }
    attempt.environment = environments.of(i);
    attempt.level = -std::log(*evaluation.latency_ms);
    const auto [place, first] = best.emplace(attempt.environment, i);
    if (!first) {
      const double gain = log_gain(archive.evaluations[place->second], evaluation);
      attempt.undecided = std::abs(gain - kSearchMinimumEffect) <= noise.band;
      if (gain - noise.band > kSearchMinimumEffect) {
        attempt.improvement = gain;
        place->second = i;
      }
    }
    if (const auto promotion = promotions.find(i); promotion != promotions.end()) {
      const std::size_t before = promotion->second->before;
      const double gain = log_gain(archive.evaluations[before], evaluation);
      const auto replaced = attempt_of.find(before);
      attempt.claim = supervise::Claim{{gain, gain - noise.band, gain + noise.band},
                                       replaced == attempt_of.end() ? std::nullopt : std::optional(replaced->second)};
    }
  }
  return search;
}

}  // namespace assay::foreign
