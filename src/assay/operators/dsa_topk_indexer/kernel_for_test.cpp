#include <assay/operators/dsa_topk_indexer/kernel_for_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/selector_for_test.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

const std::array<float, 256>& float8_table() {
  static const std::array<float, 256> kTable = [] {
    std::array<float, 256> table;
    for (unsigned bits = 0; bits < 256; ++bits) {
      table[bits] = tensor::from_float8_e4m3fn(static_cast<std::uint8_t>(bits));
    }
    return table;
  }();
  return kTable;
}

float flush(float value, const Style& style) {
  return style.flushes_denormal && std::fabs(value) < std::numeric_limits<float>::min() ? 0.0F : value;
}

float bfloat16(float value) { return tensor::from_bfloat16(tensor::to_bfloat16(value)); }
float float16(float value) { return tensor::from_float16(tensor::to_float16(value)); }

/// A model of the fp8 tensor cores of Hopper: they add 32 products to a sum after cutting each of the 33 at the 13th
/// bit behind the first one of the largest. On official contents of the contest's size its scores err by up to 7.0e-6
/// of what is added up, those of an H200 by up to 6.7e-6.
float tensor_core_dot(std::span<const float> q, std::span<const float> k) {
  constexpr std::size_t kChunk = 32;
  constexpr float kBits = 0x1p13F;
  float sum = 0;
  for (std::size_t begin = 0; begin < q.size(); begin += kChunk) {
    std::array<float, kChunk + 1> terms{};
    float largest = std::fabs(sum);
    terms[kChunk] = sum;
    for (std::size_t d = begin; d < std::min(begin + kChunk, q.size()); ++d) {
      terms[d - begin] = q[d] * k[d];
      largest = std::max(largest, std::fabs(terms[d - begin]));
    }
    if (largest == 0.0F) {
      continue;
    }
    // The power of two in the largest.
    const float first = __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, largest) & 0x7f800000U);
    const float unit = first / kBits;
    std::int32_t units = 0;
    for (const float term : terms) {
      units += static_cast<std::int32_t>(term / unit);
    }
    sum = static_cast<float>(units) * unit;
  }
  return sum;
}

float dot(std::span<const float> q, std::span<const float> k, const Style& style) {
  if (style.sum == Style::Sum::tensor_core) {
    return tensor_core_dot(q, k);
  }
  if (style.sum == Style::Sum::one_strand) {
    float sum = 0;
    for (std::size_t d = 0; d < q.size(); ++d) {
      sum += flush(q[d] * k[d], style);
    }
    return sum;
  }
  std::array<float, 8> sums{};
  for (std::size_t d = 0; d < q.size(); ++d) {
    sums[d % 8] = std::fma(q[d], k[d], sums[d % 8]);
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// Where a kernel finds the key and the scale of a token.
struct Place {
  std::size_t key = 0;
  std::size_t scale = 0;
};

Place place_of(const Call& call, std::size_t row, std::size_t position, Mistake mistake) {
  const Dimensions& dimensions = call.dimensions;
  const std::size_t page_size = dimensions.page_size;
  std::size_t token = call.token(row, position);
  if (mistake == Mistake::next_page) {
    token = (token + page_size) % (call.pages * page_size);
  }
  const std::size_t first = token / page_size * page_size;
  Place place{dimensions.key_at(token), dimensions.scale_at(token)};
  if (mistake == Mistake::interleaved_page) {
    const std::size_t begin =
        first / page_size * dimensions.page_bytes() + token % page_size * (dimensions.head_size + sizeof(float));
    place = {begin, begin + dimensions.head_size};
  } else if (mistake == Mistake::next_token_scale) {
    place.scale = dimensions.scale_at(first + (token + 1) % page_size);
  } else if (mistake == Mistake::first_token_scale) {
    place.scale = dimensions.scale_at(first);
  }
  return place;
}

std::vector<float> read_query(const Call& call, std::size_t row) {
  std::vector<float> query;
  for (const std::byte bits : call.query.subspan(row * call.dimensions.query_bytes(), call.dimensions.query_bytes())) {
    query.push_back(float8_table()[std::to_integer<std::size_t>(bits)]);
  }
  return query;
}

float weight_of(const Call& call, std::size_t row, std::size_t head, Mistake mistake) {
  if (mistake == Mistake::swapped_heads && head < 2) {
    head = 1 - head;
  }
  const float weight = call.weights[row * call.dimensions.heads + head];
  if (mistake == Mistake::no_weights || (mistake == Mistake::last_head_missing && head + 1 == call.dimensions.heads)) {
    return mistake == Mistake::no_weights ? 1.0F : 0.0F;
  }
  return mistake == Mistake::absolute_weights ? std::fabs(weight) : weight;
}

float rounded_score(float score, Mistake mistake) {
  switch (mistake) {
    case Mistake::bfloat16_score:
      return bfloat16(score);
    case Mistake::float16_score:
      return float16(score);
    case Mistake::negative_as_zero:
      return std::max(score, 0.0F);
    default:
      return score;
  }
}

std::vector<float> scores_of_row(const Call& call, std::size_t row, const Style& style, Mistake mistake) {
  const Dimensions& dimensions = call.dimensions;
  const std::vector<float> query = read_query(call, mistake == Mistake::first_row_query ? 0 : row);
  std::vector<float> scores;
  std::vector<float> key(dimensions.head_size);
  for (std::size_t position = 0; position < call.length(row); ++position) {
    const Place place = place_of(call, row, position, mistake);
    const float scale = mistake == Mistake::no_scale ? 1.0F : load<float>(call.cache.subspan(place.scale), 0);
    const float of_key = style.scales_key ? scale : 1.0F;
    for (std::size_t d = 0; d < key.size(); ++d) {
      key[d] = flush(of_key * float8_table()[std::to_integer<std::size_t>(call.cache[place.key + d])], style);
      if (mistake == Mistake::half_of_the_key && d >= key.size() / 2) {
        key[d] = 0;
      }
    }
    float score = 0;
    for (std::size_t head = 0; head < dimensions.heads; ++head) {
      float product = dot(std::span(query).subspan(head * key.size(), key.size()), key, style);
      if (mistake == Mistake::bfloat16_dot) {
        product = bfloat16(product);
      } else if (mistake == Mistake::float16_dot) {
        product = float16(product);
      }
      product = mistake == Mistake::no_relu ? product : std::max(product, 0.0F);
      score += flush(weight_of(call, row, head, mistake) * product, style);
    }
    scores.push_back(rounded_score(style.scales_key ? score : flush(score * scale, style), mistake));
  }
  return scores;
}

Positions take_in_order(std::span<const float> scores, std::size_t count, float threshold, bool includes_equal) {
  Positions chosen;
  for (std::size_t at = 0; at < scores.size() && chosen.size() < count; ++at) {
    if (scores[at] > threshold || (includes_equal && scores[at] == threshold)) {
      chosen.push_back(at);
    }
  }
  return chosen;
}

Positions guess_threshold(std::span<const float> scores, std::size_t count) {
  const std::span<const float> sample = scores.first(scores.size() / 4);
  const Positions best = select_by_sort(sample, std::max<std::size_t>(1, count * sample.size() / scores.size()));
  Positions chosen = take_in_order(scores, count, sample[best.back()], true);
  std::vector<bool> taken(scores.size());
  for (const std::size_t at : chosen) {
    taken[at] = true;
  }
  for (std::size_t at = 0; chosen.size() < count; ++at) {
    if (!taken[at]) {
      chosen.push_back(at);
    }
  }
  return chosen;
}

std::optional<Positions> select_wrongly(std::span<const float> scores, std::size_t count, Mistake mistake) {
  const auto threshold = [&] { return scores[select_by_sort(scores, count).back()]; };
  std::vector<float> other(scores.begin(), scores.end());
  switch (mistake) {
    case Mistake::lowest:
      std::transform(other.begin(), other.end(), other.begin(), [](float score) { return -score; });
      return select_by_sort(other, count);
    case Mistake::short_key:
      std::transform(other.begin(), other.end(), other.begin(), [](float score) {
        return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, score) & 0xffff0000U);
      });
      return select_by_sort(other, count);
    case Mistake::small_buffer:
      return select_by_sort(scores.first(std::min(scores.size(), 2 * count)), count);
    case Mistake::ties_in_order:
      return take_in_order(scores, count, threshold(), true);
    case Mistake::ties_left_out:
      return take_in_order(scores, count, threshold(), false);
    case Mistake::guessed_threshold:
      return guess_threshold(scores, count);
    case Mistake::half_bins_of_8_bits:
      return select_by_half_bins(scores, count, 8, kWithoutTopByte);
    case Mistake::half_bins_of_11_bits:
      return select_by_half_bins(scores, count, 11, kWithoutTopByte);
    case Mistake::half_bins_of_16_bits:
      return select_by_half_bins(scores, count, 16, kWithoutTopByte);
    default:
      return std::nullopt;
  }
}

Positions select(std::span<const float> scores, std::size_t count, const Style& style, Mistake mistake) {
  if (std::optional<Positions> wrong = select_wrongly(scores, count, mistake)) {
    return std::move(*wrong);
  }
  switch (style.select) {
    case Style::Select::sort:
      return select_by_sort(scores, count);
    case Style::Select::partition:
      return select_by_partition(scores, count);
    case Style::Select::radix:
      return select_by_radix(scores, count);
    case Style::Select::half_bins:
      return select_by_half_bins(scores, count, 11, kWholeKey);
  }
  return {};
}

std::size_t wrong_length(const Call& call, std::size_t row, Mistake mistake) {
  const std::size_t length = call.length(row);
  switch (mistake) {
    case Mistake::whole_table:
      return call.table_width * call.dimensions.page_size;
    case Mistake::last_token_missing:
      return length - std::min<std::size_t>(length, 1);
    case Mistake::partial_page_missing:
      return length / call.dimensions.page_size * call.dimensions.page_size;
    default:
      return length;
  }
}

void run_row(Call& call, std::size_t row, bool scores_matter, const Style& style, Mistake mistake,
             std::span<std::int32_t> ids) {
  call.lengths[row] = static_cast<std::int32_t>(wrong_length(call, row, mistake));
  Positions positions(call.kept(row));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = i;
  }
  if (call.is_long(row) && scores_matter) {
    positions = select(scores_of_row(call, row, style, mistake), positions.size(), style, mistake);
  }
  std::vector<std::int32_t> chosen;
  for (const std::size_t position : positions) {
    chosen.push_back(
        static_cast<std::int32_t>(mistake == Mistake::positions_for_ids ? position : call.token(row, position)));
  }
  if (style.order == Style::Order::ascending) {
    std::sort(chosen.begin(), chosen.end());
  }
  if (mistake != Mistake::unwritten_padding) {
    std::fill(ids.begin(), ids.end(), mistake == Mistake::zero_padding ? 0 : -1);
  }
  const std::size_t begin = style.order == Style::Order::padding_first ? ids.size() - chosen.size() : 0;
  std::copy(chosen.begin(), chosen.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

std::vector<float> kernel_scores(OperatorTrial& trial, const Dimensions& dimensions, std::size_t row,
                                 const Style& style, Mistake mistake) {
  return scores_of_row(call_of(trial, dimensions), row, style, mistake);
}

void run_kernel(OperatorTrial& trial, const Dimensions& dimensions, const Style& style, Mistake mistake) {
  Call call = call_of(trial, dimensions);
  std::size_t long_rows = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    long_rows += call.is_long(row) ? 1U : 0U;
    const bool scores_matter = mistake != Mistake::first_tokens && (mistake != Mistake::one_long_row || long_rows == 1);
    run_row(call, row, scores_matter, style, mistake,
            trial.out<std::int32_t>(0).subspan(row * dimensions.topk, dimensions.topk));
  }
}

}  // namespace assay::operators::dsa_topk_indexer
