#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Which side of zero a row's scores are on.
enum class Sign : std::uint8_t { positive, negative };

/// Scores of `count` tokens, of which the `topk` highest are to be chosen, in a random order. All have one sign.
///
/// The choice ends at a power of two: on its far side lie scores within 2^-12.5 of it, on its near side within 2^-11,
/// so that in half precision all of them are the same number. With an odd exponent, the first byte of the float32
/// number differs between the two sides. The rest is farther away, in the same and in other binades.
[[nodiscard]] std::vector<double> straddling_scores(std::size_t count, std::size_t topk, Sign sign, bool odd_exponent,
                                                    base::Philox& random);
/// A random number of tokens on both sides of the end of the choice score exactly the same; the first and the last
/// token are better.
[[nodiscard]] std::vector<double> tied_scores(std::size_t count, std::size_t topk, base::Philox& random);
/// The 64 scores on either side of the end of the choice form a ladder whose steps are twice what may be swapped.
[[nodiscard]] std::vector<double> ladder_scores(std::size_t count, std::size_t topk, base::Philox& random);
/// Whole pages are high or low, and some at random places have scores around the end of the choice.
[[nodiscard]] std::vector<double> mixed_scores(std::size_t count, std::size_t topk, std::size_t page_size,
                                               base::Philox& random);

/// Makes the row's scores what they are meant to be, to float32 precision: all of its keys become one random key, every
/// head of its query that key times a power of two, and scales do the rest. Nothing cancels, so that the slack is 2^-14
/// of the score itself.
void write_scores(const Call& call, std::size_t row, std::span<const double> scores, base::Philox& random,
                  std::span<Argument> arguments);

/// Gives all tokens of the row one scale, and keys whose products with every head of the query differ by multiples of
/// about 2.6e-4 of themselves, over eleven levels: only the sums of products tell them apart. All sums are exact in
/// float32, and so are they in the 13 bits behind the largest summand that the fp8 tensor cores of Hopper keep.
void write_levels(const Call& call, std::size_t row, base::Philox& random, std::span<Argument> arguments);

}  // namespace assay::operators::dsa_topk_indexer
