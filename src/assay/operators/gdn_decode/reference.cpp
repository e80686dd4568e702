#include <assay/operators/gdn_decode/reference.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gated_delta_rule.hpp>
#include <assay/operators/gdn_decode/layout.hpp>

namespace assay::operators::gdn_decode {
namespace {

using Vector = std::array<double, kHeadSize>;

base::Result<double> read_scale(std::span<const ConstArgument> inputs) {
  ASSAY_TRY_ASSIGN(const double scale, read_scalar(inputs, kScale, "scale"));
  return scale == 0 ? 1.0 / std::sqrt(static_cast<double>(kHeadSize)) : scale;
}

/// Sums in eight strands: as exact as one, and the adder's latency does not decide how long a trial takes.
double dot(const Vector& x, const Vector& y) {
  constexpr std::size_t kStrands = 8;
  std::array<double, kStrands> sums{};
  for (std::size_t j = 0; j < kHeadSize; j += kStrands) {
    for (std::size_t strand = 0; strand < kStrands; ++strand) {
      sums[strand] += x[j + strand] * y[j + strand];
    }
  }
  double total = 0;
  for (const double sum : sums) {
    total += sum;
  }
  return total;
}

Vector head_vector(const std::vector<double>& values, std::size_t head) {
  Vector vector;
  std::memcpy(vector.data(), values.data() + head * kHeadSize, sizeof vector);
  return vector;
}

/// Reads one row of a state and lets it decay.
Vector decayed_row(const std::byte* bytes, double g) {
  std::array<float, kHeadSize> narrow;
  std::memcpy(narrow.data(), bytes, sizeof narrow);
  Vector row;
  for (std::size_t j = 0; j < kHeadSize; ++j) {
    row[j] = g * static_cast<double>(narrow[j]);
  }
  return row;
}

}  // namespace

base::Result<void> compute_reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                     std::vector<ExpectedValues>& outputs) {
  const std::int64_t* batch_size = task::find(axes, "batch_size");
  if (batch_size == nullptr || *batch_size <= 0 || inputs.size() != kInputCount) {
    return base::internal_error("operator.arguments", "gdn_decode: needs batch_size > 0 and nine inputs");
  }
  const auto batches = static_cast<std::size_t>(*batch_size);
  const std::size_t heads = batches * kValueHeads;
  using enum tensor::DType;
  ASSAY_TRY_ASSIGN(const auto q, read_tensor(inputs, kQ, "q", bfloat16, batches * kQueryHeads * kHeadSize));
  ASSAY_TRY_ASSIGN(const auto k, read_tensor(inputs, kK, "k", bfloat16, batches * kQueryHeads * kHeadSize));
  ASSAY_TRY_ASSIGN(const auto v, read_tensor(inputs, kV, "v", bfloat16, heads * kHeadSize));
  ASSAY_TRY_ASSIGN(const auto state, tensor_bytes(inputs, kState, "state", float32, heads * kStateSize));
  ASSAY_TRY_ASSIGN(const auto a_log, read_tensor(inputs, kALog, "A_log", float32, kValueHeads));
  ASSAY_TRY_ASSIGN(const auto a, read_tensor(inputs, kA, "a", bfloat16, heads));
  ASSAY_TRY_ASSIGN(const auto dt_bias, read_tensor(inputs, kDtBias, "dt_bias", float32, kValueHeads));
  ASSAY_TRY_ASSIGN(const auto b, read_tensor(inputs, kB, "b", bfloat16, heads));
  ASSAY_TRY_ASSIGN(const double scale, read_scale(inputs));

  outputs.resize(kOutputCount);
  ExpectedValues& output = outputs[kOutput];
  ExpectedValues& new_state = outputs[kNewState];
  resize_large(output, heads * kHeadSize);
  resize_large(new_state, heads * kStateSize);
  base::parallel_for(heads, [&](std::size_t batch_head) {
    const std::size_t head = batch_head % kValueHeads;
    const std::size_t query_head = batch_head / kValueHeadsPerQueryHead;
    const Vector q_head = head_vector(q, query_head);
    const Vector k_head = head_vector(k, query_head);
    const double g = decay(a_log[head], a[batch_head], dt_bias[head]);
    const double beta = sigmoid(b[batch_head]);
    for (std::size_t i = 0; i < kHeadSize; ++i) {
      const std::size_t row_index = batch_head * kHeadSize + i;
      Vector row = decayed_row(state.data() + row_index * kHeadSize * sizeof(float), g);
      const double delta = beta * (v[row_index] - dot(row, k_head));
      for (std::size_t j = 0; j < kHeadSize; ++j) {
        row[j] += delta * k_head[j];
      }
      output[row_index] = scale * dot(row, q_head);
      std::copy(row.begin(), row.end(), new_state.begin() + static_cast<std::ptrdiff_t>(row_index * kHeadSize));
    }
  });
  return {};
}

}  // namespace assay::operators::gdn_decode
