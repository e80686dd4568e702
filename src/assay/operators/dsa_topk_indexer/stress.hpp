#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Kinds of stress, in an order that never changes.
enum class Stress : std::uint8_t {
  power_of_two_straddle,
  boundary_ties,
  near_ties,
  length_edges,
  many_long_rows,
  repeated_pages,
  mixed_blocks,
  all_negative,
  wide_range,
  short_rows,
};

inline constexpr std::array<StressKind, 10> kStressKinds = {{
    {"power_of_two_straddle",
     "scores just below and just above a power of two, which round to one half-precision number but differ in the "
     "exponent: the choice ends between them"},
    {"boundary_ties",
     "equal scores on both sides of where the choice ends, or in the whole row: any of them may be "
     "chosen, but as many as there are places, and nothing worse"},
    {"near_ties",
     "scores near the end of the choice that differ by a little more than an honest kernel errs, by their "
     "scales or by the bits of their keys: less precision confuses them"},
    {"length_edges", "rows of topk - 1, topk and topk + 1 tokens, and one more and one less than whole pages"},
    {"many_long_rows", "several rows that are longer than topk, of different lengths"},
    {"repeated_pages", "rows that share pages in other orders, and a page that one row has more than once"},
    {"mixed_blocks",
     "pages of scores that are all high or all low, and at random places pages of scores that are close "
     "to where the choice ends: a threshold guessed from some blocks is wrong for others"},
    {"all_negative", "rows whose scores are all negative"},
    {"wide_range", "scales from denormal numbers to 2^96, and zero"},
    {"short_rows", "rows of no token, one token and any number up to topk: all are chosen, the rest is -1"},
}};

[[nodiscard]] StressTrial make_stress_trial(const Dimensions& dimensions, std::uint64_t seed, std::uint64_t index,
                                            std::uint64_t largest_bytes);

/// Turns official contents into those of a kind: writes over the query, keys, scales and weights of long rows. Each row
/// must have pages of its own where the kind needs that.
void craft_contents(const Dimensions& dimensions, Stress stress, base::Philox& random, std::span<Argument> arguments);

}  // namespace assay::operators::dsa_topk_indexer
