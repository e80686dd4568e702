#include <assay/operators/dsa_sparse_attention/float32_for_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <assay/base/error.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

constexpr float kInfinityF = std::numeric_limits<float>::infinity();
constexpr float kLog2E = 1.44269504F;

constexpr std::array<Style, 9> kHonest = {{
    {.name = "two passes", .block = 0},
    {.name = "two passes, 16 strands, base two", .block = 0, .base_two = true, .strands = 16},
    {.name = "one pass, blocks of 64", .block = 64, .strands = 4},
    {.name = "one pass, blocks of 1, base two", .block = 1, .base_two = true},
    {.name = "4 splits", .block = 16, .splits = 4, .base_two = true, .strands = 8},
    {.name = "5 strided splits", .block = 32, .splits = 5, .strided = true, .strands = 8},
    {.name = "tensor cores", .block = 64, .base_two = true, .bfloat16_weights = true, .tensor_core = true},
    {.name = "tensor cores, 8 splits",
     .block = 16,
     .splits = 8,
     .base_two = true,
     .bfloat16_weights = true,
     .tensor_core = true},
    {.name = "bfloat16 weights, two passes", .block = 0, .strands = 8, .bfloat16_weights = true},
}};

float rounded(float value) { return tensor::from_bfloat16(tensor::to_bfloat16(value)); }
float through_float16(float value) { return tensor::from_float16(tensor::to_float16(value)); }

/// Rounds towards zero, as tensor cores leave their sums.
float cut_off(double value) {
  const auto near = static_cast<float>(value);
  return std::fabs(static_cast<double>(near)) > std::fabs(value) ? std::nextafter(near, 0.0F) : near;
}

template <std::size_t kStrands>
float dot_in_strands(const float* x, const float* y, std::size_t count) {
  std::array<float, kStrands> sums{};
  for (std::size_t i = 0; i < count; ++i) {
    sums[i % kStrands] += x[i] * y[i];
  }
  for (std::size_t width = kStrands / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      sums[i] += sums[i + width];
    }
  }
  return sums[0];
}

float dot(const float* x, const float* y, std::size_t count, const Style& style) {
  if (style.tensor_core) {
    constexpr std::size_t kDepth = 16;
    float sum = 0;
    for (std::size_t i = 0; i < count; i += kDepth) {
      double step = static_cast<double>(sum);
      for (std::size_t j = i; j < std::min(count, i + kDepth); ++j) {
        step += static_cast<double>(x[j]) * static_cast<double>(y[j]);
      }
      sum = cut_off(step);
    }
    return sum;
  }
  switch (style.strands) {
    case 1:
      return dot_in_strands<1>(x, y, count);
    case 4:
      return dot_in_strands<4>(x, y, count);
    case 8:
      return dot_in_strands<8>(x, y, count);
    default:
      return dot_in_strands<16>(x, y, count);
  }
}

/// What one split leaves: the maximum, the sum of weights and the weighted sum of the values.
struct Partial {
  float maximum = -kInfinityF;
  float sum = 0;
  std::vector<float> values;
};

class Runner {
 public:
  Runner(const Dimensions& dimensions, OperatorTrial& trial, const Style& style, Mistake mistake)
      : dimensions_(dimensions),
        trial_(trial),
        call_(dimensions, trial.arguments()),
        style_(style),
        mistake_(mistake),
        scale_(static_cast<float>(trial.scalar(kSmScale))) {
    if (mistake == Mistake::no_scale) {
      scale_ = 1;
    }
    if (mistake == Mistake::scale_twice) {
      scale_ *= scale_;
    }
    style_.bfloat16_sum = style_.bfloat16_sum || mistake == Mistake::lse_of_rounded;
    style_.bfloat16_weights = style_.bfloat16_weights || mistake == Mistake::lse_of_rounded;
  }

  void run() {
    for (std::size_t row = 0; row < call_.rows(); ++row) {
      read_row(mistake_ == Mistake::row_of_neighbour ? (row + 1) % call_.rows() : row);
      for (std::size_t head = 0; head < dimensions_.heads; ++head) {
        run_head(row, head);
      }
    }
  }

 private:
  std::size_t key_size() const { return dimensions_.ckv + dimensions_.kpe; }

  bool is(Mistake mistake) const { return mistake_ == mistake; }

  std::size_t address(std::int32_t id) const {
    const std::size_t page_size = dimensions_.page_size;
    if (id == kNoToken) {
      return is(Mistake::padding_reads_last) ? call_.tokens() - 1 : 0;
    }
    auto token = static_cast<std::size_t>(id);
    const std::size_t page = token / page_size;
    const std::size_t offset = token % page_size;
    if (is(Mistake::next_page)) {
      return (token + page_size) % call_.tokens();
    }
    if (is(Mistake::next_offset)) {
      return page * page_size + (offset + 1) % page_size;
    }
    if (is(Mistake::wrong_page_stride)) {
      return (page * (page_size + 1) + offset) % call_.tokens();
    }
    // A negative address would fault: it reads where the pointer would, modulo the cache.
    return is(Mistake::int16_index) ? (token & 0x7fffU) % call_.tokens() : token;
  }

  /// Reads the keys of a row: `named_` holds its slots' positions in `keys_`, and -1 for those that are masked.
  void read_row(std::size_t row) {
    named_.assign(dimensions_.topk, -1);
    keys_.clear();
    std::set<std::int32_t> seen;
    const bool reads_padding = is(Mistake::padding_reads_first) || is(Mistake::padding_reads_last);
    for (std::size_t slot = 0; slot < dimensions_.topk; ++slot) {
      const std::int32_t id = call_.index(row, slot);
      if (id == kNoToken && is(Mistake::stops_at_padding)) {
        break;
      }
      if ((id == kNoToken && !reads_padding) || (is(Mistake::duplicates_once) && !seen.insert(id).second)) {
        continue;
      }
      named_[slot] = static_cast<std::int64_t>(keys_.size() / key_size());
      const std::size_t token = address(id);
      for (const Elements& part : {call_.ckv(token), call_.kpe(token)}) {
        for (std::size_t i = 0; i < part.size(); ++i) {
          keys_.push_back(is(Mistake::float16_cache) ? through_float16(part[i]) : part[i]);
        }
      }
    }
    if (is(Mistake::last_token_dropped)) {
      const auto last = std::find_if(named_.rbegin(), named_.rend(), [](std::int64_t at) { return at >= 0; });
      if (last != named_.rend()) {
        *last = -1;
      }
    }
    if (is(Mistake::last_block_dropped)) {
      std::fill(named_.end() - static_cast<std::ptrdiff_t>(dimensions_.topk / 4), named_.end(), -1);
    }
  }

  std::vector<float> read_query(std::size_t row, std::size_t head) const {
    std::vector<float> query;
    const std::size_t from = is(Mistake::query_of_head_zero) ? 0 : head;
    for (const Elements& part : {call_.q_nope(row, from), call_.q_pe(row, from)}) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        query.push_back(is(Mistake::bfloat16_scaled_query) ? rounded(part[i] * scale_) : part[i]);
      }
    }
    return query;
  }

  float logit(const std::vector<float>& query, std::int64_t at) const {
    const float* key = keys_.data() + static_cast<std::size_t>(at) * key_size();
    float value = 0;
    if (is(Mistake::no_q_pe)) {
      value = scale_ * dot(query.data(), key, dimensions_.ckv, style_);
    } else if (is(Mistake::scale_on_nope_only)) {
      value = scale_ * dot(query.data(), key, dimensions_.ckv, style_) +
              dot(query.data() + dimensions_.ckv, key + dimensions_.ckv, dimensions_.kpe, style_);
    } else {
      value = dot(query.data(), key, key_size(), style_) * (is(Mistake::bfloat16_scaled_query) ? 1.0F : scale_);
    }
    if (is(Mistake::bfloat16_logits)) {
      value = rounded(value);
    }
    if (is(Mistake::float16_logits)) {
      value = through_float16(value);
    }
    return style_.base_two && !is(Mistake::base_two_of_natural) ? value * kLog2E : value;
  }

  float exponential(float x) const {
    return style_.base_two || is(Mistake::base_two_of_natural) ? std::exp2(x) : std::exp(x);
  }

  void add_value(std::vector<float>& sums, float weight, std::int64_t at) const {
    const float* value = keys_.data() + static_cast<std::size_t>(at) * key_size();
    if (is(Mistake::values_shifted)) {
      value += dimensions_.kpe;
    }
    if (!is(Mistake::float8_values) && !is(Mistake::bfloat16_accumulator)) {
      for (std::size_t i = 0; i < dimensions_.ckv; ++i) {
        sums[i] += weight * value[i];
      }
      return;
    }
    for (std::size_t i = 0; i < dimensions_.ckv; ++i) {
      const float element =
          is(Mistake::float8_values) ? tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(value[i])) : value[i];
      sums[i] += weight * element;
      if (is(Mistake::bfloat16_accumulator)) {
        sums[i] = rounded(sums[i]);
      }
    }
  }

  void run_block(const std::vector<float>& query, std::span<const std::int64_t> block, Partial& partial) const {
    std::vector<float> logits;
    float maximum = partial.maximum;
    for (const std::int64_t at : block) {
      logits.push_back(logit(query, at));
      maximum = std::max(maximum, logits.back());
    }
    if (block.empty()) {
      return;
    }
    if (is(Mistake::no_maximum)) {
      maximum = 0;
    }
    const float factor =
        is(Mistake::no_rescaling) || partial.maximum == -kInfinityF ? 1.0F : exponential(partial.maximum - maximum);
    partial.maximum = maximum;
    partial.sum *= factor;
    for (float& value : partial.values) {
      value *= factor;
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      const float weight = exponential(logits[i] - maximum);
      const float used = style_.bfloat16_weights ? rounded(weight) : weight;
      partial.sum += style_.bfloat16_sum ? used : weight;
      add_value(partial.values, used, block[i]);
    }
  }

  Partial run_split(const std::vector<float>& query, std::size_t split) const {
    Partial partial;
    partial.values.assign(dimensions_.ckv, 0.0F);
    if (is(Mistake::maximum_from_zero)) {
      partial.maximum = 0;
    }
    const std::size_t a_split = (dimensions_.topk + style_.splits - 1) / style_.splits;
    const std::size_t size = style_.block == 0 ? dimensions_.topk : style_.block;
    std::vector<std::int64_t> block;
    for (std::size_t i = 0; i < a_split; ++i) {
      const std::size_t slot = style_.strided ? split + i * style_.splits : split * a_split + i;
      if (slot < dimensions_.topk && named_[slot] >= 0) {
        block.push_back(named_[slot]);
      }
      if ((i + 1) % size == 0 || i + 1 == a_split) {
        run_block(query, block, partial);
        block.clear();
      }
    }
    return partial;
  }

  Partial combine(const std::vector<Partial>& partials) const {
    Partial whole;
    whole.values.assign(dimensions_.ckv, 0.0F);
    for (const Partial& part : partials) {
      whole.maximum = std::max(whole.maximum, part.maximum);
    }
    for (const Partial& part : partials) {
      const bool empty = part.sum == 0 && part.maximum == -kInfinityF;
      float weight = empty ? 0.0F : exponential(part.maximum - whole.maximum);
      if (empty && is(Mistake::empty_split_is_nan)) {
        weight = part.maximum - part.maximum;
      }
      if (is(Mistake::splits_weigh_alike) && !empty) {
        weight = 1;
      }
      whole.sum += weight * part.sum + (empty && is(Mistake::empty_split_weighs_one) ? 1.0F : 0.0F);
      for (std::size_t i = 0; i < dimensions_.ckv; ++i) {
        whole.values[i] += weight * part.values[i];
      }
    }
    return whole;
  }

  void run_head(std::size_t row, std::size_t head) {
    const std::vector<float> query = read_query(row, head);
    std::vector<Partial> partials;
    for (std::size_t split = 0; split < style_.splits; ++split) {
      partials.push_back(run_split(query, split));
    }
    const Partial whole = partials.size() == 1 && !is(Mistake::empty_split_is_nan) ? partials[0] : combine(partials);
    const std::size_t at = row * dimensions_.heads + (is(Mistake::head_swapped) ? head ^ 1U : head);
    const bool empty = std::all_of(named_.begin(), named_.end(), [](std::int64_t named) { return named < 0; });
    if (empty && is(Mistake::empty_row_unwritten)) {
      return;
    }
    const bool guarded = empty && !is(Mistake::empty_split_is_nan) && !is(Mistake::empty_split_weighs_one);
    for (std::size_t i = 0; i < dimensions_.ckv; ++i) {
      trial_.out<std::uint16_t>(kOutput)[at * dimensions_.ckv + i] =
          tensor::to_bfloat16(guarded ? 0.0F : whole.values[i] / whole.sum);
    }
    if (is(Mistake::stale_lse) && row > 0) {
      trial_.out<float>(kLse)[at] = trial_.out<float>(kLse)[at - dimensions_.heads];
      return;
    }
    trial_.out<float>(kLse)[at] = guarded ? (is(Mistake::empty_row_lse_zero) ? 0.0F : -kInfinityF) : lse(whole);
  }

  float lse(const Partial& whole) const {
    if (is(Mistake::lse_without_maximum)) {
      return std::log2(whole.sum);
    }
    const float value =
        style_.base_two ? whole.maximum + std::log2(whole.sum) : (whole.maximum + std::log(whole.sum)) * kLog2E;
    if (is(Mistake::natural_lse)) {
      return value / kLog2E;
    }
    if (is(Mistake::bfloat16_lse)) {
      return rounded(value);
    }
    return is(Mistake::float16_lse) ? through_float16(value) : value;
  }

  const Dimensions& dimensions_;
  OperatorTrial& trial_;
  CallView call_;
  Style style_;
  Mistake mistake_;
  float scale_;
  std::vector<std::int64_t> named_;
  std::vector<float> keys_;
};

}  // namespace

std::span<const Style> honest_styles() { return kHonest; }

void run_float32(const Dimensions& dimensions, OperatorTrial& trial, const Style& style, Mistake mistake) {
  if (mistake == Mistake::zeros) {
    std::fill(trial.out<std::uint16_t>(kOutput).begin(), trial.out<std::uint16_t>(kOutput).end(), std::uint16_t{0});
    std::fill(trial.out<float>(kLse).begin(), trial.out<float>(kLse).end(), 0.0F);
    return;
  }
  Runner(dimensions, trial, style, mistake).run();
}

}  // namespace assay::operators::dsa_sparse_attention
