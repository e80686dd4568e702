#include <assay/stats/hierarchical_bootstrap.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/stats/distributions.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::stats {
namespace {

double estimate_of(const NestedRatios& ratios) {
  double sum = 0;
  for (const auto& session : ratios) {
    ASSAY_CHECK(!session.empty());
    double of_session = 0;
    for (const auto& pair : session) {
      of_session += median(pair);  // Refuses an empty one.
    }
    sum += of_session / static_cast<double>(session.size());
  }
  return sum / static_cast<double>(ratios.size());
}

template <class T>
const T& drawn_from(const std::vector<T>& units, base::Philox& random) {
  return units[static_cast<std::size_t>(random.next_below(units.size()))];
}

// Units of the outermost level that has more than one; of the blocks, those of the smallest pair.
std::size_t outermost_units(const NestedRatios& ratios) {
  if (ratios.size() > 1) {
    return ratios.size();
  }
  return ratios.front().size() > 1 ? ratios.front().size() : ratios.front().front().size();
}

double widening(std::size_t units, double alpha) {
  if (units < 2) {
    return 1;
  }
  const auto n = static_cast<double>(units);
  return std::sqrt(n / (n - 1)) * student_t_quantile(1 - alpha / 2, n - 1) / normal_quantile(1 - alpha / 2);
}

}  // namespace

BootstrapInterval hierarchical_bootstrap(const NestedRatios& ratios, const BootstrapPlan& plan) {
  ASSAY_CHECK(!ratios.empty());
  ASSAY_CHECK(plan.replicates > 0);
  ASSAY_CHECK(plan.alpha > 0 && plan.alpha < 1);
  BootstrapInterval interval;
  interval.estimate = estimate_of(ratios);
  base::Philox random(plan.seed, base::stream_id("stats.hierarchical_bootstrap"));
  std::vector<double> replicates(static_cast<std::size_t>(plan.replicates));
  std::vector<double> blocks;
  for (double& replicate : replicates) {
    double sum = 0;
    for (std::size_t s = 0; s < ratios.size(); ++s) {
      const auto& session = drawn_from(ratios, random);
      double of_session = 0;
      for (std::size_t p = 0; p < session.size(); ++p) {
        const auto& pair = drawn_from(session, random);
        blocks.resize(pair.size());
        std::generate(blocks.begin(), blocks.end(), [&] { return drawn_from(pair, random); });
        of_session += median(blocks);
      }
      sum += of_session / static_cast<double>(session.size());
    }
    replicate = sum / static_cast<double>(ratios.size());
  }
  const double wider = widening(outermost_units(ratios), plan.alpha);
  interval.lower = interval.estimate + wider * (quantile(replicates, plan.alpha / 2) - interval.estimate);
  interval.upper = interval.estimate + wider * (quantile(replicates, 1 - plan.alpha / 2) - interval.estimate);
  return interval;
}

}  // namespace assay::stats
