#pragma once

#include <cmath>

#include <assay/base/host_device.hpp>

namespace assay::base {

/// Returns what rounding to the nearest number of so many significant bits changes a value by; 0 for what is not finite.
/// Below 2^(least_exponent - 1), a type's smallest normal number, all numbers are as far apart as just above it. Where a
/// type ends does not matter. For the CPU and for CUDA.
[[nodiscard]] ASSAY_HOST_DEVICE inline double rounding_error(double value, int significant_bits, int least_exponent) {
  if (!(fabs(value) < HUGE_VAL) || value == 0) {
    return 0;
  }
  int exponent = 0;
  frexp(value, &exponent);
  const int last_bit = (exponent > least_exponent ? exponent : least_exponent) - significant_bits;
  const double steps = ldexp(value, -last_bit);
  return ldexp(rint(steps) - steps, last_bit);
}

}  // namespace assay::base
