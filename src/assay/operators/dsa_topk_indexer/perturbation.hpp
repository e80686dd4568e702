#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Writes contents into a page of the cache.
using FillPage = std::function<void(std::size_t page)>;

/// Changes one element of one argument so that the answer to the old contents is surely wrong. `which` goes round the
/// five arguments; in a call without a row longer than topk, whose answer does not depend on scores, round seq_lens and
/// block_table. q, k and weights are changed so that the best token that was left out of a row overtakes the worst that
/// was chosen. A row that gets a page that no row had has it filled first.
void perturb_arguments(const Dimensions& dimensions, std::uint64_t which, base::Philox& random,
                       const FillPage& fill_page, std::span<Argument> arguments);

}  // namespace assay::operators::dsa_topk_indexer
