#pragma once

#include <assay/device/cuda/device_code.hpp>
#include <assay/operators/cuda/device_reference.hpp>

/// The images that the build makes of this layer's .cu files: one function a file, of its name.
namespace assay::device::cuda::code {

DeviceCode dsa_sparse_attention();
DeviceCode dsa_topk_indexer();
DeviceCode gdn_decode();
DeviceCode gdn_prefill();
DeviceCode moe_fp8_block_scale();

}  // namespace assay::device::cuda::code

namespace assay::operators::cuda {

/// Returns the address of a tensor argument. An argument that is none, or not of this type and this many elements, is an
/// internal error. `name` is the argument's, for the message.
[[nodiscard]] base::Result<device::cuda::DevicePointer> device_address(std::span<const DeviceArgument> inputs,
                                                                       std::size_t position, std::string_view name,
                                                                       tensor::DType dtype, std::size_t elements);

/// Returns a scalar argument as a double.
[[nodiscard]] base::Result<double> device_scalar(std::span<const DeviceArgument> inputs, std::size_t position,
                                                 std::string_view name);

/// Refuses any other number of inputs or arrays, as an internal error.
[[nodiscard]] base::Result<void> check_counts(std::string_view definition, std::span<const DeviceArgument> inputs,
                                              std::size_t input_count,
                                              std::span<const device::cuda::DevicePointer> expected,
                                              std::size_t expected_count);

/// Blocks of `size` that hold `count`; a launch has at least one. More than a grid can have is an internal error.
[[nodiscard]] base::Result<unsigned> blocks_for(std::size_t count, std::size_t size);

}  // namespace assay::operators::cuda
