#include <assay/operators/moe_fp8_block_scale/perturbation.hpp>

#include <cmath>
#include <cstring>
#include <variant>

#include <assay/operators/arguments.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/routing.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr int kMostTries = 64;

/// A token, one of its local experts, and the expert's weight for it.
struct Pair {
  std::size_t token = 0;
  std::size_t expert = 0;  ///< Local.
  std::size_t global = 0;
  bool found = false;
};

class Perturbation {
 public:
  Perturbation(const Dimensions& dimensions, base::Philox& random, std::span<Argument> arguments,
               device::CopyPlan& plan)
      : d_(dimensions), random_(random), arguments_(arguments), plan_(plan), pair_(find_pair()) {
    plan_.need(bytes(kHidden).subspan(tokens() == 0 ? 0 : pair_.token * d_.hidden, tokens() == 0 ? 0 : d_.hidden));
  }

  void change(Input input) {
    switch (input) {
      case kLogits:
        return add<float>(kLogits, pair_.token * d_.experts + pair_.global, -64.0F);
      case kBias: {
        const auto bits = load<std::uint16_t>(bytes(kBias), pair_.global);
        return change(kBias, pair_.global, tensor::to_bfloat16(tensor::from_bfloat16(bits) - 64.0F));
      }
      case kHidden:
        return saturate(kHidden, pair_.token * d_.hidden + strongest_hidden());
      case kHiddenScale:
        return add(kHiddenScale, random_.next_below(d_.hidden_blocks()) * tokens() + pair_.token, 16.0F);
      case kGemm1Weights:
        // The row of the linear half: what it changes is multiplied by silu of a gate that is known to be open.
        return saturate(kGemm1Weights,
                        pair_.expert * d_.gemm1_weights() + strongest_intermediate() * d_.hidden + strongest_hidden());
      case kGemm1WeightsScale: {
        const std::size_t row = strongest_intermediate() / kBlock;
        const std::size_t at = row * d_.hidden_blocks() + strongest_hidden() / kBlock;
        return add(kGemm1WeightsScale, pair_.expert * d_.gemm1_scales() + at, 16.0F);
      }
      case kGemm2Weights: {
        const std::size_t row = random_.next_below(d_.hidden);
        return saturate(kGemm2Weights,
                        pair_.expert * d_.gemm2_weights() + row * d_.intermediate + strongest_intermediate());
      }
      case kGemm2WeightsScale: {
        const std::size_t row = random_.next_below(d_.hidden_blocks());
        const std::size_t at = row * d_.intermediate_blocks() + strongest_intermediate() / kBlock;
        return add(kGemm2WeightsScale, pair_.expert * d_.gemm2_scales() + at, 16.0F);
      }
      case kLocalExpertOffset: {
        const auto experts = static_cast<std::int64_t>(d_.experts);
        const auto shard = static_cast<std::int64_t>(d_.local_experts);
        arguments_[kLocalExpertOffset] = Scalar((offset() + shard) % experts);
        return;
      }
      case kRoutedScalingFactor:
        arguments_[kRoutedScalingFactor] =
            Scalar(static_cast<double>(static_cast<float>(1.5 * scalar(kRoutedScalingFactor) + 1)));
        return;
      case kInputCount:
        break;
    }
    base::check_failed("an input", __FILE__, __LINE__);
  }

 private:
  [[nodiscard]] std::span<std::byte> bytes(Input input) const { return bytes_of(arguments_, input); }
  [[nodiscard]] std::size_t tokens() const { return bytes(kHidden).size() / d_.hidden; }
  [[nodiscard]] double scalar(Input input) const {
    return std::visit([](auto value) { return static_cast<double>(value); }, std::get<Scalar>(arguments_[input]));
  }
  [[nodiscard]] std::int64_t offset() const { return static_cast<std::int64_t>(scalar(kLocalExpertOffset)); }

  template <class T>
  [[nodiscard]] T element(Input input, std::size_t at) const {
    plan_.need(bytes(input).subspan(at * sizeof(T), sizeof(T)));
    return load<T>(bytes(input), at);
  }
  template <class T>
  void change(Input input, std::size_t at, T value) const {
    plan_.set(bytes(input).subspan(at * sizeof(T), sizeof(T)), std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  void add(Input input, std::size_t at, T step) const {
    change(input, at, element<T>(input, at) + step);
  }
  /// 448 of the other sign.
  void saturate(Input input, std::size_t at) const {
    const auto code = element<std::uint8_t>(input, at);
    change(input, at, static_cast<std::uint8_t>((code & 0x80U) != 0 ? 0x7eU : 0xfeU));
  }

  /// Looks at tokens from a random one on until one has a local expert.
  [[nodiscard]] Pair find_pair() const {
    const std::size_t count = tokens();
    const std::size_t first = count == 0 ? 0 : random_.next_below(count);
    TokenRouter router(d_, read_bias(bytes(kBias)), 1);
    std::vector<float> row(d_.experts);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = (first + i) % count;
      std::memcpy(row.data(), bytes(kLogits).data() + token * d_.experts * sizeof(float), d_.experts * sizeof(float));
      router.assign(row);
      for (const Choice& choice : router.nominal()) {
        const std::size_t expert = local_index(d_, choice.expert, offset());
        if (expert < d_.local_experts) {
          return {token, expert, choice.expert, true};
        }
      }
    }
    return {};
  }

  [[nodiscard]] double hidden(std::size_t k) const {
    return float8_values()[load<std::uint8_t>(bytes(kHidden), pair_.token * d_.hidden + k)] *
           static_cast<double>(load<float>(bytes(kHiddenScale), k / kBlock * tokens() + pair_.token));
  }
  /// Element `row` of W1 x.
  [[nodiscard]] double gemm1(std::size_t row) const {
    double sum = 0;
    plan_.need(bytes(kGemm1Weights).subspan(pair_.expert * d_.gemm1_weights() + row * d_.hidden, d_.hidden));
    for (std::size_t k = 0; k < d_.hidden; ++k) {
      const std::size_t block = row / kBlock * d_.hidden_blocks() + k / kBlock;
      sum += hidden(k) *
             float8_values()[load<std::uint8_t>(bytes(kGemm1Weights),
                                                pair_.expert * d_.gemm1_weights() + row * d_.hidden + k)] *
             static_cast<double>(load<float>(bytes(kGemm1WeightsScale), pair_.expert * d_.gemm1_scales() + block));
    }
    return sum;
  }

  /// Returns the one of some random places for which `size` is largest.
  template <class Size>
  [[nodiscard]] std::size_t strongest(std::size_t places, int tries, const Size& size) const {
    std::size_t best = random_.next_below(places);
    double largest = size(best);
    for (int i = 1; i < tries; ++i) {
      const std::size_t other = random_.next_below(places);
      if (const double value = size(other); value > largest) {
        best = other;
        largest = value;
      }
    }
    return best;
  }
  [[nodiscard]] std::size_t strongest_hidden() const {
    return strongest(d_.hidden, kMostTries, [&](std::size_t k) { return std::fabs(hidden(k)); });
  }
  [[nodiscard]] std::size_t strongest_intermediate() const {
    return strongest(d_.intermediate, pair_.found ? 12 : 1, [&](std::size_t i) {
      const double gate = gemm1(d_.intermediate + i);
      return std::fabs(gemm1(i) * gate / (1 + std::exp(-gate)));
    });
  }

  const Dimensions& d_;
  base::Philox& random_;
  std::span<Argument> arguments_;
  device::CopyPlan& plan_;
  Pair pair_;
};

}  // namespace

void perturb_one(const Dimensions& dimensions, Input input, base::Philox& random, std::span<Argument> arguments,
                 device::CopyPlan& plan) {
  Perturbation(dimensions, random, arguments, plan).change(input);
}

}  // namespace assay::operators::moe_fp8_block_scale
