#include <assay/evaluate/host_checker.hpp>

#include <utility>

#include <assay/operators/arguments.hpp>
#include <assay/verify/output_check.hpp>

namespace assay::evaluate {

namespace {

class HostOutputs final : public CallOutputs {
 public:
  HostOutputs(HostChecker& checker, device::CallMemory& memory, const OutputPreparation& preparation)
      : checker_(&checker),
        layout_(&checker.inputs().layout),
        memory_(&memory),
        preparation_(preparation),
        guard_(*layout_, memory.bytes(), preparation.seed, preparation.call, preparation.poisons) {}

  base::Result<void> returned() override {
    ASSAY_TRY(fetch());
    if (preparation_.remembers) {
      at_return_.emplace(*layout_, memory_->bytes(), *preparation_.random);
    }
    return {};
  }

  base::Result<std::optional<task::Finding>> check_guard() override { return guard_.check(); }

  base::Result<std::vector<task::Finding>> check() override { return checker_->findings(memory_->bytes(), guard_); }

  base::Result<std::optional<tensor::LargestErrors>> largest_errors() override {
    return checker_->errors(memory_->bytes());
  }

  base::Result<std::uint64_t> digest() override { return digest_of_outputs(*layout_, memory_->bytes()); }

  // From a device they are brought again for checked calls only.
  base::Result<std::optional<verify::SampledContent::Change>> changed() override {
    if (!at_return_) {
      return std::nullopt;
    }
    if (checker_->questions().late_work) {
      ASSAY_TRY(fetch());
    }
    return at_return_->changed();
  }

 private:
  base::Result<void> fetch() { return memory_->fetch(layout_->outputs_size); }

  HostChecker* checker_;
  const verify::Layout* layout_;
  device::CallMemory* memory_;
  OutputPreparation preparation_;
  verify::OutputGuard guard_;
  std::optional<verify::SampledContent> at_return_;
};

}  // namespace

std::uint64_t digest_of_parts(std::span<const std::span<const std::byte>> parts) {
  std::uint64_t all = 0;
  for (const std::span<const std::byte> part : parts) {
    all = base::mix(all, verify::content_digest(part));
  }
  return all;
}

std::uint64_t digest_of_outputs(const verify::Layout& layout, std::span<const std::byte> memory) {
  std::vector<std::span<const std::byte>> parts;
  for (const verify::Place& place : layout.outputs) {
    parts.push_back(memory.subspan(place.offset, place.bytes));
  }
  return digest_of_parts(parts);
}

void HostChecker::adopt(const BlockInputs& inputs) {
  inputs_.emplace(inputs);
  has_expected_ = false;
}

const BlockInputs& HostChecker::inputs() const {
  ASSAY_CHECK(inputs_.has_value());
  return *inputs_;
}

base::Result<void> HostChecker::begin(const BlockInputs& inputs, const BlockQuestions& questions) {
  adopt(inputs);
  questions_ = questions;
  const std::size_t size = inputs.layout.inputs_size;
  inputs.memory.plan().settle();
  ASSAY_TRY(inputs.memory.publish(size));
  digest_.reset();
  // The kernel lets nobody but us write to the inputs; that it does is looked at, always where it is cheap.
  if (questions.inputs && (questions.closely || size <= kCheapDigest)) {
    present_ = inputs.memory.present(size);
    digest_ = digest_of_parts(present_);
  }
  return {};
}

base::Result<bool> HostChecker::inputs_changed(WhichBlock which) {
  if (!digest_ || which == WhichBlock::before) {
    return false;
  }
  ASSAY_TRY(inputs().memory.fetch(inputs().layout.inputs_size));
  return digest_of_parts(present_) != *digest_;
}

base::Result<std::unique_ptr<CallOutputs>> HostChecker::prepare(device::CallMemory& outputs,
                                                                const OutputPreparation& preparation) {
  auto made = std::make_unique<HostOutputs>(*this, outputs, preparation);
  ASSAY_TRY(outputs.publish(inputs().layout.outputs_size));
  return made;
}

base::Result<void> HostChecker::need_reference() {
  if (!has_expected_) {
    inputs().memory.plan().replay();
    ASSAY_TRY(op_->reference(inputs().axes, operators::read_only(inputs().arguments), expected_));
    has_expected_ = true;
  }
  return {};
}

base::Result<std::vector<task::Finding>> HostChecker::findings(std::span<const std::byte> memory,
                                                               const verify::OutputGuard& guard) {
  ASSAY_TRY(need_reference());
  const std::vector<operators::ConstArgument> arguments = operators::read_only(inputs().arguments);
  const verify::Layout& layout = inputs().layout;
  return acceptance_ == Acceptance::contest
             ? verify::check_officially(*op_, inputs().axes, arguments, layout, memory, expected_)
             : verify::check_outputs(*op_, inputs().axes, arguments, layout, memory, guard, expected_);
}

base::Result<std::optional<tensor::LargestErrors>> HostChecker::errors(std::span<const std::byte> memory) {
  ASSAY_TRY(need_reference());
  return verify::largest_errors(inputs().layout, memory, expected_);
}

}  // namespace assay::evaluate
