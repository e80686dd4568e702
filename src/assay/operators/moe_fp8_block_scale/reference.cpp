#include <assay/operators/moe_fp8_block_scale/reference.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/tensor/matrix_product.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr std::size_t kRowsAChunk = 512;
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

/// The inputs of a call, checked.
struct Tensors {
  std::size_t tokens = 0;
  std::span<const std::byte> hidden;
  std::span<const std::byte> gemm1_weights;
  std::span<const std::byte> gemm2_weights;
  std::vector<double> hidden_scale;
  std::vector<double> gemm1_scale;
  std::vector<double> gemm2_scale;
  std::int64_t offset = 0;
};

base::Result<Tensors> read_tensors(const Dimensions& d, const task::AxisValues& axes,
                                   std::span<const ConstArgument> inputs) {
  using enum tensor::DType;
  if (inputs.size() != kInputCount) {
    return base::internal_error("operator.arguments", "moe_fp8_block_scale: needs ten inputs");
  }
  Tensors x;
  ASSAY_TRY_ASSIGN(x.tokens, axis_value(axes, "seq_len"));
  const std::size_t local = d.local_experts;
  ASSAY_TRY(tensor_bytes(inputs, kLogits, "routing_logits", float32, x.tokens * d.experts));
  ASSAY_TRY(tensor_bytes(inputs, kBias, "routing_bias", bfloat16, d.experts));
  ASSAY_TRY_ASSIGN(x.hidden, tensor_bytes(inputs, kHidden, "hidden_states", float8_e4m3fn, x.tokens * d.hidden));
  ASSAY_TRY_ASSIGN(x.hidden_scale,
                   read_tensor(inputs, kHiddenScale, "hidden_states_scale", float32, d.hidden_blocks() * x.tokens));
  ASSAY_TRY_ASSIGN(x.gemm1_weights,
                   tensor_bytes(inputs, kGemm1Weights, "gemm1_weights", float8_e4m3fn, local * d.gemm1_weights()));
  ASSAY_TRY_ASSIGN(x.gemm1_scale,
                   read_tensor(inputs, kGemm1WeightsScale, "gemm1_weights_scale", float32, local * d.gemm1_scales()));
  ASSAY_TRY_ASSIGN(x.gemm2_weights,
                   tensor_bytes(inputs, kGemm2Weights, "gemm2_weights", float8_e4m3fn, local * d.gemm2_weights()));
  ASSAY_TRY_ASSIGN(x.gemm2_scale,
                   read_tensor(inputs, kGemm2WeightsScale, "gemm2_weights_scale", float32, local * d.gemm2_scales()));
  ASSAY_TRY_ASSIGN(const double offset, read_scalar(inputs, kLocalExpertOffset, "local_expert_offset"));
  ASSAY_TRY(read_scalar(inputs, kRoutedScalingFactor, "routed_scaling_factor"));
  x.offset = static_cast<std::int64_t>(offset);
  return x;
}

/// A token that needs an expert, and where the expert's output for it goes.
struct Row {
  std::size_t token = 0;
  double weight = 0;
  std::size_t spare = kNowhere;  ///< Row of outputs[1].
  bool nominal = true;           ///< Added to the output.
};

/// The rows of each local expert.
std::vector<std::vector<Row>> rows_by_expert(const Dimensions& d, const Routing& routing, std::int64_t offset) {
  std::vector<std::vector<Row>> rows(d.local_experts);
  const std::size_t tokens = routing.nominal.size() / d.top_k;
  std::size_t spare = 0;
  auto ambiguous = routing.ambiguous.begin();
  for (std::size_t token = 0; token < tokens; ++token) {
    for (std::size_t i = 0; i < d.top_k; ++i) {
      const Choice& choice = routing.nominal[token * d.top_k + i];
      const std::size_t expert = local_index(d, choice.expert, offset);
      if (expert < d.local_experts) {
        rows[expert].push_back({token, choice.weight, kNowhere, true});
      }
    }
    if (ambiguous == routing.ambiguous.end() || ambiguous->token != token) {
      continue;
    }
    for (const std::size_t expert : ambiguous->local_experts) {
      if (rows[expert].empty() || rows[expert].back().token != token) {
        rows[expert].push_back({token, 0, kNowhere, false});
      }
      rows[expert].back().spare = spare++;
    }
    ++ambiguous;
  }
  return rows;
}

/// Decodes rows of a quantised matrix whose scales cover kBlock x kBlock elements.
tensor::MatrixReader read_weights(std::span<const std::byte> weights, const double* scales, std::size_t columns) {
  const std::size_t blocks = columns / kBlock;
  return [=](std::size_t first_row, std::size_t rows, std::size_t first_column, std::size_t width, double* to) {
    const std::array<double, 256>& values = float8_values();
    for (std::size_t row = first_row; row < first_row + rows; ++row) {
      const std::byte* codes = weights.data() + row * columns;
      for (std::size_t k = first_column; k < first_column + width; k += kBlock) {
        const double scale = scales[row / kBlock * blocks + k / kBlock];
        for (std::size_t i = k; i < k + kBlock; ++i) {
          *to++ = values[static_cast<std::uint8_t>(codes[i])] * scale;
        }
      }
    }
  };
}

tensor::MatrixReader read_hidden(const Dimensions& d, const Tensors& x, std::span<const Row> rows) {
  return [&d, &x, rows](std::size_t first_row, std::size_t count, std::size_t first_column, std::size_t width,
                        double* to) {
    const std::array<double, 256>& values = float8_values();
    for (const Row& row : rows.subspan(first_row, count)) {
      const std::byte* codes = x.hidden.data() + row.token * d.hidden;
      for (std::size_t k = first_column; k < first_column + width; k += kBlock) {
        const double scale = x.hidden_scale[k / kBlock * x.tokens + row.token];
        for (std::size_t i = k; i < k + kBlock; ++i) {
          *to++ = values[static_cast<std::uint8_t>(codes[i])] * scale;
        }
      }
    }
  };
}

double silu(double x) { return x / (1.0 + std::exp(-x)); }

constexpr float kLargestFloat8 = 448.0F;

/// As kernels that multiply in fp8 store C: scales are float32, and so is what is rounded.
void requantise(double* values, std::size_t count) {
  for (std::size_t block = 0; block < count; block += kBlock) {
    const std::size_t end = std::min(count, block + kBlock);
    float largest = 0;
    for (std::size_t i = block; i < end; ++i) {
      largest = std::max(largest, std::fabs(static_cast<float>(values[i])));
    }
    const float scale = largest == 0 ? 1.0F : largest / kLargestFloat8;
    for (std::size_t i = block; i < end; ++i) {
      const float scaled = std::clamp(static_cast<float>(values[i]) / scale, -kLargestFloat8, kLargestFloat8);
      values[i] = static_cast<double>(tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(scaled))) *
                  static_cast<double>(scale);
    }
  }
}

/// Adds what one expert contributes to its tokens. Experts come one after another, so that sums have one order.
void add_expert(const Dimensions& d, const Tensors& x, std::size_t expert, std::span<const Row> rows,
                Intermediate intermediate, std::vector<ExpectedValues>& outputs) {
  const auto weights1 = x.gemm1_weights.subspan(expert * d.gemm1_weights(), d.gemm1_weights());
  const auto weights2 = x.gemm2_weights.subspan(expert * d.gemm2_weights(), d.gemm2_weights());
  std::vector<double> gates(rows.size() * d.gemm1_rows());
  tensor::multiply_transposed(rows.size(), d.gemm1_rows(), d.hidden, read_hidden(d, x, rows),
                              read_weights(weights1, x.gemm1_scale.data() + expert * d.gemm1_scales(), d.hidden),
                              [&](std::size_t first, std::size_t count, const double* values, std::size_t stride) {
                                for (std::size_t row = 0; row < rows.size(); ++row) {
                                  std::copy_n(values + row * stride, count,
                                              gates.data() + row * d.gemm1_rows() + first);
                                }
                              });
  base::parallel_for((rows.size() + 15) / 16, [&](std::size_t piece) {
    for (std::size_t row = piece * 16; row < std::min(rows.size(), piece * 16 + 16); ++row) {
      double* up = gates.data() + row * d.gemm1_rows();
      for (std::size_t i = 0; i < d.intermediate; ++i) {
        up[i] *= silu(up[d.intermediate + i]);
      }
      if (intermediate == Intermediate::requantised) {
        requantise(up, d.intermediate);
      }
    }
  });
  const auto read_intermediate = [&](std::size_t first_row, std::size_t count, std::size_t first_column,
                                     std::size_t width, double* to) {
    for (std::size_t row = first_row; row < first_row + count; ++row) {
      to = std::copy_n(gates.data() + row * d.gemm1_rows() + first_column, width, to);
    }
  };
  tensor::multiply_transposed(rows.size(), d.hidden, d.intermediate, read_intermediate,
                              read_weights(weights2, x.gemm2_scale.data() + expert * d.gemm2_scales(), d.intermediate),
                              [&](std::size_t first, std::size_t count, const double* values, std::size_t stride) {
                                for (std::size_t i = 0; i < rows.size(); ++i) {
                                  const Row& row = rows[i];
                                  const double* from = values + i * stride;
                                  for (std::size_t j = 0; row.nominal && j < count; ++j) {
                                    outputs[0][row.token * d.hidden + first + j] += row.weight * from[j];
                                  }
                                  if (row.spare != kNowhere) {
                                    std::copy_n(from, count, outputs[1].data() + row.spare * d.hidden + first);
                                  }
                                }
                              });
}

}  // namespace

const std::array<double, 256>& float8_values() {
  static const std::array<double, 256> kValues = [] {
    std::array<double, 256> values{};
    for (std::size_t code = 0; code < values.size(); ++code) {
      values[code] = static_cast<double>(tensor::from_float8_e4m3fn(static_cast<std::uint8_t>(code)));
    }
    return values;
  }();
  return kValues;
}

Routing route(const Dimensions& dimensions, std::span<const ConstArgument> inputs) {
  const auto scalar = [&](std::size_t position, const char* name) {
    return read_scalar(inputs, position, name).value();
  };
  return route(dimensions, std::get<tensor::ConstView>(inputs[kLogits]).bytes,
               std::get<tensor::ConstView>(inputs[kBias]).bytes,
               static_cast<std::int64_t>(scalar(kLocalExpertOffset, "local_expert_offset")),
               scalar(kRoutedScalingFactor, "routed_scaling_factor"));
}

base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                     std::span<const ConstArgument> inputs, std::vector<ExpectedValues>& outputs,
                                     Intermediate intermediate) {
  ASSAY_TRY_ASSIGN(const Tensors x, read_tensors(dimensions, axes, inputs));
  const Routing routing = route(dimensions, inputs);
  const std::vector<std::vector<Row>> rows = rows_by_expert(dimensions, routing, x.offset);
  std::size_t spare_rows = 0;
  for (const AmbiguousToken& token : routing.ambiguous) {
    spare_rows += token.local_experts.size();
  }
  outputs.resize(2);
  resize_large(outputs[0], x.tokens * dimensions.hidden);
  resize_large(outputs[1], spare_rows * dimensions.hidden);
  base::parallel_for(x.tokens, [&](std::size_t token) {
    std::fill_n(outputs[0].begin() + static_cast<std::ptrdiff_t>(token * dimensions.hidden), dimensions.hidden, 0.0);
  });
  for (std::size_t expert = 0; expert < dimensions.local_experts; ++expert) {
    const std::span<const Row> all(rows[expert]);
    for (std::size_t first = 0; first < all.size(); first += kRowsAChunk) {
      add_expert(dimensions, x, expert, all.subspan(first, std::min(kRowsAChunk, all.size() - first)), intermediate,
                 outputs);
    }
  }
  return {};
}

}  // namespace assay::operators::moe_fp8_block_scale
