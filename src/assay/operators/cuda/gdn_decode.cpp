#include <cmath>

#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/makers.hpp>
#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/gdn_decode/operator.hpp>

namespace assay::operators::cuda {
namespace decode {  // Not unnamed alone: a unity build puts files together.
namespace {

using namespace operators::gdn_decode;
using device::cuda::DevicePointer;

class GdnDecode final : public DeviceReference {
 public:
  GdnDecode(device::cuda::Module module, device::cuda::abi::FunctionHandle kernel)
      : module_(std::move(module)), kernel_(kernel) {}

  [[nodiscard]] base::Result<std::vector<std::size_t>> expected_elements(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t batches, axis_value(axes, "batch_size"));
    const std::size_t heads = batches * kValueHeads;
    return std::vector<std::size_t>{heads * kHeadSize, heads * kStateSize};
  }

  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& /*axes*/) const override { return 0; }

  [[nodiscard]] base::Result<void> enqueue(const task::AxisValues& axes, std::span<const DeviceArgument> inputs,
                                           std::span<const DevicePointer> expected, DevicePointer /*scratch*/,
                                           const device::cuda::Stream& stream) const override {
    using enum tensor::DType;
    constexpr unsigned kThreads = 256;
    constexpr std::size_t kRowsABlock = kThreads / 32;
    ASSAY_TRY(check_counts(instance().definition_name(), inputs, kInputCount, expected, kOutputCount));
    ASSAY_TRY_ASSIGN(const std::size_t batches, axis_value(axes, "batch_size"));
    const std::size_t heads = batches * kValueHeads;
    const std::size_t queries = batches * kQueryHeads * kHeadSize;
    ASSAY_TRY_ASSIGN(const DevicePointer q, device_address(inputs, kQ, "q", bfloat16, queries));
    ASSAY_TRY_ASSIGN(const DevicePointer k, device_address(inputs, kK, "k", bfloat16, queries));
    ASSAY_TRY_ASSIGN(const DevicePointer v, device_address(inputs, kV, "v", bfloat16, heads * kHeadSize));
    ASSAY_TRY_ASSIGN(const DevicePointer state, device_address(inputs, kState, "state", float32, heads * kStateSize));
    ASSAY_TRY_ASSIGN(const DevicePointer a_log, device_address(inputs, kALog, "A_log", float32, kValueHeads));
    ASSAY_TRY_ASSIGN(const DevicePointer a, device_address(inputs, kA, "a", bfloat16, heads));
    ASSAY_TRY_ASSIGN(const DevicePointer dt_bias, device_address(inputs, kDtBias, "dt_bias", float32, kValueHeads));
    ASSAY_TRY_ASSIGN(const DevicePointer b, device_address(inputs, kB, "b", bfloat16, heads));
    ASSAY_TRY_ASSIGN(double scale, device_scalar(inputs, kScale, "scale"));
    scale = scale == 0 ? 1.0 / std::sqrt(static_cast<double>(kHeadSize)) : scale;
    const std::uint64_t rows = heads * kHeadSize;
    ASSAY_TRY_ASSIGN(const unsigned blocks, blocks_for(rows, kRowsABlock));
    return device::cuda::launch(kernel_, {{blocks, 1, 1}, {kThreads, 1, 1}, 0}, stream, q, k, v, state, a_log, a,
                                dt_bias, b, scale, rows, expected[kOutput], expected[kNewState]);
  }

 private:
  device::cuda::Module module_;
  device::cuda::abi::FunctionHandle kernel_;
};

Made make(std::string_view definition_name) {
  if (definition_name != instance().definition_name()) {
    return nullptr;
  }
  ASSAY_TRY_ASSIGN(auto module, device::cuda::load_device_code("gdn_decode", device::cuda::code::gdn_decode()));
  ASSAY_TRY_ASSIGN(const auto kernel, module.function("assay_gdn_decode"));
  return std::make_unique<GdnDecode>(std::move(module), kernel);
}

}  // namespace
}  // namespace decode

Made make_gdn_decode(std::string_view definition_name) { return decode::make(definition_name); }

}  // namespace assay::operators::cuda
