#include <assay/operators/dsa_topk_indexer/scores.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

constexpr std::size_t kStrands = 8;
constexpr auto kLargestFloat = static_cast<double>(std::numeric_limits<float>::max());
constexpr auto kSmallestNormal = static_cast<double>(std::numeric_limits<float>::min());

const std::array<double, 256>& float8_values() {
  static const std::array<double, 256> kValues = [] {
    std::array<double, 256> values;
    for (std::size_t bits = 0; bits < values.size(); ++bits) {
      values[bits] = static_cast<double>(tensor::from_float8_e4m3fn(static_cast<std::uint8_t>(bits)));
    }
    return values;
  }();
  return kValues;
}

}  // namespace

double float8_value(std::byte bits) { return float8_values()[std::to_integer<std::size_t>(bits)]; }

RowQuery::RowQuery(const Call& call, std::size_t row)
    : call_(&call), row_(row), query_(call.dimensions.query_bytes()), weights_(call.dimensions.heads) {
  const auto [heads, head_size, topk, page_size] = call.dimensions;
  ASSAY_CHECK(heads % kStrands == 0);
  double weights = 0;
  double weighted_sum = 0;
  for (std::size_t head = 0; head < heads; ++head) {
    double square = 0;
    double sum = 0;
    for (std::size_t d = 0; d < head_size; ++d) {
      const double value = float8_value(call.query[(row * heads + head) * head_size + d]);
      query_[d * heads + head] = value;
      square += value * value;
      sum += std::fabs(value);
    }
    weights_[head] = static_cast<double>(call.weights[row * heads + head]);
    const double weight = std::fabs(weights_[head]);
    weights += weight;
    weighted_sum += weight * sum;
    weighted_norm_ += weight * std::sqrt(square);
    largest_norm_ = std::max(largest_norm_, std::isnan(square) ? kLargestFloat : std::sqrt(square));
  }
  // Of each head: k * scale and its product with q for each element, then the weight's product; and the last scaling.
  const auto size = static_cast<double>(head_size);
  underflow_ = kSmallestNormal * (weighted_sum + weights * 2 * size + static_cast<double>(heads) + 1);
}

RowQuery::Scored RowQuery::score_key(const std::vector<double>& key, double scale, std::vector<double>& dots) const {
  const std::size_t heads = weights_.size();
  double square = 0;
  for (const double value : key) {
    square += value * value;
  }
  // Products of fp8 numbers, and their sums, fit a double: the order does not matter. Eight heads at a time stay in
  // registers.
  for (std::size_t begin = 0; begin < heads; begin += kStrands) {
    std::array<double, kStrands> sums{};
    const double* query = query_.data() + begin;
    for (const double value : key) {
      for (std::size_t strand = 0; strand < kStrands; ++strand) {
        sums[strand] += query[strand] * value;
      }
      query += heads;
    }
    std::copy(sums.begin(), sums.end(), dots.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  Scored result;
  for (std::size_t head = 0; head < heads; ++head) {
    result.score += weights_[head] * relu(scale * dots[head]);
  }
  const double norm = std::sqrt(square);
  const double magnitude = std::fabs(scale) * norm * weighted_norm_;
  result.slack = kRelativeSlack * magnitude + underflow_;
  // The largest thing that a kernel may hold on its way, whether it scales the key or the sum.
  const double largest = std::max({1.0, std::fabs(scale)}) * norm * std::max({1.0, largest_norm_, weighted_norm_});
  if (!(largest < kLargestFloat) || !std::isfinite(result.score)) {
    result.slack = std::numeric_limits<double>::infinity();
  }
  return result;
}

void RowQuery::score(std::size_t first, std::span<double> scores, std::span<double> slacks) const {
  ASSAY_CHECK(scores.size() == slacks.size());
  const Dimensions& dimensions = call_->dimensions;
  std::vector<double> key(dimensions.head_size);
  std::vector<double> dots(dimensions.heads);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t token = call_->token(row_, first + i);
    const std::byte* bytes = call_->cache.data() + dimensions.key_at(token);
    for (std::size_t d = 0; d < key.size(); ++d) {
      key[d] = float8_value(bytes[d]);
    }
    const auto scale = load<float>(call_->cache.subspan(dimensions.scale_at(token)), 0);
    const Scored scored = score_key(key, static_cast<double>(scale), dots);
    scores[i] = scored.score;
    slacks[i] = scored.slack;
  }
}

}  // namespace assay::operators::dsa_topk_indexer
