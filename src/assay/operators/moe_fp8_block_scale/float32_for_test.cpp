#include <assay/operators/moe_fp8_block_scale/float32_for_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay::operators::moe_fp8_block_scale {
namespace {

using Row = std::vector<float>;

float through_bfloat16(float value) { return tensor::from_bfloat16(tensor::to_bfloat16(value)); }

const std::array<float, 256>& code_values() {
  static const std::array<float, 256> kValues = [] {
    std::array<float, 256> values{};
    for (std::size_t code = 0; code < values.size(); ++code) {
      values[code] = tensor::from_float8_e4m3fn(static_cast<std::uint8_t>(code));
    }
    return values;
  }();
  return kValues;
}

/// A matrix of fp8 values, decoded but not scaled, with the scale of each block.
struct Weights {
  std::size_t columns = 0;
  Row values;
  Row scales;  ///< [row blocks, column blocks]
};

struct Local {
  std::size_t expert;  ///< Local.
  float weight;
};

class Kernel {
 public:
  Kernel(const Dimensions& dimensions, OperatorTrial& trial, const Style& style, Mistake mistake)
      : d_(dimensions), trial_(trial), style_(style), mistake_(mistake), tokens_(trial.axis("seq_len")) {}

  void run() {
    std::vector<std::vector<Local>> chosen;
    for (std::size_t token = 0; token < tokens_; ++token) {
      chosen.push_back(route(token));
    }
    if (wrong(Mistake::next_token_weights)) {
      std::rotate(chosen.begin(), chosen.begin() + 1, chosen.end());
    }
    Row sums(tokens_ * d_.hidden, 0.0F);
    for (std::size_t i = 0; i < d_.local_experts; ++i) {
      run_expert(style_.experts_backwards ? d_.local_experts - 1 - i : i, chosen, sums);
    }
    for (std::size_t token = 0; token < tokens_; ++token) {
      write(token, std::span(sums).subspan(token * d_.hidden, d_.hidden), chosen[token].empty());
    }
  }

 private:
  [[nodiscard]] bool wrong(Mistake mistake) const { return mistake_ == mistake; }
  [[nodiscard]] float exponential(float x) const { return style_.base_two ? std::exp2(x * 1.44269504F) : std::exp(x); }
  [[nodiscard]] float sigmoid(float x) const { return 1.0F / (1.0F + exponential(-x)); }

  /// Indices by score, the best first.
  [[nodiscard]] std::vector<std::size_t> ranked(const Row& scores) const {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
      return scores[x] > scores[y] || (scores[x] == scores[y] && (style_.highest_index_first ? x > y : x < y));
    });
    return order;
  }

  void mask_groups(Row& scores) const {
    Row of_group;
    for (std::size_t group = 0; group < d_.groups; ++group) {
      Row members(scores.begin() + static_cast<std::ptrdiff_t>(group * d_.group_size()),
                  scores.begin() + static_cast<std::ptrdiff_t>((group + 1) * d_.group_size()));
      std::partial_sort(members.begin(), members.begin() + 2, members.end(), std::greater<>());
      of_group.push_back(wrong(Mistake::group_by_largest) ? members[0] : members[0] + members[1]);
    }
    const std::vector<std::size_t> order = ranked(of_group);
    const float masked = wrong(Mistake::masked_with_zero) ? 0.0F : -std::numeric_limits<float>::max();
    for (std::size_t i = d_.kept_groups; i < d_.groups && !wrong(Mistake::no_groups); ++i) {
      std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(order[i] * d_.group_size()), d_.group_size(), masked);
    }
  }

  std::vector<Local> route(std::size_t token) {
    Row sigmoids;
    Row scores;
    for (std::size_t e = 0; e < d_.experts; ++e) {
      float s = sigmoid(trial_.in<float>(kLogits)[token * d_.experts + e]);
      s = wrong(Mistake::half_precision_scores) ? tensor::from_float16(tensor::to_float16(s)) : s;
      sigmoids.push_back(s);
      const float bias = tensor::from_bfloat16(trial_.in<std::uint16_t>(kBias)[e]);
      scores.push_back(wrong(Mistake::no_bias) ? s : s + bias);
    }
    const Row biased = scores;
    mask_groups(scores);
    std::vector<std::size_t> order = ranked(scores);
    std::size_t take = d_.top_k - (wrong(Mistake::one_expert_fewer) ? 1U : 0U);
    while (wrong(Mistake::threshold_selection) && take < order.size() &&
           scores[order[take]] >= scores[order[d_.top_k - 1]]) {
      ++take;
    }
    order.resize(take);
    std::sort(order.begin(), order.end());
    const auto offset =
        wrong(Mistake::offset_ignored) ? 0 : static_cast<std::size_t>(trial_.scalar(kLocalExpertOffset));
    const Row& weights = wrong(Mistake::biased_weights) ? biased : sigmoids;
    float sum = 0;
    std::vector<Local> chosen;
    for (const std::size_t e : order) {
      const bool local = e >= offset && e < offset + d_.local_experts;
      sum += local || !wrong(Mistake::local_normalisation) ? weights[e] : 0.0F;
      if (local) {
        chosen.push_back({e - offset, weights[e]});
      }
    }
    const auto factor = wrong(Mistake::no_factor) ? 1.0F : static_cast<float>(trial_.scalar(kRoutedScalingFactor));
    for (Local& local : chosen) {
      local.weight = wrong(Mistake::unweighted) ? factor : local.weight / (sum + 1e-20F) * factor;
    }
    return chosen;
  }

  [[nodiscard]] Weights decode(Input weights, Input scales, std::size_t expert, std::size_t rows, std::size_t columns) {
    Weights result{columns, Row(rows * columns), {}};
    const auto codes = trial_.in<std::uint8_t>(weights).subspan(expert * rows * columns, rows * columns);
    std::transform(codes.begin(), codes.end(), result.values.begin(), [](auto code) { return code_values()[code]; });
    const std::size_t count = rows / kBlock * (columns / kBlock);
    const auto blocks = trial_.in<float>(scales).subspan(expert * count, count);
    result.scales.assign(blocks.begin(), blocks.end());
    return result;
  }

  /// Row `row` of a product with a vector in blocks of kBlock, each with its scale.
  [[nodiscard]] float dot(const Weights& weights, std::size_t row, const Row& x, const Row& scales, bool first) const {
    const std::size_t blocks = weights.columns / kBlock;
    const bool dropped = wrong(first ? Mistake::last_block_dropped : Mistake::last_block_of_gemm2_dropped);
    const bool bfloat16 = first
                              ? wrong(Mistake::bfloat16_accumulation)
                              : wrong(Mistake::bfloat16_accumulation) || wrong(Mistake::bfloat16_accumulation_of_gemm2);
    const float* w = weights.values.data() + row * weights.columns;
    float total = 0;
    std::array<float, 16> strands{};
    for (std::size_t block = 0; block + (dropped ? 1U : 0U) < blocks; ++block) {
      const float scale = scale_of(weights, row / kBlock, block, blocks, first) * scales[block];
      const float* wb = w + block * kBlock;
      const float* xb = x.data() + block * kBlock;
      const std::size_t begin = first && wrong(Mistake::first_element_dropped_of_each_block) ? 1 : 0;
      if (bfloat16) {
        for (std::size_t k = 0; k < kBlock; ++k) {
          total = through_bfloat16(total + through_bfloat16(wb[k] * xb[k] * scale));
        }
      } else if (style_.sums == Style::Sums::one_strand) {
        for (std::size_t k = begin; k < kBlock; ++k) {
          total += wb[k] * (xb[k] * scale);
        }
      } else {
        // Scaled or not, in strands that vectorise; only where the scale goes in differs.
        const bool promoted = style_.sums == Style::Sums::promoted;
        std::array<float, 16> sums = promoted ? std::array<float, 16>{} : strands;
        const float factor = promoted ? 1.0F : scale;
        for (std::size_t k = 0; k < kBlock; k += 16) {
          for (std::size_t j = 0; j < 16; ++j) {
            sums[j] += (wb[k + j] * factor) * xb[k + j];
          }
        }
        if (begin == 1) {
          sums[0] -= wb[0] * factor * xb[0];
        }
        if (promoted) {
          total += std::accumulate(sums.begin(), sums.end(), 0.0F) * scale;
        } else {
          strands = sums;
        }
      }
    }
    return style_.sums == Style::Sums::dequantised ? std::accumulate(strands.begin(), strands.end(), total) : total;
  }

  [[nodiscard]] float scale_of(const Weights& weights, std::size_t row, std::size_t column, std::size_t blocks,
                               bool first) const {
    if (first && wrong(Mistake::next_scale_block)) {
      return weights.scales[(row * blocks + column + 1) % weights.scales.size()];
    }
    if (first && wrong(Mistake::transposed_weight_scale)) {
      return weights.scales[column * (weights.scales.size() / blocks) + row];
    }
    if (!first && wrong(Mistake::gemm2_row_scale)) {
      return weights.scales[(row == 0 ? 0 : row - 1) * blocks + column];
    }
    return weights.scales[row * blocks + column];
  }

  void run_expert(std::size_t expert, const std::vector<std::vector<Local>>& chosen, Row& sums) {
    if (wrong(Mistake::last_expert_skipped) && expert + 1 == d_.local_experts) {
      return;
    }
    Weights gemm1;
    Weights gemm2;
    bool again = wrong(Mistake::contribution_twice);
    for (std::size_t token = 0; token < tokens_; ++token) {
      for (const Local& local : chosen[token]) {
        if (local.expert != expert) {
          continue;
        }
        if (gemm1.values.empty()) {
          gemm1 = decode(kGemm1Weights, kGemm1WeightsScale, expert, d_.gemm1_rows(), d_.hidden);
          gemm2 = decode(kGemm2Weights, kGemm2WeightsScale, expert, d_.hidden, d_.intermediate);
        }
        const Row row = expert_row(gemm1, gemm2, token, local.weight);
        for (int times = again ? 2 : 1; times > 0; --times) {
          for (std::size_t h = 0; h < d_.hidden; ++h) {
            sums[token * d_.hidden + h] += row[h];
          }
        }
        again = false;
      }
    }
  }

  /// weight * W2 silu(…) for one token.
  [[nodiscard]] Row expert_row(const Weights& gemm1, const Weights& gemm2, std::size_t token, float weight) {
    Row x(d_.hidden);
    const auto codes = trial_.in<std::uint8_t>(kHidden).subspan(token * d_.hidden, d_.hidden);
    std::transform(codes.begin(), codes.end(), x.begin(), [](auto code) { return code_values()[code]; });
    Row scales;
    for (std::size_t block = 0; block < d_.hidden_blocks(); ++block) {
      const std::size_t at =
          wrong(Mistake::transposed_hidden_scale) ? token * d_.hidden_blocks() + block : block * tokens_ + token;
      scales.push_back(wrong(Mistake::no_hidden_scale) ? 1.0F : trial_.in<float>(kHiddenScale)[at]);
    }
    Row gates(d_.gemm1_rows());
    for (std::size_t n = 0; n < gates.size(); ++n) {
      gates[n] = dot(gemm1, n, x, scales, true);
      gates[n] = style_.bfloat16_gates ? through_bfloat16(gates[n]) : gates[n];
    }
    if (wrong(Mistake::float8_twice)) {
      requantise(gates);
    }
    Row intermediate(d_.intermediate);
    for (std::size_t i = 0; i < intermediate.size(); ++i) {
      const bool swapped = wrong(Mistake::gate_is_first_half);
      const float gate = gates[swapped ? i : d_.intermediate + i];
      const float up = gates[swapped ? d_.intermediate + i : i];
      float silu = gate * sigmoid(gate);
      silu = wrong(Mistake::silu_without_x) ? sigmoid(gate) : silu;
      silu = wrong(Mistake::relu_for_silu) ? std::max(gate, 0.0F) : silu;
      float value = silu * up * (style_.weighted_intermediate ? weight : 1.0F);
      intermediate[i] = style_.bfloat16_intermediate ? through_bfloat16(value) : value;
    }
    if (style_.float8_intermediate || wrong(Mistake::float8_two_bits) || wrong(Mistake::float8_twice)) {
      requantise(intermediate, wrong(Mistake::float8_two_bits));
    }
    Row row(d_.hidden);
    const Row ones(d_.intermediate_blocks(), 1.0F);
    for (std::size_t h = 0; h < row.size(); ++h) {
      float value = dot(gemm2, h, intermediate, ones, false);
      value = style_.bfloat16_experts ? through_bfloat16(value) : value;
      row[h] = style_.weighted_intermediate ? value : weight * value;
    }
    return row;
  }

  static void requantise(Row& values, bool two_bits = false) {
    for (std::size_t block = 0; block < values.size(); block += kBlock) {
      float largest = 0;
      for (std::size_t i = block; i < block + kBlock; ++i) {
        largest = std::max(largest, std::fabs(values[i]));
      }
      const float scale = largest == 0 ? 1.0F : largest / 448.0F;
      for (std::size_t i = block; i < block + kBlock; ++i) {
        values[i] = scale * (two_bits ? tensor::from_float8_e5m2(tensor::to_float8_e5m2(values[i] / scale))
                                      : tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(values[i] / scale)));
      }
    }
  }

  void write(std::size_t token, std::span<float> sums, bool empty) {
    const bool dropped = (wrong(Mistake::tenth_token_dropped) && token % 10 == 0) ||
                         (wrong(Mistake::last_token_dropped) && token + 1 == tokens_) || wrong(Mistake::zeros);
    if (empty && wrong(Mistake::stale_zero_rows)) {
      return;
    }
    float largest = 0;
    for (const float value : sums) {
      largest = std::max(largest, std::fabs(value));
    }
    const float scale = largest == 0 ? 1.0F : largest / 448.0F;
    for (std::size_t h = 0; h < sums.size(); ++h) {
      float value = dropped ? 0.0F : sums[h];
      if (wrong(Mistake::float8_output)) {
        value = tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(value / scale)) * scale;
      }
      trial_.out<std::uint16_t>(0)[token * d_.hidden + h] = tensor::to_bfloat16(value);
    }
  }

  const Dimensions& d_;
  OperatorTrial& trial_;
  const Style& style_;
  Mistake mistake_;
  std::size_t tokens_;
};

}  // namespace

const std::vector<NamedStyle>& honest_styles() {
  using enum Style::Sums;
  static const std::vector<NamedStyle> kStyles = {
      {"promoted_float32", {}},
      {"promoted_bfloat16_intermediate", {.bfloat16_intermediate = true}},
      {"promoted_bfloat16_gates", {.bfloat16_gates = true, .bfloat16_intermediate = true, .base_two = true}},
      {"promoted_bfloat16_everywhere",
       {.bfloat16_gates = true,
        .bfloat16_intermediate = true,
        .bfloat16_experts = true,
        .base_two = true,
        .experts_backwards = true}},
      {"dequantised_float32", {.sums = dequantised, .base_two = true, .highest_index_first = true}},
      {"dequantised_weighted_intermediate",
       {.sums = dequantised, .bfloat16_intermediate = true, .weighted_intermediate = true, .experts_backwards = true}},
      {"dequantised_bfloat16_experts",
       {.sums = dequantised, .bfloat16_experts = true, .highest_index_first = true, .experts_backwards = true}},
      {"promoted_float8_intermediate", {.float8_intermediate = true}},
      {"promoted_float8_and_bfloat16_experts", {.float8_intermediate = true, .bfloat16_experts = true}},
      {"one_strand_float8_intermediate",
       {.sums = one_strand, .float8_intermediate = true, .highest_index_first = true, .experts_backwards = true}},
      {"one_strand_float32", {.sums = one_strand, .highest_index_first = true}},
  };
  return kStyles;
}

void run_float32(const Dimensions& dimensions, OperatorTrial& trial, const Style& style, Mistake mistake) {
  Kernel(dimensions, trial, style, mistake).run();
}

}  // namespace assay::operators::moe_fp8_block_scale
