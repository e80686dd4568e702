#include <assay/stats/t_test.hpp>

#include <algorithm>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/stats/distributions.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::stats {

double p_value_mean_above(std::span<const double> values, double bound) {
  ASSAY_CHECK(values.size() >= 2);
  ASSAY_CHECK(std::isfinite(bound));
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
    return 1;
  }
  const double center = mean(values);
  const double error = standard_error(values);
  if (!std::isfinite(center) || !std::isfinite(error)) {
    return 1;
  }
  if (error <= 0) {
    return center > bound ? 0 : 1;
  }
  return student_t_upper_tail((center - bound) / error, static_cast<double>(values.size() - 1));
}

}  // namespace assay::stats
