#include <assay/tensor/official_comparison.hpp>

#include <fmt/format.h>
#include <cmath>

#include <assay/base/error.hpp>

namespace assay::tensor {

std::optional<Mismatch> compare_officially(const ConstView& got, std::span<const double> expected, double absolute,
                                           double relative, double matched_ratio) {
  ASSAY_CHECK(element_count(got.shape) == expected.size());
  Mismatch mismatch;
  mismatch.elements = expected.size();
  double worst = -1;
  bool not_finite = false;
  for (std::size_t flat = 0; flat < expected.size(); ++flat) {
    const auto value = static_cast<double>(static_cast<float>(element(got, flat)));
    const auto right = static_cast<double>(static_cast<float>(expected[flat]));
    const double error = std::fabs(value - right);
    const bool finite = std::isfinite(value);
    // A comparison with NaN is false: what the reference lacks, their rule does not ask for.
    const bool wrong = error > absolute && error / (std::fabs(right) + 1e-8) > relative;
    if (finite && !wrong) {
      continue;
    }
    ++mismatch.mismatched_elements;
    if (!finite && !not_finite) {
      not_finite = true;
      mismatch.flat = flat;
    } else if (!not_finite && error > worst) {
      worst = error;
      mismatch.flat = flat;
    }
  }
  // In their order, for the last bit decides whether exactly that share is enough.
  const auto elements = static_cast<double>(mismatch.elements);
  const double matched = elements == 0 ? 1 : 1 - static_cast<double>(mismatch.mismatched_elements) / elements;
  if (!not_finite && matched >= matched_ratio) {
    return std::nullopt;
  }
  mismatch.index = unravel(mismatch.flat, got.shape);
  mismatch.expected = expected[mismatch.flat];
  mismatch.got = element(got, mismatch.flat);
  mismatch.reason = fmt::format(
      "by the rule of flashinfer-bench (atol {:g}, rtol {:g}, {:g} % matched) {}{} is {:.9g}, expected {:.9g}; {} of "
      "{} "
      "elements are wrong",
      absolute, relative, 100 * matched_ratio, got.name.empty() ? "element " : got.name, to_string(mismatch.index),
      mismatch.got, mismatch.expected, mismatch.mismatched_elements, mismatch.elements);
  return mismatch;
}

}  // namespace assay::tensor
