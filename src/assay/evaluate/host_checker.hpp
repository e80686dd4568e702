#pragma once

#include <optional>
#include <vector>

#include <assay/evaluate/call_checker.hpp>

namespace assay::evaluate {

/// By which rule outputs are right.
enum class Acceptance : std::uint8_t { own, contest };

/// Checks on the CPU: the reference in double precision on the image, after the block's calls. On another device outputs
/// are brought to the image and looked at there.
class HostChecker final : public CallChecker {
 public:
  /// `op` outlives it.
  explicit HostChecker(const operators::Operator& op, Acceptance acceptance = Acceptance::own)
      : op_(&op), acceptance_(acceptance) {}

  [[nodiscard]] std::string_view name() const override { return "cpu"; }
  base::Result<void> begin(const BlockInputs& inputs, const BlockQuestions& questions) override;
  base::Result<bool> inputs_changed(WhichBlock which) override;
  base::Result<std::unique_ptr<CallOutputs>> prepare(device::CallMemory& outputs,
                                                     const OutputPreparation& preparation) override;

  /// Takes inputs that somebody else has published, for `findings` alone. What is left to the memory's plan is done of
  /// the image when it is looked at.
  void adopt(const BlockInputs& inputs);
  /// Compares outputs that lie in `memory`. The reference is computed when it is first needed in a block.
  [[nodiscard]] base::Result<std::vector<task::Finding>> findings(std::span<const std::byte> memory,
                                                                  const verify::OutputGuard& guard);
  [[nodiscard]] base::Result<std::optional<tensor::LargestErrors>> errors(std::span<const std::byte> memory);
  [[nodiscard]] const BlockInputs& inputs() const;
  [[nodiscard]] const BlockQuestions& questions() const { return questions_; }

 private:
  [[nodiscard]] base::Result<void> need_reference();

  const operators::Operator* op_;
  Acceptance acceptance_;
  std::optional<BlockInputs> inputs_;
  BlockQuestions questions_;
  std::vector<std::span<const std::byte>> present_;
  std::optional<std::uint64_t> digest_;  ///< Of the inputs at `begin`.
  std::vector<operators::ExpectedValues> expected_;
  bool has_expected_ = false;  ///< Whether they are this block's.
};

}  // namespace assay::evaluate
