#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <assay/tensor/view.hpp>

namespace assay::tensor {

/// When an output counts as equal to its reference in double precision. All parts must hold. Special values
/// (NaN,
/// +-infinity) are compared by class first: a class that differs is a mismatch, an equal one is a match.
struct ComparisonRule {
  double relative = 0;         ///< Element rule: |got - expected| <= absolute + relative * |expected| …
  double absolute_of_rms = 0;  ///< … where absolute = absolute_of_rms * RMS(finite expected elements of the tensor).
  double norm = 0;             ///< ||got - expected||_2 <= norm * ||expected||_2, over each block of the leading
  int norm_axes = 0;           ///< `norm_axes` axes (0: the whole tensor): one wrong head must not hide in the rest.
                               ///< An infinite `norm` switches this part off.
};

/// The worst element, and how much is wrong.
struct Mismatch {
  std::size_t flat = 0;
  std::vector<std::int64_t> index;
  double expected = 0;
  double got = 0;
  std::size_t mismatched_elements = 0;
  std::size_t elements = 0;
  double worst_block_norm_error = 0;  ///< Largest relative norm error over the blocks.
  std::string reason;                 ///< One sentence: which part of the rule, where, expected, got, how many.
};

/// Compares an output with its reference values, row-major, one double an element. Returns nullopt if all
/// parts hold. Integers and bool are compared exactly; the type must have storage and the sizes must agree (checked).
[[nodiscard]] std::optional<Mismatch> compare(const ConstView& got, std::span<const double> expected,
                                              const ComparisonRule& rule);

/// How far an output is from its reference at the worst, by flashinfer-bench's formulas: |got - expected|, and the same
/// over |expected| + 1e-8. Infinite where a special value stands against one of another class or a number.
struct LargestErrors {
  double absolute = 0;
  double relative = 0;

  void add(const LargestErrors& other);
};

/// Measures a floating output (checked); row-major, one expected double an element.
[[nodiscard]] LargestErrors largest_errors(const ConstView& got, std::span<const double> expected);

/// Returns the root mean square of the finite values; 0 if there are none.
[[nodiscard]] double root_mean_square(std::span<const double> values);

/// Holds one element to an allowed error: how far it errs beyond that, > 0 for a mismatch. Special values by class: infinite
/// if the classes differ, minus infinite if they agree.
[[nodiscard]] double excess_error(double got, double expected, double allowed);

/// Reads one element as a double.
[[nodiscard]] double element(const ConstView& view, std::size_t flat);

}  // namespace assay::tensor
