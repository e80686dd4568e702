#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/workload.hpp>
#include <assay/tensor/view.hpp>

namespace assay::verify {

/// A tensor's place in a shared memory.
struct Place {
  std::string name;
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// Where the arguments of one workload lie: tensors at 64-byte boundaries, with a guard band of kGuardBand bytes before
/// the first, between any two and after the last. Scalars have no place.
struct Layout {
  static constexpr std::size_t kGuardBand = 4096;
  static constexpr std::size_t kAlignment = 64;
  std::vector<std::optional<Place>> inputs;  ///< In the definition's order.
  std::vector<Place> outputs;
  std::size_t inputs_size = 0;  ///< Bytes of each memory, guard bands included.
  std::size_t outputs_size = 0;
};

/// The same layout `bytes` further on in a larger memory; `bytes` is a multiple of kAlignment. What is skipped belongs to
/// the guard band before the first tensor.
[[nodiscard]] Layout shifted(Layout layout, std::size_t bytes);

[[nodiscard]] base::Result<Layout> make_layout(const task::Definition& definition, const task::Workload& workload);

/// Views of the inputs in `memory`, and the workload's scalars (a missing one is an input error).
[[nodiscard]] base::Result<std::vector<operators::Argument>> input_arguments(const task::Definition& definition,
                                                                             const task::Workload& workload,
                                                                             const Layout& layout,
                                                                             std::span<std::byte> memory);
/// Makes the scalars among them the workload's again, whatever was made of them since.
[[nodiscard]] base::Result<void> restore_scalars(const task::Definition& definition, const task::Workload& workload,
                                                 std::span<operators::Argument> arguments);
[[nodiscard]] tensor::ConstView output_view(const Place& place, std::span<const std::byte> memory);

/// What the bytes of an output are before a call: one 32-bit word, repeated. Three kinds take turns at random: words
/// that are NaN in every floating type of 16 or 32 bits, words that are huge in them, and words about 1 (what adds to an
/// output instead of writing it would not move a huge one). Random, so that a candidate cannot
/// leave an element out and be right.
struct Poison {
  std::uint32_t word = 0;
  [[nodiscard]] static Poison draw(std::uint64_t seed, std::uint64_t call);
};

/// The bytes of an outputs' memory that no call may touch: the gaps between the tensors, [begin, end).
struct GuardBand {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] std::vector<GuardBand> guard_bands(const Layout& layout);
/// What guard bands hold: this 32-bit word, repeated from the start of each band on.
[[nodiscard]] std::uint32_t draw_canary(std::uint64_t seed, std::uint64_t call);
/// The finding about a byte of a guard band that was changed.
[[nodiscard]] task::Finding guard_overwritten(const Layout& layout, std::size_t offset);

/// Prepares one side's outputs for a call: poison in the tensors, canaries from (seed, call) in the guard bands.
class OutputGuard {
 public:
  /// With `poisons` off the tensors keep what they hold, which is only for showing what the poison is for.
  OutputGuard(const Layout& layout, std::span<std::byte> memory, std::uint64_t seed, std::uint64_t call,
              bool poisons = true);

  /// The same of outputs that are prepared already, elsewhere (DeviceOutputGuard): `memory` is looked at alone, and holds
  /// by then what the call left.
  [[nodiscard]] static OutputGuard of_prepared(const Layout& layout, std::span<std::byte> memory, std::uint64_t seed,
                                               std::uint64_t call);

  /// Tells which guard bytes a call changed: the first one, as a place relative to the nearest output.
  [[nodiscard]] std::optional<task::Finding> check() const;
  /// Tells whether an element still holds the poison, byte for byte.
  [[nodiscard]] bool untouched(const Place& place, std::size_t flat) const;

 private:
  OutputGuard(const Layout& layout, std::span<std::byte> memory, Poison poison, std::uint32_t canary)
      : layout_(&layout), memory_(memory), poison_(poison), canary_(canary) {}

  const Layout* layout_;
  std::span<std::byte> memory_;
  Poison poison_;
  std::uint32_t canary_;
};

/// Says where an address of a shared memory is, for people: which tensor and which element of it, or how far before or
/// past which one. `offset` is relative to the memory's start; `outputs` tells which memory.
struct Located {
  std::string tensor;
  std::optional<std::vector<std::int64_t>> index;  ///< Inside a tensor.
  bool inside = false;
  std::string text;  ///< "state[3, 0, 17, 5]" or "4 bytes past the end of new_state"
};
[[nodiscard]] Located locate(const Layout& layout, bool outputs, std::int64_t offset);

}  // namespace assay::verify
