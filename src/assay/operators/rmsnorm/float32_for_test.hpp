#pragma once

#include <cstddef>
#include <cstdint>

#include <assay/operators/half_elements.hpp>
#include <assay/operators/rmsnorm/layout.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::rmsnorm {

/// Test only: how an honest float32 kernel may differ from another one.
struct Style {
  std::size_t strands = 1;    ///< Partial sums of the squares.
  bool weight_first = false;  ///< x * (inverse * weight) rather than (x * inverse) * weight.
  bool fast_root = false;     ///< A reciprocal root that is wrong in its last two bits, as a GPU's is.
  bool divides = false;       ///< x / sqrt(…) rather than x * (1 / sqrt(…)).
};

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  zeros,
  copied_input,
  no_epsilon,
  epsilon_outside,  ///< 1 / (sqrt(mean) + epsilon).
  other_epsilon,    ///< 1e-5 for 1e-6.
  epsilon_of_sum,   ///< sqrt((sum + epsilon) / n).
  no_weight,
  one_plus_weight,    ///< Gemma's.
  subtracts_mean,     ///< LayerNorm.
  no_mean,            ///< Divides by the norm, not by its mean.
  square_in_16_bits,  ///< Each square rounded to 16 bits.
  sum_in_16_bits,
  rounded_before_weight,  ///< x * inverse rounded to 16 bits.
  truncated_output,
  last_element_missing,
  last_row_missing,
  root_of_first_row,  ///< The first row's inverse for all.
  skips_rest,         ///< Elements behind the last whole 16 are not in the sum.
  no_residual,        ///< Only with a residual.
  rounded_sum,        ///< hidden_states + residual rounded to 16 bits; only with a residual.
};

/// Test only: computes the output of a trial in float32.
void run_float32(OperatorTrial& trial, const Variant& variant, tensor::DType dtype, const Style& style,
                 Mistake mistake = Mistake::none);

}  // namespace assay::operators::rmsnorm
