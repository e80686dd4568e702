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

}  // namespace assay::operators::gdn_prefill
