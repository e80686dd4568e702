#pragma once

#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/given_inputs.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Returns the tokens of each row: given ones, or row_lengths.
[[nodiscard]] std::vector<std::int32_t> given_lengths(const Dimensions& dimensions, const task::Workload& workload,
                                                      std::span<const std::byte> seq_lens);

/// Places rows by a given block table, all of whose pages are moved on by `turn`, from the last to the first.
[[nodiscard]] Placement given_placement(const task::Workload& workload, std::span<const std::byte> table,
                                        std::size_t turn);

/// Refuses given lengths that the table is too narrow for, and pages of rows that are not in the cache. Empty spans are
/// not given. The message names the element.
[[nodiscard]] base::Result<void> check_given_rows(const Dimensions& dimensions, const task::Workload& workload,
                                                  std::span<const std::byte> seq_lens,
                                                  std::span<const std::byte> block_table);

}  // namespace assay::operators::dsa_topk_indexer
