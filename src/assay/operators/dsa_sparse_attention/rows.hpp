#pragma once

#include <cstddef>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Returns how many tokens the sequence of each row has; a row refers to all of them, or to topk of more. The workload's
/// `lengths` if it has them, where topk itself stands for up to 1.3 as many; else log-uniform from 1 to 1.3 topk, as
/// those of the contest are spread. Depends on the uuid alone. Lengths of another number than the rows are a bug.
[[nodiscard]] std::vector<std::size_t> sequence_lengths(const Dimensions& dimensions, const task::Workload& workload);

/// Fills sparse_indices as an indexer in use leaves it. Each sequence owns a run of pages behind page 0; in one of
/// sixteen that have more than one page, the last page lies one further on. A row of up to topk tokens lists them in
/// order, and -1 behind them; of a longer one it lists topk, in any order: most next to each other, and no gap longer
/// than 6 unless the sequence is more than twice as long. Where the runs lie changes from call to call, within twice the pages they need: the rest of the
/// caches stays untouched. Sequences share pages only where there are too few.
void fill_indices(const CallView& call, const std::vector<std::size_t>& lengths, base::Philox& random);

/// Returns `count` different numbers below `bound`, in any order; count <= bound.
[[nodiscard]] std::vector<std::size_t> draw_distinct(base::Philox& random, std::size_t count, std::size_t bound);

template <class T>
void shuffle(base::Philox& random, std::vector<T>& values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.next_below(i)]);
  }
}

}  // namespace assay::operators::dsa_sparse_attention
