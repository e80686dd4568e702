#pragma once

#include <memory>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_check.hpp>
#include <assay/operators/cuda/device_reference.hpp>

namespace assay::operators::cuda {

/// The top-k indexer. Its expected arrays are those of dsa_topk_indexer::Expected, laid out by what the axes allow rather
/// than by the lengths, which lie on the device:
///  - kIndices: none. Which tokens are right is a set that need not be unique; what the check needs are scores;
///  - kScores and kSlacks: batch_size rows of max_num_pages * page_size each, the values that the CPU's reference leaves
///    (bit by bit where its compiler does not fuse products and sums); NaN and infinity behind a row's end and in rows of
///    at most topk tokens.
/// A length or a page that is out of range is no error here: the check is in doubt, and the CPU's reference names it.
[[nodiscard]] base::Result<std::unique_ptr<DeviceReference>> make_topk_reference(std::string_view definition_name);

/// Holds ids against those scores as dsa_topk_indexer::compare_sets does; nullptr if the definition is another's.
[[nodiscard]] base::Result<std::unique_ptr<DeviceCheck>> make_topk_check(std::string_view definition_name);

}  // namespace assay::operators::cuda
