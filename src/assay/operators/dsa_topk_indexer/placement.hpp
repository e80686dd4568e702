#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Returns the tokens of each row: the workload's own lengths where the dataset knows them, else drawn from its uuid
/// alone as the contest's are: one row, the longest, ends on the last page of the table and alone is longer than topk
/// if the table is wide enough; the others follow the quantiles of the contest's; in two workloads of five some of the
/// last rows are padding of one token.
[[nodiscard]] std::vector<std::int32_t> row_lengths(const Dimensions& dimensions, const task::Workload& workload);

/// Where the rows of one call lie.
struct Placement {
  std::vector<std::int32_t> table;  ///< [rows, width]
  std::vector<std::int32_t> pages;  ///< Those that the table names, each once, in ascending order.
};

/// How a serving engine hands out pages: page 0 is reserved, and rows of padding (one token, at the end) have it; each
/// other row has a run of consecutive pages, but for its last ones, up to two, that came while decoding, from a counter
/// that all rows share. Entries beyond a row's end are valid pages: mostly 0, some are those of other rows. How many of
/// the pages are whose follows from the uuid; the order of the runs and where they begin, which is one of 16
/// neighbouring places, from `call` too, so that ids differ from call to call though all calls use nearly the same
/// pages. Where the cache is too small for all rows, rows share pages.
[[nodiscard]] Placement place_rows(const Dimensions& dimensions, const task::Workload& workload,
                                   std::span<const std::int32_t> lengths, std::uint64_t seed, std::uint64_t call);

/// Rows whose pages are drawn from few: rows share pages, in different orders, and a row may have a page twice.
[[nodiscard]] Placement share_pages(const Dimensions& dimensions, const task::Workload& workload,
                                    std::span<const std::int32_t> lengths, base::Philox& random);

/// Brings elements into a random order.
template <class T>
void shuffle(std::span<T> elements, base::Philox& random) {
  for (std::size_t i = elements.size(); i > 1; --i) {
    std::swap(elements[i - 1], elements[random.next_below(i)]);
  }
}

}  // namespace assay::operators::dsa_topk_indexer
