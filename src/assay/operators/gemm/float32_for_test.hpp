#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <assay/operators/half_elements.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::gemm {

/// Test only: how an honest float32 kernel may differ from another one.
struct Style {
  std::size_t strands = 1;      ///< Partial sums of a dot product: 1 is a plain loop, 16 a register.
  bool fused_multiply = false;  ///< a * b + c rounded once.
  std::size_t block = 0;        ///< Terms that are summed by themselves before they are added to the rest; 0: all.
  bool backwards = false;
};

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  zeros,
  copied_input,       ///< C is what A begins with.
  last_term_dropped,  ///< k < K - 1.
  tail_dropped,       ///< K rounded down to a multiple of 16.
  last_row_missing,
  last_column_missing,
  row_of_rest_wrong,   ///< Rows behind the last whole tile of 8 read the row before.
  not_transposed,      ///< Reads B as [K, N].
  first_row_for_all,   ///< Reads row 0 of A always.
  half_accumulator,    ///< Rounds the sum to 16 bits after each term.
  half_partial_sums,   ///< Adds two halves of K that were rounded to 16 bits.
  rounded_inputs,      ///< Inputs with three digits less.
  truncated_output,    ///< Cuts C instead of rounding it.
  rounded_twice,       ///< Rounds C to 16 bits, adds a rounding of half a step, as a scaled store would.
  flushed_subnormals,  ///< float16 inputs below 2^-14 are zero.
  absolute_values,     ///< |a| |b|.
  saturated_terms,     ///< Clamps each term at 64.
};

/// Test only: computes C of a trial in float32; `sums` gets it as it is before it is rounded to 16 bits.
void run_float32(OperatorTrial& trial, tensor::DType dtype, const Style& style, Mistake mistake = Mistake::none,
                 std::vector<float>* sums = nullptr);

}  // namespace assay::operators::gemm
