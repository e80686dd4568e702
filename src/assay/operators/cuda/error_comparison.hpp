#pragma once

#include <assay/device/cuda/device_comparison.hpp>

/// The arithmetic of gdn_prefill::compare_with_errors on the device: of a block of an output it says "surely right" or
/// "ask the CPU", with each tolerance a millionth smaller, as device_comparison.hpp explains.
namespace assay::operators::cuda {

/// What the elements of a block add up to.
struct ErrorSums {
  double error_square = 0;
  double honest_square = 0;   ///< Of the runs' honest errors, each once.
  bool elements_hold = true;  ///< Whether each element is surely right by itself.
};

/// `honest` is the honest error of the element's run, `first` whether the element is the first of it.
ASSAY_HOST_DEVICE inline void add_element(ErrorSums& sums, double got, double expected, double honest, bool first,
                                          double most_element) {
  const double error = fabs(got - expected);
  sums.error_square += error * error;
  sums.honest_square += first ? honest * honest : 0;
  // False for what is not finite: infinity is no less than a finite product, and NaN is nothing.
  const double allowed = device::cuda::kCertainty * most_element * honest;
  const bool holds = error == 0 || (honest > 0 && device::cuda::is_finite(allowed) && error <= allowed);
  sums.elements_hold = sums.elements_hold && holds;
}

[[nodiscard]] ASSAY_HOST_DEVICE inline bool surely_within(const ErrorSums& sums, double most_norm) {
  if (!sums.elements_hold) {
    return false;
  }
  if (sums.error_square == 0) {
    return true;
  }
  const double least = device::cuda::kCertainty * most_norm;
  return sums.honest_square >= device::cuda::kSmallestSquares && sums.honest_square <= device::cuda::kLargestSquares &&
         sums.error_square <= least * least * sums.honest_square;
}

}  // namespace assay::operators::cuda
