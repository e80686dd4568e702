#include <algorithm>
#include <array>
#include <cmath>

#include <assay/operators/arguments.hpp>
#include <assay/operators/gate_perturbation.hpp>
#include <assay/operators/gdn_prefill/generator.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr int kTries = 64;

// A session of six perturbed calls sees all of the first, and one of the others: which one its seed decides.
constexpr std::array<Input, 5> kAlways = {kQ, kK, kV, kState, kScale};
constexpr std::array<Input, 5> kInTurn = {kALog, kA, kDtBias, kB, kCuSeqlens};

Input input_of(std::uint64_t which) {
  const std::uint64_t round = which / (kAlways.size() + 1);
  const std::uint64_t place = which % (kAlways.size() + 1);
  return place < kAlways.size() ? kAlways[place] : kInTurn[round % kInTurn.size()];
}

double widened(std::uint16_t bits) { return static_cast<double>(tensor::from_bfloat16(bits)); }

class Perturbation {
 public:
  Perturbation(const Dimensions& dimensions, base::Philox& random, std::span<Argument> arguments)
      : dimensions_(dimensions),
        random_(random),
        arguments_(arguments),
        starts_(elements_of<std::int64_t>(arguments, kCuSeqlens)) {}

  /// Tells whether there was an element that shows.
  bool change(Input input) {
    switch (input) {
      case kQ:
        return change_query();
      case kK:
      case kV: {
        std::uint16_t& bits = halves(input)[random_.next_below(halves(input).size())];
        bits = tensor::to_bfloat16(tensor::from_bfloat16(bits) + (input == kV ? 4.0F : 0.5F));
        return true;
      }
      case kState:
        return change_state();
      case kB:
        return change_beta();
      case kCuSeqlens:
        return move_boundary();
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
  [[nodiscard]] std::size_t draw(std::size_t bound) const { return random_.next_below(bound); }

  // An element of a query meets the same of its token's key in what that token has just written: which is nothing where the
  // key's is small, or no head of the token takes anything in.
  [[nodiscard]] bool change_query() const {
    const std::size_t size = dimensions_.head_size;
    const std::size_t heads = dimensions_.value_heads;
    const std::span<std::uint16_t> queries = halves(kQ);
    std::size_t at = draw(queries.size());
    for (int i = 0; i < kTries; ++i, at = draw(queries.size())) {
      const std::size_t token = at / size / dimensions_.query_heads;
      bool taken_in = false;
      for (std::size_t head = 0; head < heads; ++head) {
        taken_in = taken_in || (dimensions_.query_head_of(head) == at / size % dimensions_.query_heads &&
                                widened(halves(kB)[token * heads + head]) > -2);
      }
      if (taken_in && std::fabs(widened(halves(kK)[at])) * std::sqrt(static_cast<double>(size)) > 0.5) {
        break;
      }
    }
    queries[at] = tensor::to_bfloat16(tensor::from_bfloat16(queries[at]) + 8.0F);
    return true;
  }

  // The state of an empty sequence decides nothing.
  [[nodiscard]] bool change_state() const {
    std::vector<std::size_t> sequences;
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      if (starts_[i + 1] > starts_[i]) {
        sequences.push_back(i);
      }
    }
    const std::size_t size = dimensions_.value_heads * dimensions_.state_size();
    floats(kState)[sequences[draw(sequences.size())] * size + draw(size)] += 32.0F;
    return true;
  }

  // The token's own query sees best what it writes where it is not orthogonal to the key.
  [[nodiscard]] bool change_beta() const {
    const std::size_t heads = dimensions_.value_heads;
    const std::size_t size = dimensions_.head_size;
    std::size_t at = draw(halves(kB).size());
    for (int i = 0; i < kTries; ++i) {
      const std::size_t first = (at / heads * dimensions_.query_heads + dimensions_.query_head_of(at % heads)) * size;
      double product = 0;
      for (std::size_t j = first; j < first + size; ++j) {
        product += widened(halves(kQ)[j]) * widened(halves(kK)[j]);
      }
      if (std::fabs(product) * std::sqrt(static_cast<double>(size)) > 1) {
        break;
      }
      at = draw(halves(kB).size());
    }
    perturb_beta(halves(kB)[at]);
    return true;
  }

  // A sequence's first token has nothing before it that could be forgotten but a state that was given and may be 0.
  [[nodiscard]] bool change_decay(Input input) const {
    const std::size_t heads = dimensions_.value_heads;
    const std::size_t tokens = halves(kA).size() / heads;
    for (int i = 0; i < kTries; ++i) {
      const std::size_t token = draw(tokens);
      if (std::find(starts_.begin(), starts_.end(), static_cast<std::int64_t>(token)) != starts_.end()) {
        continue;
      }
      const std::size_t head = draw(heads);
      perturb_decay({floats(kALog)[head], halves(kA)[token * heads + head], floats(kDtBias)[head]},
                    input == kA        ? DecayPart::a
                    : input == kDtBias ? DecayPart::dt_bias
                                       : DecayPart::a_log);
      return true;
    }
    return false;
  }

  // One token changes its sequence, to or from a neighbour that keeps one.
  [[nodiscard]] bool move_boundary() const {
    std::vector<std::int64_t> steps;
    std::vector<std::size_t> boundaries;
    for (std::size_t i = 1; i + 1 < starts_.size(); ++i) {
      if (starts_[i] - starts_[i - 1] > 1) {
        boundaries.push_back(i);
        steps.push_back(-1);
      }
      if (starts_[i + 1] - starts_[i] > 1) {
        boundaries.push_back(i);
        steps.push_back(1);
      }
    }
    if (boundaries.empty()) {
      return false;
    }
    const std::size_t chosen = draw(boundaries.size());
    starts_[boundaries[chosen]] += steps[chosen];
    return true;
  }

  const Dimensions& dimensions_;
  base::Philox& random_;
  std::span<Argument> arguments_;
  std::span<std::int64_t> starts_;
};

}  // namespace

std::uint64_t Generator::perturbation_period() const { return (kAlways.size() + 1) * kInTurn.size(); }

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("gdn_prefill.perturb"), which), call));
  Perturbation perturbation(dimensions_, random, arguments);
  // Where every sequence is one token long no decay need matter; what is written does, and is a gate too: a candidate that
  // knows a call again by all but its gates must meet one that changed.
  const Input input = input_of(which);
  if (!perturbation.change(input)) {
    perturbation.change(input == kCuSeqlens ? kV : kB);
  }
}

}  // namespace assay::operators::gdn_prefill
