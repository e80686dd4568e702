#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// The inputs of one call, checked: every length and every page that a row reaches is in range.
struct Call {
  Dimensions dimensions;
  std::size_t rows = 0;
  std::size_t table_width = 0;  ///< Entries of the block table a row.
  std::size_t pages = 0;        ///< Of the cache.
  std::span<const std::byte> query;
  std::span<const std::byte> cache;
  std::vector<float> weights;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> table;

  [[nodiscard]] std::size_t length(std::size_t row) const { return static_cast<std::size_t>(lengths[row]); }
  /// How many tokens of this row are chosen.
  [[nodiscard]] std::size_t kept(std::size_t row) const { return std::min(length(row), dimensions.topk); }
  /// Whether this row has more tokens than are chosen: only then scores matter.
  [[nodiscard]] bool is_long(std::size_t row) const { return length(row) > dimensions.topk; }
  [[nodiscard]] std::int32_t page(std::size_t row, std::size_t entry) const { return table[row * table_width + entry]; }
  /// Global id of the token at a position of a row.
  [[nodiscard]] std::size_t token(std::size_t row, std::size_t position) const {
    return static_cast<std::size_t>(page(row, position / dimensions.page_size)) * dimensions.page_size +
           position % dimensions.page_size;
  }
};

/// Reads the inputs. Arguments that do not fit the definition are internal errors, as the caller checked the workload;
/// a length or a page that is out of range is an input error that names the element.
[[nodiscard]] base::Result<Call> read_call(const Dimensions& dimensions, const task::AxisValues& axes,
                                           std::span<const ConstArgument> inputs);

/// The same for arguments that a generator filled, which fit. The spans refer to the arguments' memory.
[[nodiscard]] Call read_arguments(const Dimensions& dimensions, std::span<const Argument> arguments);

}  // namespace assay::operators::dsa_topk_indexer
