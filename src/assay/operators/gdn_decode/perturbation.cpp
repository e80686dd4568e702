#include <array>
#include <cmath>

#include <assay/operators/arguments.hpp>
#include <assay/operators/gate_perturbation.hpp>
#include <assay/operators/gdn_decode/generator.hpp>
#include <assay/operators/gdn_decode/layout.hpp>

namespace assay::operators::gdn_decode {
namespace {

constexpr int kTries = 64;

// A session of six perturbed calls sees all of the first, and one of the others: which one its seed decides.
constexpr std::array<Input, 5> kAlways = {kQ, kK, kV, kState, kScale};
constexpr std::array<Input, 4> kInTurn = {kALog, kA, kDtBias, kB};

Input input_of(std::uint64_t which) {
  const std::uint64_t round = which / (kAlways.size() + 1);
  const std::uint64_t place = which % (kAlways.size() + 1);
  return place < kAlways.size() ? kAlways[place] : kInTurn[round % kInTurn.size()];
}

/// A batch entry's value head.
struct Head {
  std::size_t entry = 0;
  std::size_t head = 0;
  [[nodiscard]] std::size_t flat() const { return entry * kValueHeads + head; }
};

void add(std::span<std::uint16_t> values, std::size_t at, float step) {
  values[at] = tensor::to_bfloat16(tensor::from_bfloat16(values[at]) + step);
}

bool holds_something(std::span<const float> state) {
  std::size_t some = 0;
  for (const float value : state) {
    some += std::fabs(value) > 1e-3F ? 1U : 0U;
  }
  return some > state.size() / 2;
}

class Perturbation {
 public:
  Perturbation(base::Philox& random, std::span<Argument> arguments) : random_(random), arguments_(arguments) {}

  /// Tells whether there was an element that shows.
  bool change(Input input) {
    switch (input) {
      case kQ:
      case kK:
        add(halves(input), random_.next_below(halves(input).size()), 0.5F);
        return true;
      case kV:
        add(halves(kV), random_.next_below(halves(kV).size()), 4);
        return true;
      case kState:
        floats(kState)[random_.next_below(floats(kState).size())] += 32;
        return true;
      case kB:
        return change_beta();
      case kScale:
        arguments_[kScale] = changed_scale(std::get<Scalar>(arguments_[kScale]));
        return true;
      default:
        return change_decay(input);
    }
  }

 private:
  [[nodiscard]] std::span<std::uint16_t> halves(Input input) const {
    return elements_of<std::uint16_t>(arguments_, input);
  }
  [[nodiscard]] std::span<float> floats(Input input) const { return elements_of<float>(arguments_, input); }

  [[nodiscard]] Head draw_head() const {
    const std::size_t entries = halves(kB).size() / kValueHeads;
    return {random_.next_below(entries), random_.next_below(kValueHeads)};
  }

  [[nodiscard]] bool change_beta() const {
    perturb_beta(halves(kB)[draw_head().flat()]);
    return true;
  }

  // A state that holds nothing hides whether it is forgotten.
  [[nodiscard]] bool change_decay(Input input) const {
    for (int i = 0; i < kTries; ++i) {
      const Head at = draw_head();
      if (!holds_something(floats(kState).subspan(at.flat() * kStateSize, kStateSize))) {
        continue;
      }
      perturb_decay({floats(kALog)[at.head], halves(kA)[at.flat()], floats(kDtBias)[at.head]},
                    input == kA        ? DecayPart::a
                    : input == kDtBias ? DecayPart::dt_bias
                                       : DecayPart::a_log);
      return true;
    }
    return false;
  }

  base::Philox& random_;
  std::span<Argument> arguments_;
};

}  // namespace

std::uint64_t Generator::perturbation_period() const { return (kAlways.size() + 1) * kInTurn.size(); }

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("gdn_decode.perturb"), which), call));
  Perturbation perturbation(random, arguments);
  // Where every state is zero no decay matters; what is written does, and is a gate too: a candidate that knows a call
  // again by all but its gates must meet one that changed.
  if (!perturbation.change(input_of(which))) {
    perturbation.change(kB);
  }
}

}  // namespace assay::operators::gdn_decode
