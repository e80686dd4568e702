#pragma once

#include <cstdint>
#include <span>

#include <assay/base/random.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/gdn_prefill/pool.hpp>
#include <assay/operators/gdn_prefill/stress.hpp>

namespace assay::operators::gdn_prefill {

/// A run of tokens of one sequence, to be filled: [tokens, heads, head_size] and [tokens, value heads].
struct TokenContents {
  std::span<std::uint16_t> q;
  std::span<std::uint16_t> k;
  std::span<std::uint16_t> v;
  std::span<std::uint16_t> a;
  std::span<std::uint16_t> b;
};

/// Fills a run of tokens. What all runs of a sequence share (its few keys) is drawn from `sequence_stream`, so that
/// runs may be filled in any order.
void fill_tokens(const Dimensions& dimensions, const Pool& pool, const Recipe& recipe, std::uint64_t seed,
                 std::uint64_t sequence_stream, std::uint64_t run, const TokenContents& contents);

/// Fills the state of one head.
void fill_head_state(const Pool& pool, const Recipe& recipe, base::Philox& random, std::span<float> state);

/// Whether tokens of this recipe are cut from the pool as they are, so that they may be left to a plan.
[[nodiscard]] bool is_cut(const Recipe& recipe);
/// How many pieces of a plan a run of such tokens is.
[[nodiscard]] std::size_t piece_count(const Dimensions& dimensions, const TokenContents& contents);
/// The same bytes as `fill_tokens` and `fill_head_state` leave, for such a recipe, as so many pieces or left to a plan.
void compose_tokens(const Dimensions& dimensions, const Pool& pool, std::uint64_t seed, std::uint64_t sequence_stream,
                    std::uint64_t run, const TokenContents& contents, std::span<device::CopyPlan::Piece> pieces);
void compose_head_state(const Pool& pool, const Recipe& recipe, base::Philox& random, std::span<float> state,
                        device::CopyPlan& plan);

}  // namespace assay::operators::gdn_prefill
