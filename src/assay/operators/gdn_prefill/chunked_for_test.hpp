#pragma once

#include <cstdint>
#include <vector>

#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::gdn_prefill {

/// Test only: how an honest kernel may differ from another one.
struct Style {
  enum class Operand : std::uint8_t { as_is, tfloat32, bfloat16 };
  enum class Gate : std::uint8_t { log1p, log_of_sum, base_two };
  std::size_t chunk = 64;            ///< Tokens that are taken at once; 1 is the recurrence.
  Operand operand = Operand::as_is;  ///< What the factors of matrix products are rounded to.
  bool inverse = false;              ///< (I + A)^-1 as a matrix, with U and W from it; otherwise forward substitution.
  std::size_t strands = 1;           ///< Partial sums of a dot product.
  Gate gate = Gate::log1p;
};

/// Test only: what a kernel may get wrong.
enum class Mistake : std::uint8_t {
  none,
  zeros,
  copied_state,        ///< new_state is the old state.
  state_not_reset,     ///< A sequence goes on from the state of the one before.
  state_ignored,       ///< Every sequence starts from zeros.
  shifted_sequences,   ///< Each boundary between sequences is one token late.
  empty_copies_state,  ///< new_state of an empty sequence is the state that was given.
  wrong_slot,          ///< new_state of sequence i is stored at i + 1.
  stale_new_state,     ///< new_state lacks the last chunk.
  last_token_skipped,  ///< The last token of a sequence is not written to the state.
  tail_dropped,        ///< What is left behind whole chunks is not processed: outputs 0.
  no_beta,
  no_decay,
  no_softplus,
  no_dt_bias,
  next_head_gates,       ///< a and b of the next value head.
  decay_after_update,    ///< S' = g (S + beta (v - S k) k^T).
  undecayed_prediction,  ///< S' = g S + beta (v - S k) k^T.
  late_gates,            ///< The sum of gates within a chunk lacks the token's own.
  no_inner_decay,        ///< q k^T of a chunk is not weighted with the decay between the two tokens.
  no_boundary_decay,     ///< The state does not decay from chunk to chunk.
  first_order_inverse,   ///< I - A in place of (I + A)^-1.
  output_of_old_state,   ///< o = scale g S q.
  no_scale,
  scale_twice,
  scale_zero_is_zero,  ///< A scale of 0 is not taken for the usual one.
  wrong_query_heads,   ///< h % query heads.
  transposed_state,    ///< Reads and writes [K, V].
  bfloat16_state,      ///< The state is rounded to bfloat16 after each chunk.
  bfloat16_gates,      ///< Sums of gates, and betas, are rounded to bfloat16.
  float8_output,       ///< output rounded to e4m3 (scaled so that it does not underflow).
  last_row_missing,    ///< The last row of every state is left.
};

template <class Real>
struct Results {
  std::vector<Real> output;     ///< [token, value head, value dimension]
  std::vector<Real> new_state;  ///< [sequence, value head, value dimension, key dimension]
};

/// Test only: computes both outputs by chunks (the UT transform of the WY representation; Yang et al., "Parallelizing
/// linear transformers with the delta rule over sequence length", and "Gated delta networks"), in float as kernels do,
/// or in double as a second reference. With gates summed up to G within a chunk:
///   A_ij = beta_i (k_i . k_j) exp(G_i - G_j), j < i;   X = (I + A)^-1 beta (V - exp(G) K S^T)
///   O = scale (exp(G) Q S^T + [(q_i . k_j) exp(G_i - G_j), j <= i] X)
///   S' = exp(G_C) S + X^T (exp(G_C - G) K)
template <class Real>
[[nodiscard]] Results<Real> run_chunked(OperatorTrial& trial, const Dimensions& dimensions, const Style& style,
                                        Mistake mistake = Mistake::none);

/// Test only: runs in float, and leaves the outputs in the trial.
void run_float32(OperatorTrial& trial, const Dimensions& dimensions, const Style& style,
                 Mistake mistake = Mistake::none);

}  // namespace assay::operators::gdn_prefill
