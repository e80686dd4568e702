#pragma once

#include <memory>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_reference.hpp>

namespace assay::operators::cuda {

/// Sparse attention. Expected: output and lse, as dsa_sparse_attention::compute_reference leaves them, but for the order
/// of float64 sums. An index that is neither -1 nor a token makes its row NaN: the CPU's reference names it. Scratch holds
/// a double for each slot of each head. nullptr if the definition is another's.
[[nodiscard]] base::Result<std::unique_ptr<DeviceReference>> make_sparse_attention_reference(
    std::string_view definition_name);

}  // namespace assay::operators::cuda
