#include <assay/operators/cuda/gdn_prefill_check.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>

#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/gdn_prefill/comparison.hpp>
#include <assay/operators/gdn_prefill/operator.hpp>

namespace assay::operators::cuda {
namespace prefill_check {  // Not unnamed alone: a unity build puts files together.
namespace {

using namespace operators::gdn_prefill;
using device::cuda::DevicePointer;

constexpr unsigned kThreads = 128;         // As gdn_prefill.cu has it.
constexpr std::size_t kMostBlocks = 4096;  // The kernel goes on where the grid ends.

class PrefillCheck final : public DeviceCheck {
 public:
  PrefillCheck(const Dimensions& dimensions, device::cuda::Module module, device::cuda::abi::FunctionHandle check)
      : dimensions_(dimensions), module_(std::move(module)), check_(check) {}

  /// A count an output.
  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& /*axes*/) const override {
    return kOutputCount * sizeof(std::uint64_t);
  }

  [[nodiscard]] base::Result<void> enqueue(const DeviceCheckInput& call, device::cuda::TrustedKernels& kernels,
                                           const device::cuda::Stream& stream,
                                           std::span<std::byte> result) const override {
    ASSAY_TRY(check_counts("gdn_prefill", call.inputs, kInputCount, call.expected, kKeptCount));
    if (call.outputs.size() != kOutputCount || call.outputs[kOutput].dtype != tensor::DType::bfloat16 ||
        call.outputs[kNewState].dtype != tensor::DType::float32) {
      return base::internal_error("operator.arguments", "output must be bfloat16 and new_state float32");
    }
    static constexpr Counts kNothingYet{};
    ASSAY_TRY(device::cuda::copy_to_device(call.scratch, std::as_bytes(std::span(kNothingYet)), stream));
    for (const Output output : {kOutput, kNewState}) {
      ASSAY_TRY(enqueue_output(call, output, stream));
    }
    return kernels.enqueue_bring(result.first(sizeof(Counts)), call.scratch, stream);
  }

  [[nodiscard]] DeviceVerdict read(std::span<const DeviceTensor> /*outputs*/,
                                   std::span<const std::byte> result) const override {
    Counts doubtful{};
    std::memcpy(doubtful.data(), result.data(), sizeof doubtful);
    if (doubtful[kOutput] == 0 && doubtful[kNewState] == 0) {
      return {true, ""};
    }
    return {false,
            fmt::format("{} blocks of output and {} of new_state may be off", doubtful[kOutput], doubtful[kNewState])};
  }

 private:
  using Counts = std::array<std::uint64_t, kOutputCount>;  ///< Of blocks that may be off.

  base::Result<void> enqueue_output(const DeviceCheckInput& call, Output output,
                                    const device::cuda::Stream& stream) const {
    const DeviceTensor& tensor = call.outputs[output];
    const Tolerance tolerance = tolerance_of(dimensions_, output);
    const std::size_t elements = tensor::element_count(tensor.shape);
    if (elements % tolerance.block != 0) {
      return base::internal_error(
          "operator.arguments",
          fmt::format("{} elements of an output are no whole number of blocks of {}", elements, tolerance.block));
    }
    const std::uint64_t blocks = elements / tolerance.block;
    if (blocks == 0) {
      return {};
    }
    // The reference keeps an error for each element of output, and for each row of new_state.
    const std::uint64_t run = output == kOutput ? 1 : dimensions_.head_size;
    const auto grid = static_cast<unsigned>(std::min<std::size_t>(blocks, kMostBlocks));
    const std::uint32_t is_bfloat16 = tensor.dtype == tensor::DType::bfloat16 ? 1 : 0;
    return device::cuda::launch(check_, {{grid, 1, 1}, {kThreads, 1, 1}, 0}, stream, tensor.address, is_bfloat16,
                                call.expected[output], call.expected[tolerance.errors], blocks,
                                std::uint64_t{tolerance.block}, run, tolerance.most.element, tolerance.most.norm,
                                DevicePointer{call.scratch + output * sizeof(std::uint64_t)});
  }

  Dimensions dimensions_;
  device::cuda::Module module_;
  device::cuda::abi::FunctionHandle check_;
};

}  // namespace
}  // namespace prefill_check

base::Result<std::unique_ptr<DeviceCheck>> make_prefill_check(std::string_view definition_name) {
  using namespace operators::gdn_prefill;
  const bool small = definition_name == small_instance().definition_name();
  if (!small && definition_name != contest_instance().definition_name()) {
    return nullptr;
  }
  ASSAY_TRY_ASSIGN(auto module, device::cuda::load_device_code("gdn_prefill", device::cuda::code::gdn_prefill()));
  ASSAY_TRY_ASSIGN(const auto check, module.function("assay_gdn_prefill_check"));
  return std::make_unique<prefill_check::PrefillCheck>(small ? kSmallDimensions : kContestDimensions, std::move(module),
                                                       check);
}

}  // namespace assay::operators::cuda
