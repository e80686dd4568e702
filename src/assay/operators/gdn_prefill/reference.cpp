#include <assay/operators/gdn_prefill/reference.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gated_delta_rule.hpp>
#include <assay/operators/gdn_prefill/error_size.hpp>

namespace assay::operators::gdn_prefill {
namespace {

/// Rows of a state that one thread carries along a sequence: 16 KiB, which stay in its first cache, and an eighth of a
/// state, so that a single long sequence keeps many threads busy.
constexpr std::size_t kRowsAPiece = 16;
constexpr std::size_t kStrands = 8;

/// The gates of a token and value head.
struct Gates {
  double g = 0;
  double beta = 0;
};

// Eight doubles that the compiler keeps in registers, as many as the target's vectors take. A sum in eight strands is as
// exact as one, and the adder's latency does not decide how long a reference takes.
using Strands = double __attribute__((vector_size(kStrands * sizeof(double))));

double total(const Strands& sums) {
  double sum = 0;
  for (std::size_t strand = 0; strand < kStrands; ++strand) {
    sum += sums[strand];
  }
  return sum;
}

/// row <- g row; returns row . k
double decay_and_predict(double* row, double g, const double* k, std::size_t size) {
  Strands sums{};
  Strands of_row;
  Strands of_key;
  for (std::size_t j = 0; j < size; j += kStrands) {
    std::memcpy(&of_row, row + j, sizeof of_row);
    std::memcpy(&of_key, k + j, sizeof of_key);
    of_row *= g;
    std::memcpy(row + j, &of_row, sizeof of_row);
    sums += of_row * of_key;
  }
  return total(sums);
}

/// row <- row + delta k; returns row . q
double write_and_read(double* row, double delta, const double* k, const double* q, std::size_t size) {
  Strands sums{};
  Strands of_row;
  Strands of_key;
  Strands of_query;
  for (std::size_t j = 0; j < size; j += kStrands) {
    std::memcpy(&of_row, row + j, sizeof of_row);
    std::memcpy(&of_key, k + j, sizeof of_key);
    std::memcpy(&of_query, q + j, sizeof of_query);
    of_row += delta * of_key;
    std::memcpy(row + j, &of_row, sizeof of_row);
    sums += of_row * of_query;
  }
  return total(sums);
}

double square_norm(const double* row, std::size_t size) {
  Strands sums{};
  Strands of_row;
  for (std::size_t j = 0; j < size; j += kStrands) {
    std::memcpy(&of_row, row + j, sizeof of_row);
    sums += of_row * of_row;
  }
  return total(sums);
}

void widen(std::span<const std::byte> bytes, std::size_t first, std::span<double> values) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + (first + j) * sizeof bits, sizeof bits);
    values[j] = static_cast<double>(tensor::from_bfloat16(bits));
  }
}

/// The inputs of a call, checked.
struct Call {
  Dimensions dimensions;
  std::span<const std::byte> q;
  std::span<const std::byte> k;
  std::span<const std::byte> v;
  std::span<const std::byte> state;
  std::vector<std::size_t> starts;   ///< Sequence i has the tokens [starts[i], starts[i + 1]).
  std::vector<Gates> gates;          ///< [token, value head]
  std::vector<double> decay_errors;  ///< [value head]
  double scale = 0;
};

base::Result<std::vector<std::size_t>> read_starts(std::span<const ConstArgument> inputs, std::size_t sequences,
                                                   std::size_t tokens) {
  ASSAY_TRY_ASSIGN(const auto bytes,
                   tensor_bytes(inputs, kCuSeqlens, "cu_seqlens", tensor::DType::int64, sequences + 1));
  std::vector<std::size_t> starts;
  std::int64_t before = 0;
  for (std::size_t i = 0; i <= sequences; ++i) {
    const auto start = load<std::int64_t>(bytes, i);
    if (start < before || (i == 0 && start != 0) || (i == sequences && start != static_cast<std::int64_t>(tokens))) {
      return base::internal_error(
          "operator.arguments",
          fmt::format("input 8 (cu_seqlens) must go from 0 to total_seq_len = {} without falling; element {} is {}",
                      tokens, i, start));
    }
    before = start;
    starts.push_back(static_cast<std::size_t>(start));
  }
  return starts;
}

base::Result<Call> read_call(const Dimensions& dimensions, const task::AxisValues& axes,
                             std::span<const ConstArgument> inputs) {
  using enum tensor::DType;
  if (inputs.size() != kInputCount) {
    return base::internal_error("operator.arguments", "gdn_prefill: needs ten inputs");
  }
  ASSAY_TRY_ASSIGN(const std::size_t tokens, axis_value(axes, "total_seq_len"));
  ASSAY_TRY_ASSIGN(const std::size_t sequences, axis_value(axes, "num_seqs"));
  const std::size_t heads = dimensions.value_heads;
  const std::size_t query_elements = tokens * dimensions.query_heads * dimensions.head_size;
  Call call;
  call.dimensions = dimensions;
  ASSAY_TRY_ASSIGN(call.q, tensor_bytes(inputs, kQ, "q", bfloat16, query_elements));
  ASSAY_TRY_ASSIGN(call.k, tensor_bytes(inputs, kK, "k", bfloat16, query_elements));
  ASSAY_TRY_ASSIGN(call.v, tensor_bytes(inputs, kV, "v", bfloat16, tokens * heads * dimensions.head_size));
  ASSAY_TRY_ASSIGN(call.state,
                   tensor_bytes(inputs, kState, "state", float32, sequences * heads * dimensions.state_size()));
  ASSAY_TRY_ASSIGN(const auto a_log, read_tensor(inputs, kALog, "A_log", float32, heads));
  ASSAY_TRY_ASSIGN(const auto a, read_tensor(inputs, kA, "a", bfloat16, tokens * heads));
  ASSAY_TRY_ASSIGN(const auto dt_bias, read_tensor(inputs, kDtBias, "dt_bias", float32, heads));
  ASSAY_TRY_ASSIGN(const auto b, read_tensor(inputs, kB, "b", bfloat16, tokens * heads));
  ASSAY_TRY_ASSIGN(call.starts, read_starts(inputs, sequences, tokens));
  ASSAY_TRY_ASSIGN(call.scale, read_scalar(inputs, kScale, "scale"));
  if (call.scale == 0) {
    call.scale = 1.0 / std::sqrt(static_cast<double>(dimensions.head_size));
  }
  call.gates.reserve(tokens * heads);
  for (std::size_t i = 0; i < tokens * heads; ++i) {
    const std::size_t head = i % heads;
    call.gates.push_back({decay(a_log[head], a[i], dt_bias[head]), sigmoid(b[i])});
  }
  for (const double each : a_log) {
    call.decay_errors.push_back(RowError::kSoftplus * std::exp(each));
  }
  return call;
}

/// Some rows of the state of one value head, along one sequence.
class Piece {
 public:
  Piece(const Call& call, std::size_t sequence, std::size_t head, std::size_t first_row)
      : call_(&call),
        size_(call.dimensions.head_size),
        sequence_(sequence),
        head_(head),
        first_row_(first_row),
        row_count_(std::min(kRowsAPiece, size_ - first_row)),
        rows_(row_count_ * size_),
        q_(size_),
        k_(size_),
        v_(row_count_) {
    const std::size_t begin = state_at();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i] = static_cast<double>(load<float>(call.state, begin + i));
    }
    for (std::size_t i = 0; i < row_count_; ++i) {
      errors_.emplace_back(square_norm(row(i), size_));
    }
  }

  void run(std::vector<ExpectedValues>& outputs) {
    const std::size_t begin = call_->starts[sequence_];
    const std::size_t end = call_->starts[sequence_ + 1];
    for (std::size_t token = begin; token < end; ++token) {
      if ((token - begin) % RowError::kRefreshTokens == 0) {
        for (std::size_t i = 0; i < row_count_; ++i) {
          errors_[i].refresh(square_norm(row(i), size_));
        }
      }
      step(token, outputs);
    }
    store_state(begin == end, outputs);
  }

 private:
  [[nodiscard]] double* row(std::size_t i) { return rows_.data() + i * size_; }
  [[nodiscard]] std::size_t state_row_at() const {
    return (sequence_ * call_->dimensions.value_heads + head_) * size_ + first_row_;
  }
  [[nodiscard]] std::size_t state_at() const { return state_row_at() * size_; }

  void step(std::size_t token, std::vector<ExpectedValues>& outputs) {
    const Dimensions& dimensions = call_->dimensions;
    const std::size_t query_at = (token * dimensions.query_heads + dimensions.query_head_of(head_)) * size_;
    const std::size_t value_at = (token * dimensions.value_heads + head_) * size_ + first_row_;
    widen(call_->q, query_at, q_);
    widen(call_->k, query_at, k_);
    widen(call_->v, value_at, v_);
    const auto [g, beta] = call_->gates[token * dimensions.value_heads + head_];
    const auto width = static_cast<double>(size_);
    const double gain_square = beta * beta * square_norm(k_.data(), size_);
    const double reach = std::fabs(call_->scale) * std::sqrt(square_norm(q_.data(), size_) / width);
    for (std::size_t i = 0; i < row_count_; ++i) {
      const double predicted = decay_and_predict(row(i), g, k_.data(), size_);
      const double delta = beta * (v_[i] - predicted);
      const double output = call_->scale * write_and_read(row(i), delta, k_.data(), q_.data(), size_);
      outputs[kOutput][value_at + i] = output;
      errors_[i].step(g * g, gain_square, v_[i], predicted, width, call_->decay_errors[head_]);
      outputs[kOutputError][value_at + i] = errors_[i].of_output(output, reach);
    }
  }

  void store_state(bool empty, std::vector<ExpectedValues>& outputs) {
    if (empty) {
      std::fill(rows_.begin(), rows_.end(), 0.0);
    }
    std::copy(rows_.begin(), rows_.end(), outputs[kNewState].begin() + static_cast<std::ptrdiff_t>(state_at()));
    for (std::size_t i = 0; i < row_count_; ++i) {
      outputs[kStateError][state_row_at() + i] =
          empty ? 0.0 : errors_[i].of_state(std::sqrt(square_norm(row(i), size_)));
    }
  }

  const Call* call_;
  std::size_t size_;
  std::size_t sequence_;
  std::size_t head_;
  std::size_t first_row_;
  std::size_t row_count_;
  std::vector<double> rows_;
  std::vector<double> q_;
  std::vector<double> k_;
  std::vector<double> v_;
  std::vector<RowError> errors_;
};

}  // namespace

base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                     std::span<const ConstArgument> inputs, std::vector<ExpectedValues>& outputs) {
  ASSAY_CHECK(dimensions.head_size % kStrands == 0 && dimensions.value_heads % dimensions.query_heads == 0);
  ASSAY_TRY_ASSIGN(const Call call, read_call(dimensions, axes, inputs));
  const std::size_t sequences = call.starts.size() - 1;
  const std::size_t value_elements = call.gates.size() * dimensions.head_size;
  const std::size_t state_rows = sequences * dimensions.value_heads * dimensions.head_size;
  outputs.resize(kKeptCount);
  resize_large(outputs[kOutput], value_elements);
  resize_large(outputs[kOutputError], value_elements);
  resize_large(outputs[kNewState], state_rows * dimensions.head_size);
  resize_large(outputs[kStateError], state_rows);

  const std::size_t pieces_a_head = (dimensions.head_size + kRowsAPiece - 1) / kRowsAPiece;
  base::parallel_for(sequences * dimensions.value_heads * pieces_a_head, [&](std::size_t piece) {
    const std::size_t head = piece / pieces_a_head;
    Piece(call, head / dimensions.value_heads, head % dimensions.value_heads, piece % pieces_a_head * kRowsAPiece)
        .run(outputs);
  });
  return {};
}

}  // namespace assay::operators::gdn_prefill
