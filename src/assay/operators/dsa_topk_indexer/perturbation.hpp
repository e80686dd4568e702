#pragma once

#include <cstdint>
#include <span>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Changes one element of one argument so that the answer to the old contents is surely wrong. `which` goes round the
/// five arguments; in a call without a row longer than topk, whose answer does not depend on scores, round seq_lens and
/// block_table. q, k and weights are changed so that the best token that was left out of a row overtakes the worst that
/// was chosen.
void perturb_arguments(const Dimensions& dimensions, std::uint64_t which, base::Philox& random,
                       std::span<Argument> arguments);

}  // namespace assay::operators::dsa_topk_indexer
