#include <assay/verify/state_chain.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <assay/operators/arguments.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::verify {

StateChain::StateChain(const operators::Operator& op) : op_(&op) {
  const std::optional<operators::Chain> chain = op.chain();
  ASSAY_CHECK(chain.has_value());
  chain_ = *chain;
}

void StateChain::feed(std::span<const operators::Argument> arguments) const {
  if (steps_ == 0) {
    return;
  }
  const Place& place = layout_.outputs[chain_.output];
  const std::span<std::byte> to = std::get<tensor::View>(arguments[chain_.input]).bytes;
  ASSAY_CHECK(to.size() == place.bytes);
  std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(place.offset), place.bytes, to.begin());
}

base::Result<void> StateChain::follow(const task::AxisValues& axes, std::span<const operators::Argument> arguments,
                                      const Layout& layout, std::span<const std::byte> memory) {
  axes_ = axes;
  inputs_ = operators::read_only(arguments);
  std::swap(fed_to_reference_, left_by_reference_);
  if (steps_ > 0) {
    std::get<tensor::ConstView>(inputs_[chain_.input]).bytes = fed_to_reference_;
  }
  ASSAY_TRY(op_->reference(axes_, inputs_, expected_));
  layout_ = layout;
  memory_.assign(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(layout.outputs_size));
  const Place& place = layout.outputs[chain_.output];
  left_by_reference_.resize(place.bytes);
  tensor::write_rounded({place.name, place.dtype, place.shape, left_by_reference_}, expected_[chain_.output]);
  ++steps_;
  return {};
}

std::optional<task::Finding> StateChain::check() const {
  for (std::size_t output = 0; output < layout_.outputs.size(); ++output) {
    const Place& place = layout_.outputs[output];
    const auto mismatch = op_->compare(axes_, inputs_, output, output_view(place, memory_), expected_);
    if (!mismatch) {
      continue;
    }
    task::Finding finding;
    finding.kind = "mismatch";
    finding.tensor = place.name;
    finding.index = mismatch->index;
    finding.expected = mismatch->expected;
    finding.got = mismatch->got;
    finding.message = fmt::format(
        "after {} steps, each of which went on from the {} that the step before had left, {}; each step may have been "
        "right by itself: look for an error that has the same sign in all of them",
        steps_, layout_.outputs[chain_.output].name, mismatch->reason);
    return finding;
  }
  return std::nullopt;
}

}  // namespace assay::verify
