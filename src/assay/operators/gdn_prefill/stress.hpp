#pragma once

#include <array>
#include <cstdint>

#include <assay/base/random.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_prefill {

/// Kinds of stress, in an order that never changes.
inline constexpr std::array<StressKind, 13> kStressKinds = {{
    {"empty_and_single", "sequences of 0 and 1 tokens: an empty one leaves zeros, and its neighbours must not shift"},
    {"tile_edges", "lengths one less than, just, and one more than a tile of 16, 32, 64 or 128"},
    {"one_long", "one long sequence among short and empty ones"},
    {"remembering", "gates near 1 and betas near 0: what was given must be carried over many chunks in float32"},
    {"repeated_keys", "one to three keys a head, again and again: a value must replace the one before it"},
    {"forgetting", "gates near 0: nothing of the state before may be left, and no ratio of decays may overflow"},
    {"extreme_beta", "betas within 0.3 % of 0 or 1"},
    {"long_chain", "correlated keys and gates near 1 along a sequence as long as fits: errors add up"},
    {"large_state", "states of 8 N(0, 1) at the start: outputs of order 1"},
    {"mixed", "sequences of all other kinds beside each other, of magnitudes from 2^-16 to 2^8"},
    {"many_sequences", "as many sequences as fit, of 0 to 5 tokens"},
    {"zero_keys", "runs of tokens whose key is zero: they write nothing, but the state decays"},
    {"tiny_values", "values and states of 2^-100 with denormals among them"},
}};

/// How the contents of one sequence are drawn.
struct Recipe {
  enum class State : std::uint8_t { usual, zero, sparse };
  struct Range {
    double low = 0;
    double high = 0;
  };
  bool usual_a = true;  ///< N(0, 1); otherwise uniform in `a`.
  Range a;
  bool usual_b = true;  ///< N(0, 1); otherwise uniform in `b`, with either sign if `b_of_either_sign`.
  Range b;
  bool b_of_either_sign = false;
  std::uint64_t distinct_keys = 0;  ///< A head's keys are drawn from so many; 0: each token has its own.
  double key_correlation = 0;       ///< Cosine between keys of a head, about.
  double zero_keys = 0;             ///< Share of tokens, in runs of about 8, whose key is zero.
  double denormals = 0;             ///< Share of elements of v and the state that are denormal.
  double value_factor = 1;
  double state_factor = 0.1;
  State state = State::usual;
  bool one_head_keeps = false;  ///< One value head has gates near 1 and betas near 0, whatever the others have.
};

/// Draws the recipe of one sequence of a trial of this kind.
[[nodiscard]] Recipe draw_recipe(std::size_t kind, base::Philox& random);

[[nodiscard]] StressTrial make_stress_trial(const Dimensions& dimensions, std::string_view definition,
                                            std::uint64_t seed, std::uint64_t index, std::uint64_t largest_bytes);

}  // namespace assay::operators::gdn_prefill
