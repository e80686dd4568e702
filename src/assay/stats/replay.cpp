#include <assay/stats/replay.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include <assay/base/error.hpp>

namespace assay::stats {
namespace {

// Hands out strata in a random order, round after round.
class EvenSpread {
 public:
  EvenSpread(std::size_t strata, base::Philox& random) : order_(strata) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t left = strata; left > 1; --left) {
      std::swap(order_[left - 1], order_[static_cast<std::size_t>(random.next_below(left))]);
    }
  }

  std::size_t next() { return order_[given_++ % order_.size()]; }

 private:
  std::vector<std::size_t> order_;
  std::size_t given_ = 0;
};

TrialCount sum_of(const TrialCount& a, const TrialCount& b) { return {a.trials + b.trials, a.failures + b.failures}; }

// The discount, or less where so many failures would count for more than may be believed.
double believed_share(double discount, std::int64_t most_failures, const ReplayOptions& options) {
  return most_failures == 0 ? discount
                            : std::min(discount, options.believed_failures / static_cast<double>(most_failures));
}

FailureBelief after_clean_trial(const FailureBelief& belief) { return {belief.failures, belief.successes + 1}; }

std::size_t best_draw(std::span<const ReplayStratum> strata, const std::vector<FailureBelief>& beliefs,
                      base::Philox& random) {
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const double drawn = strata[i].weight * draw_rate(beliefs[i], random);
    if (drawn > most) {
      most = drawn;
      best = i;
    }
  }
  return best;
}

}  // namespace

std::vector<FailureBelief> beliefs_from_history(std::span<const ReplayStratum> strata, const ReplayOptions& options) {
  struct Regime {
    TrialCount count;
    std::int64_t strata = 0;
  };
  std::map<std::size_t, Regime> regimes;
  for (const ReplayStratum& stratum : strata) {
    Regime& regime = regimes[stratum.regime];
    regime.count = sum_of(regime.count, sum_of(stratum.of_operator, stratum.of_siblings));
    ++regime.strata;
  }
  std::int64_t most_of_operator = 0;
  std::int64_t most_of_siblings = 0;
  std::int64_t most_of_regime = 0;
  for (const ReplayStratum& stratum : strata) {
    most_of_operator = std::max(most_of_operator, stratum.of_operator.failures);
    most_of_siblings = std::max(most_of_siblings, stratum.of_siblings.failures);
    most_of_regime = std::max(most_of_regime, regimes[stratum.regime].count.failures);
  }
  const double of_operator = believed_share(options.operator_discount, most_of_operator, options);
  const double of_siblings = believed_share(options.sibling_discount, most_of_siblings, options);
  const double of_regime = believed_share(options.regime_discount, most_of_regime, options);
  std::vector<FailureBelief> beliefs;
  for (const ReplayStratum& stratum : strata) {
    FailureBelief belief = updated({}, stratum.of_operator, of_operator);
    belief = updated(belief, stratum.of_siblings, of_siblings);
    const Regime& regime = regimes[stratum.regime];
    if (regime.strata > 1) {
      const TrialCount own = sum_of(stratum.of_operator, stratum.of_siblings);
      const TrialCount others = {regime.count.trials - own.trials, regime.count.failures - own.failures};
      belief = updated(belief, others, of_regime / static_cast<double>(regime.strata - 1));
    }
    beliefs.push_back(belief);
  }
  return beliefs;
}

std::vector<ReplayTrial> plan_replay(std::span<const ReplayStratum> strata, std::size_t budget,
                                     const ReplayOptions& options, base::Philox& random) {
  constexpr double kLeastEvenShare = 0.2;
  ASSAY_CHECK(!strata.empty());
  ASSAY_CHECK(options.even_share >= kLeastEvenShare && options.even_share <= 1);
  std::vector<ReplayTrial> plan;
  std::vector<FailureBelief> beliefs = beliefs_from_history(strata, options);
  for (std::size_t i = 0; i < strata.size(); ++i) {
    ASSAY_CHECK(std::isfinite(strata[i].weight) && strata[i].weight >= 0);
    for (const std::uint64_t seed : strata[i].failing_seeds) {
      plan.push_back({i, seed});  // One input says nothing about the others: the belief stays.
    }
  }
  const auto expected_gain = [&](std::size_t i) { return strata[i].weight * beliefs[i].mean(); };
  std::priority_queue<std::pair<double, std::size_t>> largest;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    largest.emplace(expected_gain(i), i);
  }
  EvenSpread even(strata.size(), random);
  std::size_t made = 0;
  std::size_t evenly = 0;
  while (plan.size() < budget) {
    ++made;
    const bool spread = static_cast<double>(evenly) < options.even_share * static_cast<double>(made);
    std::size_t next = 0;
    if (spread) {
      next = even.next();
      ++evenly;
    } else if (options.rule == ReplayRule::thompson) {
      next = best_draw(strata, beliefs, random);
    } else {
      // A stratum's gain only falls, so that an entry is either true or too large; the latter is put back.
      while (largest.top().first > expected_gain(largest.top().second)) {
        const std::size_t stale = largest.top().second;
        largest.pop();
        largest.emplace(expected_gain(stale), stale);
      }
      next = largest.top().second;
    }
    beliefs[next] = after_clean_trial(beliefs[next]);
    plan.push_back({next, std::nullopt});
  }
  return plan;
}

}  // namespace assay::stats
