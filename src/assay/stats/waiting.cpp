#include <assay/stats/waiting.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <assay/base/device_name.hpp>
#include <assay/base/error.hpp>
#include <assay/stats/paired_decision.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::stats {
namespace {

constexpr double kSurelyNotWaiting = 0.001;
constexpr int kLeastPairs = 4;
constexpr double kShareOfUndelayed = 0.25;

// The calls of one side in one cell.
struct CellCalls {
  std::vector<double> own;
  std::vector<double> between;  // The clocks.
};

double log_choose(std::int64_t of, std::int64_t chosen) {
  const auto gamma = [](std::int64_t n) { return std::lgamma(static_cast<double>(n) + 1); };
  return gamma(of) - gamma(chosen) - gamma(of - chosen);
}

}  // namespace

double waiting_level_on(std::string_view device) {
  const auto name = base::parse_device_name(device);
  return name && name->kind == base::DeviceName::Kind::cpu ? kSurelyNotWaiting : 0;
}

bool waiting_explains(std::span<const PairedSample> samples, int pairs, int workloads, double level) {
  ASSAY_CHECK(level > 0 && level < 0.5);
  if (pairs < kLeastPairs || workloads == 0) {
    return true;
  }
  const auto columns = static_cast<std::size_t>(workloads);
  std::vector<CellCalls> candidate(static_cast<std::size_t>(pairs) * columns);
  std::vector<CellCalls> incumbent(candidate.size());
  for (const PairedSample& sample : samples) {
    ASSAY_CHECK(sample.pair >= 0 && sample.workload >= 0 && sample.workload < workloads);
    if (sample.pair < pairs) {
      const std::size_t at =
          static_cast<std::size_t>(sample.pair) * columns + static_cast<std::size_t>(sample.workload);
      CellCalls& cell = (sample.candidate ? candidate : incumbent)[at];
      cell.own.push_back(sample.elapsed_ns);
      cell.between.push_back(sample.witness_ns - sample.elapsed_ns);
    }
  }
  std::vector<double> unexplained;  // One a pair.
  for (std::size_t pair = 0; pair < static_cast<std::size_t>(pairs); ++pair) {
    double sum = 0;
    double weights = 0;
    for (std::size_t at = pair * columns; at < (pair + 1) * columns; ++at) {
      if (candidate[at].own.empty() || incumbent[at].own.empty()) {
        return true;
      }
      const double length = median(incumbent[at].own);
      const double claimed = length - median(candidate[at].own);
      const double excess =
          quantile(candidate[at].between, kShareOfUndelayed) - quantile(incumbent[at].between, kShareOfUndelayed);
      sum += length * (excess - claimed / 2 - kWakingNs);
      weights += length;
    }
    unexplained.push_back(sum / weights);
  }
  return !(t_interval(unexplained, 2 * level).lower > 0);
}

double chance_of_all_delayed(std::int64_t accused, std::int64_t known, std::int64_t known_delayed) {
  ASSAY_CHECK(accused >= 0 && known_delayed >= 0 && known_delayed <= known);
  return std::exp(log_choose(accused + known_delayed, accused) - log_choose(accused + known, accused));
}

}  // namespace assay::stats
