#include <assay/stats/distributions.hpp>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include <assay/base/error.hpp>

namespace assay::stats {
namespace {

namespace policies = boost::math::policies;

// Overflow gives an infinity instead of an exception: a quantile that far out is an infinite bound, which is
// safe. Doubles are not promoted to long double: the last bits do not matter here and valgrind-like tools
// lack them.
using Policy = policies::policy<policies::overflow_error<policies::ignore_error>,
                                policies::underflow_error<policies::ignore_error>, policies::promote_double<false>>;

bool is_inner_probability(double probability) { return probability > 0 && probability < 1; }

}  // namespace

double normal_quantile(double probability) {
  ASSAY_CHECK(is_inner_probability(probability));
  return boost::math::quantile(boost::math::normal_distribution<double, Policy>(), probability);
}

double student_t_quantile(double probability, double degrees) {
  ASSAY_CHECK(is_inner_probability(probability));
  ASSAY_CHECK(degrees > 0);
  return boost::math::quantile(boost::math::students_t_distribution<double, Policy>(degrees), probability);
}

double student_t_upper_tail(double t, double degrees) {
  ASSAY_CHECK(degrees > 0);
  ASSAY_CHECK(!std::isnan(t));
  if (std::isinf(t)) {
    return t > 0 ? 0 : 1;
  }
  const boost::math::students_t_distribution<double, Policy> distribution(degrees);
  return boost::math::cdf(boost::math::complement(distribution, t));
}

double beta_quantile(double probability, double a, double b) {
  ASSAY_CHECK(is_inner_probability(probability));
  ASSAY_CHECK(a > 0 && b > 0);
  return boost::math::quantile(boost::math::beta_distribution<double, Policy>(a, b), probability);
}

double chi_squared_quantile(double probability, double degrees) {
  ASSAY_CHECK(is_inner_probability(probability));
  ASSAY_CHECK(degrees > 0);
  return boost::math::quantile(boost::math::chi_squared_distribution<double, Policy>(degrees), probability);
}

}  // namespace assay::stats
