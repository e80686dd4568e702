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
                                               const std::function<double(std::size_t)>& allowed) {
  ASSAY_CHECK(tensor::element_count(got.shape) == expected.size());
  tensor::Mismatch mismatch;
  mismatch.elements = expected.size();
  double worst = 0;
  for (std::size_t flat = 0; flat < expected.size(); ++flat) {
    const double over = violation(tensor::element(got, flat), expected[flat], allowed(flat));
    if (over <= 0) {
      continue;
    }
    ++mismatch.mismatched_elements;
    if (over > worst) {
      worst = over;
      mismatch.flat = flat;
    }
  }
  if (mismatch.mismatched_elements == 0) {
    return std::nullopt;
  }
  mismatch.index = tensor::unravel(mismatch.flat, got.shape);
  mismatch.expected = expected[mismatch.flat];
  mismatch.got = tensor::element(got, mismatch.flat);
  mismatch.reason = fmt::format(
      "{}{} is {:.9g}, expected {:.9g} (allowed difference {:.3g}); {} of {} elements differ by more than allowed",
      got.name, tensor::to_string(mismatch.index), mismatch.got, mismatch.expected, allowed(mismatch.flat),
      mismatch.mismatched_elements, mismatch.elements);
  return mismatch;
}

}  // namespace assay::operators
