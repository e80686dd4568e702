#pragma once

#include <cmath>
#include <cstdint>

#include <assay/base/host_device.hpp>
#include <assay/device/cuda/element_format.hpp>

/// The arithmetic of comparing an output with its reference on the device, by tensor::ComparisonRule, in pieces that
/// are combined in any order. It answers "surely right" or "ask the CPU": sums in another order differ in their last
/// bits, and products may be fused with the sums, so that each part of the rule is held to 2^-20 less than it allows.
/// Double precision errs by less than 2^-24 in the sums of 10^8 elements, on either side.
namespace assay::device::cuda {

/// A tensor::ComparisonRule over consecutive blocks of elements. Passed to kernels as it is.
struct DeviceRule {
  double relative = 0;
  double absolute_of_rms = 0;
  double norm = 0;                   ///< Infinite: no such part.
  std::uint64_t block_elements = 0;  ///< Over which a norm is taken; the whole tensor, or a divisor of it.
  std::uint32_t rms_of_block = 0;  ///< 1: the absolute part is of the RMS of each block, as if it were a tensor alone.
  double error_ratio = 0;          ///< 0: no such part. Of the whole tensor, or of each block if that has its RMS.
  double working = 0;
};

inline constexpr double kCertainty = 1 - 0x1p-20;   ///< Part of each tolerance that is used.
inline constexpr double kSmallestSquares = 1e-250;  ///< Sums below lost bits to underflow: nothing is said about them.
inline constexpr double kLostSquares = 1e-300;      ///< More than underflow can take from a sum of squares.
inline constexpr double kLargestSquares = 1e300;    ///< Sums beyond may overflow when they are formed in another order.

/// What elements add up to.
struct CompareSums {
  double error_square = 0;  ///< Of elements that are finite on both sides, as expected_square.
  double expected_square = 0;
  double rounding_square = 0;   ///< Of what is expected, to the output's type.
  double excess = -HUGE_VAL;    ///< Largest |got - expected| - (a little less than relative) * |expected| of those.
  double largest_absolute = 0;  ///< As tensor::LargestErrors: infinite where the classes differ.
  double largest_relative = 0;
  std::uint64_t finite = 0;      ///< Elements that are finite on both sides.
  std::uint64_t mismatches = 0;  ///< Elements of another class (NaN, +-infinity, finite); of integers: that differ.
  std::uint64_t differing = 0;   ///< Finite elements that are not equal.
};

[[nodiscard]] ASSAY_HOST_DEVICE inline bool same_class(double x, double y) {
  return is_finite(x) ? is_finite(y) : (x != x ? y != y : x == y);
}

ASSAY_HOST_DEVICE inline void keep_larger(double& largest, double value) {
  largest = value > largest ? value : largest;
}

ASSAY_HOST_DEVICE inline void compare_floating(ElementFormat format, double got, double expected, double relative,
                                               CompareSums& sums) {
  if (is_finite(got) && is_finite(expected)) {
    const double error = fabs(got - expected);
    const double magnitude = fabs(expected);
    sums.error_square += error * error;
    sums.expected_square += magnitude * magnitude;
    sums.rounding_square += rounding_square(format, expected);
    keep_larger(sums.excess, error - kCertainty * relative * magnitude);
    keep_larger(sums.largest_absolute, error);
    keep_larger(sums.largest_relative, error / (magnitude + 1e-8));
    ++sums.finite;
    sums.differing += error > 0 ? 1U : 0U;
  } else if (!same_class(got, expected)) {
    ++sums.mismatches;
    sums.largest_absolute = HUGE_VAL;
    sums.largest_relative = HUGE_VAL;
  }
}

/// Whether an integer is exactly what is expected, as a double that may be none.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool equals_integer(std::int64_t got, double expected) {
  return expected >= -0x1p63 && expected < 0x1p63 && static_cast<std::int64_t>(expected) == got &&
         trunc(expected) == expected;
}

ASSAY_HOST_DEVICE inline void compare_integer(std::int64_t got, double expected, CompareSums& sums) {
  if (!equals_integer(got, expected)) {
    ++sums.mismatches;
    const double error = fabs(static_cast<double>(got) - expected);
    keep_larger(sums.largest_absolute, error == error ? error : HUGE_VAL);
  }
}

ASSAY_HOST_DEVICE inline void combine(CompareSums& sums, const CompareSums& other) {
  sums.error_square += other.error_square;
  sums.expected_square += other.expected_square;
  sums.rounding_square += other.rounding_square;
  keep_larger(sums.excess, other.excess);
  keep_larger(sums.largest_absolute, other.largest_absolute);
  keep_larger(sums.largest_relative, other.largest_relative);
  sums.finite += other.finite;
  sums.mismatches += other.mismatches;
  sums.differing += other.differing;
}

/// Whether ||got - expected|| <= norm * ||expected|| holds over a block, however its sums are formed.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool norm_surely_holds(const CompareSums& block, double norm) {
  if (norm == HUGE_VAL || block.differing == 0) {
    return true;
  }
  const double least = kCertainty * norm;
  return block.error_square <= kLargestSquares && is_finite(block.expected_square) &&
         block.expected_square >= kSmallestSquares && norm > 0 &&
         block.error_square + kLostSquares <= least * least * block.expected_square;
}

/// Whether ||got - expected|| is within the ratio of an honest implementation's error, however its sums are formed.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool ratio_surely_holds(const CompareSums& sums, const DeviceRule& rule) {
  if (rule.error_ratio == 0 || sums.differing == 0) {
    return true;
  }
  const double honest_square = sums.rounding_square + rule.working * rule.working * sums.expected_square;
  const double least = kCertainty * rule.error_ratio;
  return rule.error_ratio > 0 && sums.error_square <= kLargestSquares && is_finite(honest_square) &&
         honest_square >= kSmallestSquares && sums.error_square + kLostSquares <= least * least * honest_square;
}

/// The absolute tolerance of the elements that the sums are of: of the root mean square of what is expected.
[[nodiscard]] ASSAY_HOST_DEVICE inline double absolute_tolerance(const CompareSums& sums, double absolute_of_rms) {
  return sums.finite == 0 ? 0 : absolute_of_rms * sqrt(sums.expected_square / static_cast<double>(sums.finite));
}

/// Whether no element errs by more than the rule allows. `sums` are of all elements that share an RMS.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool elements_surely_hold(const CompareSums& sums, double absolute_of_rms) {
  if (sums.mismatches != 0) {
    return false;
  }
  if (sums.differing == 0) {
    return true;
  }
  if (!is_finite(sums.expected_square)) {
    return false;
  }
  const bool has_squares = sums.expected_square >= kSmallestSquares;
  return sums.excess <= (has_squares ? kCertainty * absolute_tolerance(sums, absolute_of_rms) : 0);
}

/// What is decided from the sums of all blocks.
struct CompareTotals {
  CompareSums sums;                   ///< Of the whole tensor.
  double worst_norm = 0;              ///< Largest ||got - expected|| / ||expected|| of a block.
  std::uint64_t norm_unsure = 0;      ///< Blocks whose norm is not surely within the rule.
  std::uint64_t elements_unsure = 0;  ///< Where each block has its RMS: those with an element that is not surely right.
};

ASSAY_HOST_DEVICE inline void add_block(CompareTotals& totals, const CompareSums& block, const DeviceRule& rule) {
  combine(totals.sums, block);
  keep_larger(totals.worst_norm, block.error_square == 0 ? 0 : sqrt(block.error_square / block.expected_square));
  totals.norm_unsure += norm_surely_holds(block, rule.norm) ? 0U : 1U;
  if (rule.rms_of_block != 0) {
    totals.norm_unsure += ratio_surely_holds(block, rule) ? 0U : 1U;
    totals.elements_unsure += elements_surely_hold(block, rule.absolute_of_rms) ? 0U : 1U;
  }
}

ASSAY_HOST_DEVICE inline void combine(CompareTotals& totals, const CompareTotals& other) {
  combine(totals.sums, other.sums);
  keep_larger(totals.worst_norm, other.worst_norm);
  totals.norm_unsure += other.norm_unsure;
  totals.elements_unsure += other.elements_unsure;
}

/// Whether the CPU's comparison would surely find nothing. False is no verdict.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool surely_right(const CompareTotals& totals, const DeviceRule& rule) {
  const bool usable = rule.relative >= 0 && is_finite(rule.relative) && rule.absolute_of_rms >= 0 &&
                      is_finite(rule.absolute_of_rms) && rule.norm >= 0 && rule.error_ratio >= 0 && rule.working >= 0;
  if (!usable || totals.sums.mismatches != 0 || totals.norm_unsure != 0) {
    return false;
  }
  if (rule.rms_of_block != 0) {
    return totals.elements_unsure == 0;
  }
  return ratio_surely_holds(totals.sums, rule) && elements_surely_hold(totals.sums, rule.absolute_of_rms);
}

/// Whether an element is right by itself, given the absolute tolerance: for counting what is wrong.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool element_holds(double got, double expected, double absolute,
                                                          double relative) {
  if (is_finite(got) && is_finite(expected)) {
    return !(fabs(got - expected) - (absolute + relative * fabs(expected)) > 0);
  }
  return same_class(got, expected);
}

}  // namespace assay::device::cuda
