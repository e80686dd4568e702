#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/dsa_topk_layout.hpp>
#include <assay/operators/cuda/makers.hpp>

namespace assay::operators::cuda {
namespace topk_reference {  // Not unnamed alone: a unity build puts files together.
namespace {

using device::cuda::DevicePointer;
using dsa_topk_indexer::Dimensions;

constexpr unsigned kRowThreads = 64;     // A head each, at the contest's size.
constexpr unsigned kScoreThreads = 256;  // As the kernels have it, …
constexpr std::size_t kTile = 64;        // … and the tokens that they take.

class TopkReference final : public DeviceReference {
 public:
  TopkReference(const Dimensions& dimensions, device::cuda::Module module, device::cuda::abi::FunctionHandle rows,
                device::cuda::abi::FunctionHandle scores)
      : dimensions_(dimensions), module_(std::move(module)), rows_(rows), scores_(scores) {}

  [[nodiscard]] base::Result<std::vector<std::size_t>> expected_elements(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const TopkCall call, topk_sizes(dimensions_, axes));
    const std::size_t scores = call.rows * call.capacity();
    return std::vector<std::size_t>{0, scores, scores};
  }

  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const TopkCall call, topk_sizes(dimensions_, axes));
    return call.rows * sizeof(TopkRow);
  }

  [[nodiscard]] base::Result<void> enqueue(const task::AxisValues& axes, std::span<const DeviceArgument> inputs,
                                           std::span<const DevicePointer> expected, DevicePointer scratch,
                                           const device::cuda::Stream& stream) const override {
    using namespace dsa_topk_indexer;
    ASSAY_TRY(check_counts("dsa_topk_indexer", inputs, kInputCount, expected, kExpectedCount));
    ASSAY_TRY_ASSIGN(const TopkCall call, topk_call(dimensions_, axes, inputs));
    ASSAY_TRY_ASSIGN(const unsigned tiles, blocks_for(call.capacity(), kTile));
    const auto shared = static_cast<unsigned>(2 * call.heads * sizeof(double));
    ASSAY_TRY(device::cuda::launch(rows_, {{call.rows, 1, 1}, {kRowThreads, 1, 1}, shared}, stream, call, scratch));
    return device::cuda::launch(scores_, {{tiles, call.rows, 1}, {kScoreThreads, 1, 1}, 0}, stream, call, scratch,
                                expected[kScores], expected[kSlacks]);
  }

 private:
  Dimensions dimensions_;
  device::cuda::Module module_;
  device::cuda::abi::FunctionHandle rows_;
  device::cuda::abi::FunctionHandle scores_;
};

}  // namespace
}  // namespace topk_reference

Made make_dsa_topk_indexer(std::string_view definition_name) {
  const auto dimensions = topk_dimensions(definition_name);
  if (!dimensions) {
    return nullptr;
  }
  ASSAY_TRY_ASSIGN(auto module,
                   device::cuda::load_device_code("dsa_topk_indexer", device::cuda::code::dsa_topk_indexer()));
  ASSAY_TRY_ASSIGN(const auto rows, module.function("assay_topk_rows"));
  ASSAY_TRY_ASSIGN(const auto scores, module.function("assay_topk_scores"));
  return std::make_unique<topk_reference::TopkReference>(*dimensions, std::move(module), rows, scores);
}

}  // namespace assay::operators::cuda
