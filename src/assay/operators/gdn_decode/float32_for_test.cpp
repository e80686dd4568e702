#include <assay/operators/gdn_decode/float32_for_test.hpp>

#include <algorithm>
#include <cmath>

namespace assay::operators::gdn_decode {
namespace {

using Row = std::array<float, kHeadSize>;

float multiply_add(float a, float b, float c, bool fused) { return fused ? std::fma(a, b, c) : a * b + c; }

float dot(const Row& x, const Row& y, const Style& style) {
  std::array<float, 64> sums{};
  for (std::size_t j = 0; j < kHeadSize; j += style.strands) {
    for (std::size_t strand = 0; strand < style.strands; ++strand) {
      sums[strand] = multiply_add(x[j + strand], y[j + strand], sums[strand], style.fused_multiply);
    }
  }
  for (std::size_t width = style.strands / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      sums[i] += sums[i + width];
    }
  }
  return sums[0];
}

float exponential(float x, Style::Gate gate) {
  constexpr float kLog2OfE = 1.44269504F;
  return gate == Style::Gate::base_two ? std::exp2(x * kLog2OfE) : std::exp(x);
}

float softplus(float x, Style::Gate gate) {
  if (x > 20.0F) {
    return x;
  }
  return gate == Style::Gate::log1p ? std::log1p(std::exp(x)) : std::log(1.0F + exponential(x, gate));
}

float rounded_to_bfloat16(float value) { return tensor::from_bfloat16(tensor::to_bfloat16(value)); }

Row read_row(std::span<const std::uint16_t> values, std::size_t head) {
  Row row;
  for (std::size_t j = 0; j < kHeadSize; ++j) {
    row[j] = tensor::from_bfloat16(values[head * kHeadSize + j]);
  }
  return row;
}

void normalise(Row& row, const Style& style) {
  const float norm = std::sqrt(dot(row, row, style));
  for (float& element : row) {
    element /= norm;
  }
}

float stored(float value, Mistake mistake) {
  if (mistake == Mistake::bfloat16_state) {
    return rounded_to_bfloat16(value);
  }
  return mistake == Mistake::float16_state ? tensor::from_float16(tensor::to_float16(value)) : value;
}

struct Gates {
  float g;
  float beta;
};

Gates gates(Trial& trial, std::size_t batch_head, const Style& style, Mistake mistake) {
  const std::size_t head = batch_head % kValueHeads;
  const std::size_t gate_at =
      mistake == Mistake::next_batch_gates ? (batch_head + kValueHeads) % trial.heads() : batch_head;
  const float a = tensor::from_bfloat16(trial.bfloat16(kA)[gate_at]);
  const float b = tensor::from_bfloat16(trial.bfloat16(kB)[gate_at]);
  const float x = mistake == Mistake::no_dt_bias ? a : a + trial.float32(kDtBias)[head];
  const float step = mistake == Mistake::no_softplus ? std::max(x, 0.0F) : softplus(x, style.gate);
  Gates result{exponential(-exponential(trial.float32(kALog)[head], style.gate) * step, style.gate),
               1.0F / (1.0F + exponential(-b, style.gate))};
  if (mistake == Mistake::no_decay) {
    result.g = 1;
  }
  if (mistake == Mistake::no_beta) {
    result.beta = 1;
  }
  if (mistake == Mistake::bfloat16_gate) {
    result = {rounded_to_bfloat16(result.g), rounded_to_bfloat16(result.beta)};
  }
  return result;
}

void run_head(Trial& trial, std::size_t batch_head, const Style& style, Mistake mistake) {
  const std::size_t batch = batch_head / kValueHeads;
  const std::size_t head = batch_head % kValueHeads;
  const std::size_t query_head =
      batch * kQueryHeads + (mistake == Mistake::wrong_query_heads ? head % kQueryHeads : head / 2);
  Row q = read_row(trial.bfloat16(kQ), query_head);
  Row k = read_row(trial.bfloat16(kK), query_head);
  if (mistake == Mistake::normalised_keys) {
    normalise(q, style);
    normalise(k, style);
  }
  const auto [g, beta] = gates(trial, batch_head, style, mistake);
  auto scale = static_cast<float>(trial.scale() == 0 ? kUsualScale : trial.scale());
  scale = mistake == Mistake::no_scale ? 1.0F : mistake == Mistake::scale_twice ? scale * scale : scale;
  const float key_dot_query = dot(k, q, style);

  for (std::size_t i = 0; i < kHeadSize; ++i) {
    if (mistake == Mistake::last_row_missing && i + 1 == kHeadSize) {
      break;
    }
    const auto at = [&](std::size_t j) {
      const bool transposed = mistake == Mistake::transposed_state;
      return batch_head * kStateSize + (transposed ? j * kHeadSize + i : i * kHeadSize + j);
    };
    Row row;
    for (std::size_t j = 0; j < kHeadSize; ++j) {
      row[j] = trial.float32(kState)[at(j)];
    }
    const bool undecayed = mistake == Mistake::undecayed_prediction || mistake == Mistake::decay_after_update;
    const float predicted = (undecayed ? 1.0F : g) * dot(row, k, style);
    float delta = beta * (tensor::from_bfloat16(trial.bfloat16(kV)[batch_head * kHeadSize + i]) - predicted);
    if (mistake == Mistake::bfloat16_delta) {
      delta = rounded_to_bfloat16(delta);
    }
    if (mistake == Mistake::decay_after_update) {
      delta *= g;
    }
    const float product_with_old = dot(row, q, style);
    for (std::size_t j = 0; j < kHeadSize; ++j) {
      row[j] = multiply_add(delta, k[j], g * row[j], style.fused_multiply);
      trial.new_state()[at(j)] = stored(row[j], mistake);
    }
    float product = style.products_first ? g * product_with_old + delta * key_dot_query : dot(row, q, style);
    if (mistake == Mistake::output_of_old_state) {
      product = g * product_with_old;
    }
    float value = scale * product;
    if (mistake == Mistake::float8_output) {
      value = tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(value * 0x1p6F)) * 0x1p-6F;
    }
    trial.result()[batch_head * kHeadSize + i] = tensor::to_bfloat16(value);
  }
}

}  // namespace

void run_float32(Trial& trial, const Style& style, Mistake mistake) {
  if (mistake == Mistake::zeros) {
    std::fill(trial.result().begin(), trial.result().end(), std::uint16_t{0});
    std::fill(trial.new_state().begin(), trial.new_state().end(), 0.0F);
    return;
  }
  for (std::size_t batch_head = 0; batch_head < trial.heads(); ++batch_head) {
    run_head(trial, batch_head, style, mistake);
  }
  if (mistake == Mistake::copied_state) {
    std::copy(trial.float32(kState).begin(), trial.float32(kState).end(), trial.new_state().begin());
  }
}

}  // namespace assay::operators::gdn_decode
