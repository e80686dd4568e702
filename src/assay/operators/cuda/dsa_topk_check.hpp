#pragma once

#include <memory>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_check.hpp>

namespace assay::operators::cuda {

/// Holds ids against the scores of make_dsa_topk_indexer's reference as dsa_topk_indexer::compare_sets does, with a
/// millionth less slack; nullptr if the definition is another's.
[[nodiscard]] base::Result<std::unique_ptr<DeviceCheck>> make_topk_check(std::string_view definition_name);

}  // namespace assay::operators::cuda
