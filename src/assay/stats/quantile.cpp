#include <assay/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <assay/base/error.hpp>

namespace assay::stats {
namespace {

bool all_same(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [first = values.front()](double value) { return value == first; });
}

}  // namespace

double mean(std::span<const double> values) {
  ASSAY_CHECK(!values.empty());
  // A sum and a division would miss the common value by a rounding error, and a simulated clock does repeat
  // itself.
  if (all_same(values)) {
    return values.front();
  }
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_error(std::span<const double> values) {
  ASSAY_CHECK(values.size() >= 2);
  if (all_same(values)) {
    return 0;
  }
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - center) * (value - center);
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

double quantile(std::span<const double> values, double probability) {
  ASSAY_CHECK(!values.empty());
  ASSAY_CHECK(probability >= 0 && probability <= 1);
  ASSAY_CHECK(std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
  std::vector<double> sorted(values.begin(), values.end());
  const double rank = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto at_below = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), at_below, sorted.end());
  const double low = *at_below;
  const double fraction = rank - static_cast<double>(below);
  if (fraction <= 0) {
    return low;
  }
  const double high = *std::min_element(at_below + 1, sorted.end());
  return low == high ? low : low + fraction * (high - low);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

}  // namespace assay::stats
