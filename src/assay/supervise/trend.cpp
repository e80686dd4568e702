#include <assay/supervise/trend.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <assay/base/error.hpp>

namespace assay::supervise {
namespace {

constexpr std::size_t kMostValues = 64;

// Probability of each number of inversions among `count` values in random order: the k-th value added makes 0 to k - 1
// more, all equally likely.
std::vector<double> inversion_probabilities(std::size_t count) {
  std::vector<double> probability{1};
  for (std::size_t k = 2; k <= count; ++k) {
    std::vector<double> next(probability.size() + k - 1, 0.0);
    for (std::size_t i = 0; i < probability.size(); ++i) {
      for (std::size_t more = 0; more < k; ++more) {
        next[i + more] += probability[i] / static_cast<double>(k);
      }
    }
    probability = std::move(next);
  }
  return probability;
}

}  // namespace

double decline_probability(const std::vector<double>& values) {
  ASSAY_CHECK(values.size() <= kMostValues);
  std::size_t falling = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    falling += static_cast<std::size_t>(std::count_if(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(),
                                                      [&](double later) { return later < values[i]; }));
  }
  const std::vector<double> probability = inversion_probabilities(values.size());
  double tail = 0;
  for (std::size_t inversions = probability.size(); inversions > falling; --inversions) {  // The small ones first.
    tail += probability[inversions - 1];
  }
  return falling == 0 ? 1.0 : std::min(tail, 1.0);
}

}  // namespace assay::supervise
