#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/device/device.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::evaluate {

/// Test only: the definition that an operator's code means.
inline task::Definition definition_of(const operators::Operator& op) {
  task::Definition definition;
  definition.name = op.interface().name;
  for (const auto& [name, value] : op.interface().axes) {
    definition.axes.emplace_back(name,
                                 task::Axis{.kind = value ? task::Axis::Kind::constant : task::Axis::Kind::variable,
                                            .value = value.value_or(0)});
  }
  for (const auto& [name, argument] : op.interface().inputs) {
    definition.inputs.emplace_back(name, task::TensorSpec{.shape = argument.shape, .dtype = argument.dtype});
  }
  for (const auto& [name, argument] : op.interface().outputs) {
    definition.outputs.emplace_back(name, task::TensorSpec{.shape = argument.shape, .dtype = argument.dtype});
  }
  return definition;
}

/// Test only: the operators that are known by name, without those whose least arguments take the CPU too long.
inline std::vector<const operators::Operator*> operators_to_try() {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  std::vector<const operators::Operator*> all;
  for (const std::string_view name : operators::operator_names()) {
    const operators::Operator& op = *operators::find_operator(name);
    const operators::StressTrial trial = op.stress_trial(1, 0, std::uint64_t{3} << 20U);
    if (verify::make_layout(definition_of(op), trial.workload).value().inputs_size <= kMost) {
      all.push_back(&op);
    }
  }
  EXPECT_GE(all.size(), 8U);
  return all;
}

/// Test only: what a checker said of one call.
struct Seen {
  std::vector<task::Finding> findings;
  std::optional<task::Finding> guard;
  std::optional<std::string> late;  ///< "name:flat"
  bool inputs_changed = false;
  std::uint64_t digest = 0;
  std::optional<tensor::LargestErrors> errors;

  [[nodiscard]] bool nothing() const { return findings.empty() && !guard && !late && !inputs_changed; }
};

/// Test only: how outputs are spoiled. `memory` is the whole image after right outputs were written, `before` the image
/// as the call got it.
using Spoil = std::function<void(std::span<std::byte> memory, std::span<const std::byte> before)>;
inline void leave(std::span<std::byte> /*memory*/, std::span<const std::byte> /*before*/) {}

/// Test only: a stress trial of an operator in memories of a device, and a candidate whose work the test does itself.
class CheckerTrial {
 public:
  static constexpr std::size_t kShift = 8192;

  CheckerTrial(const device::Device& device, const operators::Operator& op, std::uint64_t index,
               std::uint64_t largest_bytes = std::uint64_t{3} << 20U)
      : definition_(definition_of(op)) {
    const operators::StressTrial trial = op.stress_trial(kSeed, index, largest_bytes);
    workload_ = trial.workload;
    axes_ = task::resolve_axes(definition_, trial.workload.axes).value();
    layout_ = verify::shifted(verify::make_layout(definition_, trial.workload).value(), kShift);
    inputs_ = std::move(device.create_memory(layout_.inputs_size, os::PeerAccess::read_only).value());
    outputs_ = std::move(device.create_memory(layout_.outputs_size, os::PeerAccess::read_write).value());
    arguments_ = verify::input_arguments(definition_, trial.workload, layout_, inputs_->bytes()).value();
    op.make_generator(kSeed)->fill_stress(trial.kind, trial.workload, index, arguments_);
    std::vector<operators::ExpectedValues> expected;
    EXPECT_TRUE(op.reference(axes_, operators::read_only(arguments_), expected));
    for (std::size_t i = 0; i < layout_.outputs.size(); ++i) {
      const verify::Place& place = layout_.outputs[i];
      right_.emplace_back(place.bytes);
      tensor::write_rounded({place.name, place.dtype, place.shape, right_.back()}, expected[i]);
    }
  }

  [[nodiscard]] const verify::Layout& layout() const { return layout_; }
  [[nodiscard]] BlockInputs inputs() const { return {layout_, axes_, arguments_, *inputs_}; }
  [[nodiscard]] device::CallMemory& outputs() const { return *outputs_; }

  void turn() const { EXPECT_TRUE(inputs_->turn()); }
  /// Turns to the inputs' other image: the next block, of zeros.
  [[nodiscard]] BlockInputs turned() {
    turn();
    turned_layout_ = layout_;
    turned_arguments_ = verify::input_arguments(definition_, workload_, turned_layout_, inputs_->bytes()).value();
    return {turned_layout_, axes_, turned_arguments_, *inputs_};
  }

  OutputPreparation preparation(std::uint64_t call = 1) { return {.seed = kSeed, .call = call, .random = &random_}; }

  /// The call: right outputs, then what spoils them.
  void run(const Spoil& spoil) const {
    ASSERT_TRUE(outputs_->fetch(layout_.outputs_size));
    const std::span<std::byte> memory = outputs_->bytes();
    const std::vector<std::byte> before(memory.begin(), memory.end());
    for (std::size_t i = 0; i < right_.size(); ++i) {
      std::copy(right_[i].begin(), right_[i].end(), memory.begin() + static_cast<std::ptrdiff_t>(place(i).offset));
    }
    spoil(memory, before);
    ASSERT_TRUE(outputs_->publish(layout_.outputs_size));
  }

  /// Flips a bit of the inputs, where workers see them.
  void tamper(std::size_t offset) const {
    inputs_->bytes()[offset] ^= std::byte{4};
    ASSERT_TRUE(inputs_->publish(layout_.inputs_size));
  }

  /// One call from the first to the last look.
  Seen look(CallChecker& checker, const Spoil& spoil, const Spoil& late = leave, OutputPreparation how = {}) {
    how.seed = kSeed;
    how.random = &random_;
    Seen seen;
    must(checker.begin(inputs(), {.outputs = true, .late_work = true, .inputs = true, .closely = true}));
    const std::unique_ptr<CallOutputs> call = must(checker.prepare(*outputs_, how));
    must(checker.arrive());
    run(spoil);
    must(call->returned());
    seen.guard = must(call->check_guard());
    seen.inputs_changed = must(checker.inputs_changed(WhichBlock::now));
    seen.errors = must(call->largest_errors());
    seen.findings = must(call->check());
    seen.digest = must(call->digest());
    const std::span<std::byte> memory = outputs_->bytes();
    EXPECT_TRUE(outputs_->fetch(layout_.outputs_size));
    late(memory, memory);
    EXPECT_TRUE(outputs_->publish(layout_.outputs_size));
    if (const auto change = must(call->changed())) {
      seen.late = change->place->name + ":" + std::to_string(change->flat);
    }
    return seen;
  }

  /// Test only: a result's value, or the end of the program with its error.
  template <class T>
  static T must(base::Result<T> result) {
    if (!result) {
      base::check_failed(result.error().text().c_str(), __FILE__, __LINE__);
    }
    if constexpr (!std::is_void_v<T>) {
      return std::move(*result);
    }
  }

  [[nodiscard]] const verify::Place& place(std::size_t output) const { return layout_.outputs[output]; }
  [[nodiscard]] std::size_t element_bytes(std::size_t output) const {
    return tensor::byte_size(place(output).dtype, 1);
  }
  [[nodiscard]] std::size_t elements(std::size_t output) const { return place(output).bytes / element_bytes(output); }

  /// What spoils one element: gives it these bytes, changes its last byte, or leaves it as it was before.
  [[nodiscard]] Spoil fill_element(std::size_t output, std::size_t flat, std::byte value) const {
    return [=, this](std::span<std::byte> memory, std::span<const std::byte>) {
      std::ranges::fill(memory.subspan(offset_of(output, flat), element_bytes(output)), value);
    };
  }
  [[nodiscard]] Spoil flip(std::size_t output, std::size_t flat, std::size_t byte, std::byte bits) const {
    return [=, this](std::span<std::byte> memory, std::span<const std::byte>) {
      memory[offset_of(output, flat) + byte] ^= bits;
    };
  }
  [[nodiscard]] Spoil leave_element(std::size_t output, std::size_t flat) const {
    return [=, this](std::span<std::byte> memory, std::span<const std::byte> before) {
      const std::size_t at = offset_of(output, flat);
      std::memcpy(memory.data() + at, before.data() + at, element_bytes(output));
    };
  }
  [[nodiscard]] Spoil copy_element(std::size_t output, std::size_t from, std::size_t to) const {
    return [=, this](std::span<std::byte> memory, std::span<const std::byte>) {
      std::memcpy(memory.data() + offset_of(output, to), memory.data() + offset_of(output, from),
                  element_bytes(output));
    };
  }
  /// One element of each output at a time, in several ways and places, with words for it. Not all of them are wrong: one
  /// bit may be within the tolerance.
  [[nodiscard]] std::vector<std::pair<std::string, Spoil>> defects(std::uint64_t seed) const {
    base::Philox random(seed, 3);
    std::vector<std::pair<std::string, Spoil>> all;
    for (std::size_t output = 0; output < layout_.outputs.size(); ++output) {
      const std::size_t count = elements(output);
      if (count == 0) {
        continue;
      }
      for (const std::size_t flat : {std::size_t{0}, random.next_below(count), count - 1}) {
        const std::string where = " at " + place(output).name + ":" + std::to_string(flat);
        all.emplace_back("an exponent" + where, flip(output, flat, element_bytes(output) - 1, std::byte{0x40}));
        all.emplace_back("NaN, or -1" + where, fill_element(output, flat, std::byte{0xff}));
        all.emplace_back("left alone" + where, leave_element(output, flat));
        all.emplace_back("one twice" + where, copy_element(output, flat, (flat + 1) % count));
        all.emplace_back("one bit" + where, flip(output, flat, 0, std::byte{1}));
      }
    }
    return all;
  }
  [[nodiscard]] static Spoil flip_byte(std::size_t offset) {
    return [=](std::span<std::byte> memory, std::span<const std::byte>) { memory[offset] ^= std::byte{16}; };
  }

 private:
  static constexpr std::uint64_t kSeed = 7;

  [[nodiscard]] std::size_t offset_of(std::size_t output, std::size_t flat) const {
    return place(output).offset + flat * element_bytes(output);
  }

  task::Definition definition_;
  task::AxisValues axes_;
  task::Workload workload_;
  verify::Layout layout_;
  verify::Layout turned_layout_;
  std::vector<operators::Argument> turned_arguments_;
  std::unique_ptr<device::CallMemory> inputs_;
  std::unique_ptr<device::CallMemory> outputs_;
  std::vector<operators::Argument> arguments_;
  std::vector<std::vector<std::byte>> right_;
  base::Philox random_{kSeed, 1};
};

}  // namespace assay::evaluate
