#include <assay/operators/dsa_sparse_attention/reference.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

constexpr std::size_t kStrands = 8;      // Of a sum: the adder's latency does not decide how long a trial takes.
constexpr std::size_t kHeadsAPiece = 4;  // Share one reading of the keys, and their sums fit the nearest cache.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLn2 = 0.69314718055994530942;

std::size_t whole_strands(std::size_t count) { return (count + kStrands - 1) / kStrands * kStrands; }

/// Both vectors are padded with zeros to whole strands.
double strand_dot(const double* x, const double* y, std::size_t count) {
  std::array<double, kStrands> sums{};
  for (std::size_t i = 0; i < count; i += kStrands) {
    for (std::size_t strand = 0; strand < kStrands; ++strand) {
      sums[strand] += x[i + strand] * y[i + strand];
    }
  }
  double total = 0;
  for (const double sum : sums) {
    total += sum;
  }
  return total;
}

void add_scaled(double* sum, double factor, const double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kStrands) {
    for (std::size_t strand = 0; strand < kStrands; ++strand) {
      sum[i + strand] += factor * x[i + strand];
    }
  }
}

/// Widens `count` bfloat16 elements that start at element `at` of a tensor.
void widen(std::span<const std::byte> tensor, std::size_t at, std::size_t count, double* wide) {
  const std::byte* from = tensor.data() + at * sizeof(std::uint16_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    wide[i] = static_cast<double>(tensor::from_bfloat16(bits));
  }
}

struct Tensors {
  std::span<const std::byte> q_nope;
  std::span<const std::byte> q_pe;
  std::span<const std::byte> ckv;
  std::span<const std::byte> kpe;
  double sm_scale = 0;
};

/// Some heads of one row. Two passes over the row's tokens: first all logits, then the weighted sum of the values.
class RowHeads {
 public:
  RowHeads(const Dimensions& dimensions, const Tensors& tensors, std::span<const std::int32_t> indices)
      : dimensions_(dimensions),
        tensors_(tensors),
        value_size_(whole_strands(dimensions.ckv)),
        key_size_(value_size_ + whole_strands(dimensions.kpe)),
        key_(key_size_) {
    std::copy_if(indices.begin(), indices.end(), std::back_inserter(tokens_),
                 [](std::int32_t id) { return id != kNoToken; });
  }

  /// `output` and `lse` are those of `first_head` and the `count` - 1 heads behind it; `query` counts heads of all rows.
  void attend(std::size_t query, std::size_t count, double* output, double* lse) {
    if (tokens_.empty()) {
      std::fill_n(output, count * dimensions_.ckv, 0.0);
      std::fill_n(lse, count, -kInfinity);
      return;
    }
    const std::vector<double> logits = all_logits(query, count);
    std::vector<double> weights(logits.size());
    std::array<double, kHeadsAPiece> sums{};
    for (std::size_t head = 0; head < count; ++head) {
      const double* of_head = logits.data() + head * tokens_.size();
      const double largest = *std::max_element(of_head, of_head + tokens_.size());
      for (std::size_t t = 0; t < tokens_.size(); ++t) {
        weights[head * tokens_.size() + t] = std::exp(of_head[t] - largest);
        sums[head] += weights[head * tokens_.size() + t];
      }
      lse[head] = (largest + std::log(sums[head])) / kLn2;
    }
    std::vector<double> values(count * value_size_);
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      widen(tensors_.ckv, static_cast<std::size_t>(tokens_[t]) * dimensions_.ckv, dimensions_.ckv, key_.data());
      for (std::size_t head = 0; head < count; ++head) {
        add_scaled(values.data() + head * value_size_, weights[head * tokens_.size() + t], key_.data(), value_size_);
      }
    }
    for (std::size_t head = 0; head < count; ++head) {
      for (std::size_t i = 0; i < dimensions_.ckv; ++i) {
        output[head * dimensions_.ckv + i] = values[head * value_size_ + i] / sums[head];
      }
    }
  }

 private:
  std::vector<double> all_logits(std::size_t query, std::size_t count) {
    std::vector<double> queries(count * key_size_);
    for (std::size_t head = 0; head < count; ++head) {
      double* to = queries.data() + head * key_size_;
      widen(tensors_.q_nope, (query + head) * dimensions_.ckv, dimensions_.ckv, to);
      widen(tensors_.q_pe, (query + head) * dimensions_.kpe, dimensions_.kpe, to + value_size_);
    }
    std::vector<double> logits(count * tokens_.size());
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      const auto token = static_cast<std::size_t>(tokens_[t]);
      widen(tensors_.ckv, token * dimensions_.ckv, dimensions_.ckv, key_.data());
      widen(tensors_.kpe, token * dimensions_.kpe, dimensions_.kpe, key_.data() + value_size_);
      for (std::size_t head = 0; head < count; ++head) {
        logits[head * tokens_.size() + t] =
            tensors_.sm_scale * strand_dot(queries.data() + head * key_size_, key_.data(), key_size_);
      }
    }
    return logits;
  }

  const Dimensions& dimensions_;
  const Tensors& tensors_;
  std::size_t value_size_;
  std::size_t key_size_;
  std::vector<std::int32_t> tokens_;
  std::vector<double> key_;  ///< Of one token: ckv and kpe, each padded with zeros.
};

}  // namespace

base::Result<std::vector<std::int32_t>> read_indices(const Dimensions& dimensions,
                                                     std::span<const ConstArgument> inputs, std::size_t rows,
                                                     std::size_t tokens) {
  ASSAY_TRY_ASSIGN(const auto bytes, tensor_bytes(inputs, kSparseIndices, "sparse_indices", tensor::DType::int32,
                                                  rows * dimensions.topk));
  std::vector<std::int32_t> indices(rows * dimensions.topk);
  std::memcpy(indices.data(), bytes.data(), bytes.size());
  for (std::size_t at = 0; at < indices.size(); ++at) {
    if (indices[at] < kNoToken || indices[at] >= static_cast<std::int64_t>(tokens)) {
      return base::input_error(
          "operator.index_range",
          fmt::format("sparse_indices[{}, {}] must be -1 or a token, 0 to num_pages * page_size - 1 = {}; it is {}",
                      at / dimensions.topk, at % dimensions.topk, tokens - 1, indices[at]));
    }
  }
  return indices;
}

base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                     std::span<const ConstArgument> inputs, std::vector<ExpectedValues>& outputs) {
  ASSAY_TRY_ASSIGN(const std::size_t rows, axis_value(axes, "num_tokens"));
  ASSAY_TRY_ASSIGN(const std::size_t pages, axis_value(axes, "num_pages"));
  if (rows == 0 || pages == 0 || inputs.size() != kInputCount) {
    return base::internal_error("operator.arguments",
                                "dsa_sparse_attention: needs num_tokens > 0, num_pages > 0 and six inputs");
  }
  const std::size_t tokens = pages * dimensions.page_size;
  const std::size_t queries = rows * dimensions.heads;
  using enum tensor::DType;
  Tensors tensors;
  ASSAY_TRY_ASSIGN(tensors.q_nope, tensor_bytes(inputs, kQNope, "q_nope", bfloat16, queries * dimensions.ckv));
  ASSAY_TRY_ASSIGN(tensors.q_pe, tensor_bytes(inputs, kQPe, "q_pe", bfloat16, queries * dimensions.kpe));
  ASSAY_TRY_ASSIGN(tensors.ckv, tensor_bytes(inputs, kCkvCache, "ckv_cache", bfloat16, tokens * dimensions.ckv));
  ASSAY_TRY_ASSIGN(tensors.kpe, tensor_bytes(inputs, kKpeCache, "kpe_cache", bfloat16, tokens * dimensions.kpe));
  ASSAY_TRY_ASSIGN(const std::vector<std::int32_t> indices, read_indices(dimensions, inputs, rows, tokens));
  ASSAY_TRY_ASSIGN(tensors.sm_scale, read_scalar(inputs, kSmScale, "sm_scale"));

  outputs.resize(kOutputCount);
  resize_large(outputs[kOutput], queries * dimensions.ckv);
  resize_large(outputs[kLse], queries);
  const std::size_t pieces_a_row = (dimensions.heads + kHeadsAPiece - 1) / kHeadsAPiece;
  base::parallel_for(rows * pieces_a_row, [&](std::size_t piece) {
    const std::size_t row = piece / pieces_a_row;
    const std::size_t head = piece % pieces_a_row * kHeadsAPiece;
    const std::size_t query = row * dimensions.heads + head;
    RowHeads heads(dimensions, tensors, std::span(indices).subspan(row * dimensions.topk, dimensions.topk));
    heads.attend(query, std::min(kHeadsAPiece, dimensions.heads - head),
                 outputs[kOutput].data() + query * dimensions.ckv, outputs[kLse].data() + query);
  });
  return {};
}

}  // namespace assay::operators::dsa_sparse_attention
