#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/named.hpp>
#include <assay/tensor/comparison.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/verify/sampled_content.hpp>

namespace assay::evaluate {

/// What a block of calls gets, in the memory that both sides see. All of it outlives the block's outputs.
struct BlockInputs {
  const verify::Layout& layout;
  const task::AxisValues& axes;
  std::span<const operators::Argument> arguments;  ///< Tensors in the memory's image.
  device::CallMemory& memory;
};

/// What decides how much room a block takes.
struct BlockSize {
  task::AxisValues axes;
  std::size_t outputs_bytes = 0;  ///< Of one side's memory.
};

/// What will be asked about a block.
struct BlockQuestions {
  bool outputs = false;    ///< Whether they are right.
  bool late_work = false;  ///< Whether they go on changing, even if that costs a copy from the device.
  bool inputs = false;     ///< Whether they changed …
  bool closely = false;    ///< … however large they are and however slow that is.
};

/// Of the block that was begun last, or of the one before that.
enum class WhichBlock : std::uint8_t { now, before };

/// Inputs up to this size are digested always, on the CPU.
inline constexpr std::size_t kCheapDigest = std::size_t{4} << 20U;

/// How one call's outputs are prepared.
struct OutputPreparation {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;          ///< With the seed it decides the poison and the canaries.
  bool poisons = true;             ///< Off: tensors keep what they hold.
  bool remembers = true;           ///< Whether `changed` will be asked.
  base::Philox* random = nullptr;  ///< Chooses what is remembered, where not all of it is.
};

/// One side's outputs of one call, from its return to the last look at them.
class CallOutputs {
 public:
  virtual ~CallOutputs() = default;
  /// The call has returned: keeps what it left, or has begun to, ahead of all that the checker is asked for later.
  [[nodiscard]] virtual base::Result<void> returned() = 0;
  /// Tells which byte outside the outputs the call changed. It may wait for `returned`, unless `arrive` has.
  [[nodiscard]] virtual base::Result<std::optional<task::Finding>> check_guard() = 0;
  /// Begins the comparison, of which `check` tells: with the calls of a block all of them at once.
  [[nodiscard]] virtual base::Result<void> begin_check() { return {}; }
  /// Whether `check` asks the CPU, which looks at the inputs' image: of the block before that must hold its contents then.
  [[nodiscard]] virtual base::Result<bool> is_in_doubt() { return true; }
  /// Compares the outputs with the reference; one finding an output that is wrong.
  [[nodiscard]] virtual base::Result<std::vector<task::Finding>> check() = 0;
  /// How far they are from the reference (verify::largest_errors).
  [[nodiscard]] virtual base::Result<std::optional<tensor::LargestErrors>> largest_errors() = 0;
  /// A digest of all of them: the same bytes have the same, whoever computes it.
  [[nodiscard]] virtual base::Result<std::uint64_t> digest() = 0;
  /// Begins the last look, of which `changed` tells: with several outputs all of them at once.
  [[nodiscard]] virtual base::Result<void> begin_last_look() { return {}; }
  /// Tells what is no longer as it was when the call returned.
  [[nodiscard]] virtual base::Result<std::optional<verify::SampledContent::Change>> changed() = 0;
};

/// How the judge looks at calls: it makes inputs visible to workers, prepares outputs and says what is wrong with them.
/// Works on one block at a time: `begin` ends what was asked before. Of the block before, what was begun may still be asked
/// for where `keeps_calls` says so, as long as its inputs' description lives.
class CallChecker {
 public:
  virtual ~CallChecker() = default;
  /// Who computes and who decides, for the record: a persisted word.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Makes room once for the largest of these blocks: what grows later costs time between calls.
  [[nodiscard]] virtual base::Result<void> reserve(std::span<const BlockSize> /*blocks*/) { return {}; }
  /// Makes workers see the inputs, which were written to the image or left to its plan, by the time that `arrive` has
  /// returned: until then the image stays as it is.
  [[nodiscard]] virtual base::Result<void> begin(const BlockInputs& inputs, const BlockQuestions& questions) = 0;
  /// Waits for all that was begun: before a call, so that it finds its inputs and outputs and the device is its own, and
  /// before the inputs are written again within a block.
  [[nodiscard]] virtual base::Result<void> arrive() { return {}; }
  /// Begins to look at the inputs, of which `inputs_changed` tells.
  [[nodiscard]] virtual base::Result<void> begin_inputs_look() { return {}; }
  /// Whether the inputs are other than at `begin`; false where that was not to be asked. Of the block before only what was
  /// begun while it was there.
  [[nodiscard]] virtual base::Result<bool> inputs_changed(WhichBlock which) = 0;
  /// Poisons the outputs and sets up their guard bands; the call may follow once all has arrived.
  [[nodiscard]] virtual base::Result<std::unique_ptr<CallOutputs>> prepare(device::CallMemory& outputs,
                                                                           const OutputPreparation& preparation) = 0;
  /// Whether what was begun of a block can still be asked for when the next one's calls are prepared.
  [[nodiscard]] virtual bool keeps_calls() const { return false; }
  /// How many outputs were not surely right elsewhere, so that the CPU was asked.
  [[nodiscard]] virtual std::int64_t doubts() const { return 0; }
  /// How long the device has worked for the judge, at what, in seconds since the checker was made; empty on a CPU.
  [[nodiscard]] virtual task::Named<double> device_seconds() const { return {}; }
  /// How long one sweep of the device's cache takes, as workers make two around each cold call; 0 on a CPU.
  [[nodiscard]] virtual double sweep_seconds() const { return 0; }
};

/// Joins the digests of parts of a memory.
[[nodiscard]] std::uint64_t digest_of_parts(std::span<const std::span<const std::byte>> parts);
/// Joins the digests of the outputs of a call.
[[nodiscard]] std::uint64_t digest_of_outputs(const verify::Layout& layout, std::span<const std::byte> memory);

}  // namespace assay::evaluate
