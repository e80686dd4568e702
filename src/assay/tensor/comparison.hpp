#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <assay/tensor/largest_errors.hpp>  // IWYU pragma: export
#include <assay/tensor/view.hpp>

namespace assay::tensor {

/// When an output counts as equal to its reference in double precision. All parts must hold. Special values (NaN,
/// +-infinity) are compared by class first: a class that differs is a mismatch, an equal one is a match.
struct ComparisonRule {
  double relative = 0;         ///< Element rule: |got - expected| <= absolute + relative * |expected| …
  double absolute_of_rms = 0;  ///< … where absolute = absolute_of_rms * RMS(finite expected elements of the tensor).
  double norm = 0;             ///< ||got - expected||_2 <= norm * ||expected||_2, over each block of the leading
  int norm_axes = 0;           ///< `norm_axes` axes (0: the whole tensor): one wrong head must not hide in the rest.
                               ///< An infinite `norm` switches this part off.
  /// How exact an honest implementation of the same precision is: its error over the whole tensor is that of rounding the
  /// right values to the output's type, and besides `working` of their norm, in squares. An output may err by
  /// `error_ratio` times that; 0 switches this part off. Cut off instead of rounded is 2.
  double error_ratio = 0;
  double working = 0;
  /// Elements that use more than this part of what each is allowed are unusual: at most `unusual_share` of all may be, and
  /// no `longest_run` of them or more side by side. 1 switches this part off.
  double usual_part = 1;
  double unusual_share = 0.01;
  std::size_t longest_run = 32;
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

/// Returns the root mean square of the finite values; 0 if there are none.
[[nodiscard]] double root_mean_square(std::span<const double> values);

/// Holds one element to an allowed error: how far it errs beyond that, > 0 for a mismatch. Special values by class: infinite
/// if the classes differ, minus infinite if they agree.
[[nodiscard]] double excess_error(double got, double expected, double allowed);

/// Sums up the squares of what rounding finite values to a floating type changes them by.
[[nodiscard]] double rounding_square(DType dtype, std::span<const double> values);

/// Collects the parts of a rule that speak of a whole tensor: its error against that of an honest implementation, and how
/// many elements are unusual and how they lie.
class TensorQuality {
 public:
  explicit TensorQuality(const ComparisonRule& rule) : rule_(&rule) {}
  /// The next element, in order: what it errs by and what it is allowed. Not of special values.
  void add(double error, double allowed);
  /// Says what is wrong; `honest_square` is the square of the error that an honest implementation makes.
  [[nodiscard]] std::optional<std::string> fault(double honest_square) const;

 private:
  const ComparisonRule* rule_;
  double error_square_ = 0;
  std::size_t elements_ = 0;
  std::size_t unusual_ = 0;
  std::size_t run_ = 0;
  std::size_t longest_run_ = 0;
  std::size_t run_end_ = 0;  ///< Of the longest: behind its last element.
};

/// Reads one element as a double.
[[nodiscard]] double element(const ConstView& view, std::size_t flat);

}  // namespace assay::tensor
