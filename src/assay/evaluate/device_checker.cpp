#include <assay/evaluate/device_checker.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include <assay/evaluate/device_block.hpp>
#include <assay/evaluate/device_outputs.hpp>
#include <assay/evaluate/host_checker.hpp>

namespace assay::evaluate {

namespace {

class DeviceChecker final : public CallChecker {
 public:
  DeviceChecker(std::unique_ptr<DeviceBlock> block, const operators::Operator& op)
      : block_(std::move(block)), host_(op) {}

  [[nodiscard]] std::string_view name() const override { return "gpu, cpu on doubt"; }

  base::Result<void> reserve(std::span<const BlockSize> blocks) override {
    for (const BlockSize& block : blocks) {
      largest_outputs_ = std::max(largest_outputs_, block.outputs_bytes);
    }
    return block_->reserve(blocks);
  }

  base::Result<void> begin(const BlockInputs& inputs, const BlockQuestions& questions) override {
    host_.adopt(inputs);
    now_ = 1 - now_;
    kept_used_ = 0;
    return block_->enqueue(inputs, questions);
  }

  base::Result<void> arrive() override { return block_->arrive(); }

  base::Result<void> begin_inputs_look() override { return block_->enqueue_inputs_look(); }
  base::Result<bool> inputs_changed(WhichBlock which) override { return block_->inputs_changed(which); }

  base::Result<std::unique_ptr<CallOutputs>> prepare(device::CallMemory& outputs,
                                                     const OutputPreparation& preparation) override {
    if (kept_used_ == kept_[now_].size()) {
      kept_[now_].emplace_back();
    }
    KeptCall& kept = kept_[now_][kept_used_++];
    ASSAY_TRY(block_->grow(kept.outputs, std::max(largest_outputs_, block_->inputs().layout.outputs_size)));
    return prepare_device_outputs(*block_, host_, outputs, kept, preparation);
  }

  [[nodiscard]] bool keeps_calls() const override { return true; }
  [[nodiscard]] std::int64_t doubts() const override { return block_->doubts(); }
  [[nodiscard]] task::Named<double> device_seconds() const override { return block_->clock().seconds(); }
  [[nodiscard]] double sweep_seconds() const override { return block_->sweep_seconds(); }

 private:
  std::unique_ptr<DeviceBlock> block_;  // Holds the context that the snapshots were made in: first.
  HostChecker host_;
  /// One a call of a block, which keeps a reference; of the block before too, whose calls are still to be looked at.
  std::array<std::deque<KeptCall>, 2> kept_;
  std::size_t now_ = 0;
  std::size_t kept_used_ = 0;
  std::size_t largest_outputs_ = 0;  ///< In bytes, as far as is known.
};

}  // namespace

base::Result<std::unique_ptr<CallChecker>> make_device_checker(const device::Device& device,
                                                               const operators::Operator& op) {
  const std::optional<int> ordinal = device.cuda_ordinal();
  if (!ordinal) {
    return nullptr;
  }
  auto made = DeviceBlock::make(*ordinal, op);
  if (!made && made.error().code == "cuda.no_device_code") {
    return nullptr;
  }
  ASSAY_TRY_ASSIGN(std::unique_ptr<DeviceBlock> block, std::move(made));
  if (block == nullptr) {
    return nullptr;
  }
  return std::make_unique<DeviceChecker>(std::move(block), op);
}

}  // namespace assay::evaluate
