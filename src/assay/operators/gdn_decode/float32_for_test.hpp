#pragma once

#include <cstdint>

#include <assay/operators/gdn_decode/trial_for_test.hpp>

namespace assay::operators::gdn_decode {

/// Test only: how an honest float32 kernel may differ from another one.
struct Style {
  std::size_t strands = 1;      ///< Partial sums of a dot product: 1 is a plain loop, 16 an AVX-512 register.
  bool fused_multiply = false;  ///< a * b + c rounded once.
  bool products_first = false;  ///< S' q = g (S q) + delta (k . q), with both products taken from the old state.
  enum class Gate : std::uint8_t { log1p, log_of_sum, base_two } gate = Gate::log1p;
};

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  zeros,
  copied_state,  ///< new_state is the old state.
  no_beta,
  no_decay,
  no_softplus,
  no_dt_bias,
  decay_after_update,    ///< S' = g (S + beta (v - S k) k^T).
  undecayed_prediction,  ///< S' = g S + beta (v - S k) k^T.
  wrong_query_heads,     ///< h % 4 in place of h / 2.
  transposed_state,      ///< Reads and writes [K, V].
  output_of_old_state,   ///< o = scale g S q.
  no_scale,
  scale_twice,
  normalised_keys,   ///< Divides q and k by their norms once more.
  next_batch_gates,  ///< a and b of another batch entry.
  bfloat16_state,    ///< new_state rounded to bfloat16.
  float16_state,
  bfloat16_gate,     ///< g and beta rounded to bfloat16.
  bfloat16_delta,    ///< beta (v - g S k) rounded to bfloat16.
  float8_output,     ///< output rounded to e4m3 (scaled so that it does not underflow).
  last_row_missing,  ///< Row 127 of every state is left.
};

/// Test only: computes both outputs of a trial in float32.
void run_float32(Trial& trial, const Style& style, Mistake mistake = Mistake::none);

}  // namespace assay::operators::gdn_decode
