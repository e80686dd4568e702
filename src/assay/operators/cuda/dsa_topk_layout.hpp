#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_reference.hpp>
#include <assay/operators/cuda/dsa_topk_call.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::cuda {

/// The constant axes of a definition of the top-k indexer; nullopt if the name is another's.
[[nodiscard]] std::optional<dsa_topk_indexer::Dimensions> topk_dimensions(std::string_view definition_name);

/// Sizes of a call, without addresses.
[[nodiscard]] base::Result<TopkCall> topk_sizes(const dsa_topk_indexer::Dimensions& dimensions,
                                                const task::AxisValues& axes);

/// A call with the addresses of its inputs.
[[nodiscard]] base::Result<TopkCall> topk_call(const dsa_topk_indexer::Dimensions& dimensions,
                                               const task::AxisValues& axes, std::span<const DeviceArgument> inputs);

}  // namespace assay::operators::cuda
