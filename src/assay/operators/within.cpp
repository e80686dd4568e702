#include <assay/operators/within.hpp>

#include <fmt/format.h>
#include <cmath>
#include <limits>

#include <assay/base/error.hpp>

namespace assay::operators {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How far beyond what is allowed, in multiples of it; 0 or less: not beyond.
double violation(double got, double expected, double allowed) {
  if (!std::isfinite(got) || !std::isfinite(expected)) {
    const bool same = std::isnan(got) ? std::isnan(expected) : got == expected;
    return same ? -1 : kInfinity;
  }
  const double error = std::fabs(got - expected);
  return error <= allowed ? -1 : error / allowed;
}

}  // namespace

std::optional<tensor::Mismatch> compare_within(const tensor::ConstView& got, std::span<const double> expected,
                                               const tensor::ComparisonRule& rule,
                                               const std::function<double(std::size_t)>& besides) {
  ASSAY_CHECK(tensor::element_count(got.shape) == expected.size());
  tensor::Mismatch mismatch;
  mismatch.elements = expected.size();
  tensor::TensorQuality quality(rule);
  double worst = 0;
  double worst_allowed = 0;
  double largest_error = -1;
  std::size_t largest_at = 0;
  double besides_square = 0;
  for (std::size_t flat = 0; flat < expected.size(); ++flat) {
    const double value = tensor::element(got, flat);
    const double more = besides(flat);
    const double allowed = rule.relative * std::fabs(expected[flat]) + more;
    const double over = violation(value, expected[flat], allowed);
    if (std::isfinite(value) && std::isfinite(expected[flat])) {
      const double error = std::fabs(value - expected[flat]);
      besides_square += more * more;
      quality.add(error, allowed);
      if (error > largest_error) {
        largest_error = error;
        largest_at = flat;
      }
    }
    if (over <= 0) {
      continue;
    }
    ++mismatch.mismatched_elements;
    if (over > worst) {
      worst = over;
      worst_allowed = allowed;
      mismatch.flat = flat;
    }
  }
  std::optional<std::string> fault;
  if (mismatch.mismatched_elements == 0) {
    const double rounding = rule.error_ratio == 0 ? 0 : tensor::rounding_square(got.dtype, expected);
    fault = quality.fault(rounding + besides_square);
    if (!fault) {
      return std::nullopt;
    }
    mismatch.flat = largest_at;
  }
  mismatch.index = tensor::unravel(mismatch.flat, got.shape);
  mismatch.expected = expected[mismatch.flat];
  mismatch.got = tensor::element(got, mismatch.flat);
  const std::string place = fmt::format("{}{}", got.name, tensor::to_string(mismatch.index));
  mismatch.reason =
      fault
          ? fmt::format("{}; the largest error is at {}: {:.9g}, expected {:.9g}", *fault, place, mismatch.got,
                        mismatch.expected)
          : fmt::format(
                "{} is {:.9g}, expected {:.9g} (allowed difference {:.3g}); {} of {} elements differ by more "
                "than allowed",
                place, mismatch.got, mismatch.expected, worst_allowed, mismatch.mismatched_elements, mismatch.elements);
  return mismatch;
}

}  // namespace assay::operators
