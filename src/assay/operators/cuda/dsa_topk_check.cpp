#include <assay/operators/cuda/dsa_topk_check.hpp>

#include <fmt/format.h>
#include <cstring>

#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/dsa_topk_layout.hpp>

namespace assay::operators::cuda {
namespace topk_check {  // Not unnamed alone: a unity build puts files together.
namespace {

using device::cuda::DevicePointer;
using dsa_topk_indexer::Dimensions;

constexpr unsigned kThreads = 1024;
constexpr std::size_t kResultBytes = 256;  // Ahead of the rows' bits.

std::size_t words_of(const TopkCall& call) { return (call.capacity() + 31) / 32; }

std::string describe(const TopkCheckResult& result) {
  std::string what;
  const auto add = [&](std::uint32_t doubt, std::string_view words) {
    if ((result.doubts & doubt) != 0) {
      what += what.empty() ? "" : ", ";
      what += words;
    }
  };
  add(TopkDoubt::kInput, "lengths or pages out of range");
  add(TopkDoubt::kToken, "ids that a row does not reach");
  add(TopkDoubt::kTwice, "tokens chosen twice");
  add(TopkDoubt::kCount, "too few tokens");
  add(TopkDoubt::kMargin, "tokens chosen that may be worse than others left out");
  return fmt::format("{} rows, the first of them row {}: {}", result.doubtful_rows, result.first_row, what);
}

class TopkCheck final : public DeviceCheck {
 public:
  TopkCheck(const Dimensions& dimensions, device::cuda::Module module, device::cuda::abi::FunctionHandle check)
      : dimensions_(dimensions), module_(std::move(module)), check_(check) {}

  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const TopkCall call, topk_sizes(dimensions_, axes));
    return kResultBytes + call.rows * words_of(call) * sizeof(std::uint32_t);
  }

  [[nodiscard]] base::Result<void> enqueue(const DeviceCheckInput& input, device::cuda::TrustedKernels& kernels,
                                           const device::cuda::Stream& stream,
                                           std::span<std::byte> result) const override {
    using namespace dsa_topk_indexer;
    ASSAY_TRY(check_counts("dsa_topk_indexer", input.inputs, kInputCount, input.expected, kExpectedCount));
    ASSAY_TRY_ASSIGN(const TopkCall call, topk_call(dimensions_, input.axes, input.inputs));
    if (input.outputs.size() != 1 || input.outputs[0].dtype != tensor::DType::int32 ||
        tensor::element_count(input.outputs[0].shape) != std::size_t{call.rows} * call.topk) {
      return base::internal_error("operator.arguments",
                                  fmt::format("topk_indices must be {} times {} of int32", call.rows, call.topk));
    }
    static constexpr TopkCheckResult kNothingYet;
    ASSAY_TRY(device::cuda::copy_to_device(input.scratch, std::as_bytes(std::span(&kNothingYet, 1)), stream));
    ASSAY_TRY(device::cuda::launch(check_, {{call.rows, 1, 1}, {kThreads, 1, 1}, 0}, stream, call,
                                   input.outputs[0].address, input.expected[kScores], input.expected[kSlacks],
                                   DevicePointer{input.scratch + kResultBytes}, input.scratch));
    return kernels.enqueue_bring(result.first(sizeof(TopkCheckResult)), input.scratch, stream);
  }

  [[nodiscard]] DeviceVerdict read(std::span<const DeviceTensor> /*outputs*/,
                                   std::span<const std::byte> bytes) const override {
    TopkCheckResult result;
    std::memcpy(&result, bytes.data(), sizeof result);
    const bool right = result.doubtful_rows == 0;
    return {right, right ? "" : describe(result)};
  }

 private:
  Dimensions dimensions_;
  device::cuda::Module module_;
  device::cuda::abi::FunctionHandle check_;
};

}  // namespace
}  // namespace topk_check

base::Result<std::unique_ptr<DeviceCheck>> make_topk_check(std::string_view definition_name) {
  const auto dimensions = topk_dimensions(definition_name);
  if (!dimensions) {
    return nullptr;
  }
  ASSAY_TRY_ASSIGN(auto module,
                   device::cuda::load_device_code("dsa_topk_indexer", device::cuda::code::dsa_topk_indexer()));
  ASSAY_TRY_ASSIGN(const auto check, module.function("assay_topk_check"));
  return std::make_unique<topk_check::TopkCheck>(*dimensions, std::move(module), check);
}

}  // namespace assay::operators::cuda
