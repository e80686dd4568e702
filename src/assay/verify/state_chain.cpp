#include <assay/verify/state_chain.hpp>

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
  if (steps_ > 0) {
    const std::span<std::byte> to = std::get<tensor::View>(arguments[chain_.input]).bytes;
    ASSAY_CHECK(to.size() == left_by_candidate_.size());
    std::copy(left_by_candidate_.begin(), left_by_candidate_.end(), to.begin());
  }
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
  const Place& place = layout.outputs[chain_.output];
  left_by_reference_.resize(place.bytes);
  tensor::write_rounded({place.name, place.dtype, place.shape, left_by_reference_}, expected_[chain_.output]);
  const std::span<const std::byte> left = memory.subspan(place.offset, place.bytes);
  left_by_candidate_.assign(left.begin(), left.end());
  ++steps_;
  return {};
}

std::optional<tensor::Mismatch> StateChain::compare(const Layout& layout, std::span<const std::byte> memory) const {
  for (std::size_t output = 0; output < layout.outputs.size(); ++output) {
    if (auto mismatch = op_->compare(axes_, inputs_, output, output_view(layout.outputs[output], memory), expected_)) {
      return mismatch;
    }
  }
  return std::nullopt;
}

}  // namespace assay::verify
