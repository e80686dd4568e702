#include <assay/operators/dsa_topk_indexer/crafted_scores.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

constexpr double kStep = 4 * kRelativeSlack;  ///< Twice what two scores may differ by and be swapped.
constexpr std::size_t kLadder = 64;

double between(double low, double high, base::Philox& random) { return low + (high - low) * random.next_uniform(); }

/// Appends `count` draws.
template <class Draw>
void append(std::vector<double>& scores, std::size_t count, Draw&& draw) {
  for (std::size_t i = 0; i < count; ++i) {
    scores.push_back(draw());
  }
}

std::uint8_t float8_bits(double value) { return tensor::to_float8_e4m3fn(static_cast<float>(value)); }

void write_key(const Call& call, std::size_t token, std::span<const double> key, double scale,
               std::span<Argument> arguments) {
  const std::span<std::byte> cache = bytes_of(arguments, kCache);
  for (std::size_t d = 0; d < key.size(); ++d) {
    store(cache, call.dimensions.key_at(token) + d, float8_bits(key[d]));
  }
  store(cache.subspan(call.dimensions.scale_at(token)), 0, static_cast<float>(scale));
}

/// Writes heads that are `direction` times 1/2, 1 or 2, with weights of one sign. Returns sum_h |w_h| * that factor.
double write_parallel_heads(const Call& call, std::size_t row, std::span<const double> direction, Sign sign,
                            base::Philox& random, std::span<Argument> arguments) {
  const auto [heads, head_size, topk, page_size] = call.dimensions;
  double sum = 0;
  for (std::size_t head = 0; head < heads; ++head) {
    const double factor = std::ldexp(1.0, static_cast<int>(random.next_below(3)) - 1);
    for (std::size_t d = 0; d < head_size; ++d) {
      store(bytes_of(arguments, kQuery), (row * heads + head) * head_size + d, float8_bits(factor * direction[d]));
    }
    const auto weight = static_cast<float>(between(0.5, 1.5, random));
    store(bytes_of(arguments, kWeights), row * heads + head, sign == Sign::negative ? -weight : weight);
    sum += static_cast<double>(weight) * factor;
  }
  return sum;
}

}  // namespace

std::vector<double> straddling_scores(std::size_t count, std::size_t topk, Sign sign, bool odd_exponent,
                                      base::Philox& random) {
  ASSAY_CHECK(count > topk);
  const int exponent = 2 * static_cast<int>(random.next_below(9)) - (odd_exponent ? 5 : 4);
  const double power = std::ldexp(1.0, exponent);
  const auto below = [&] { return power * (1 - std::exp2(-between(12.5, 16, random))); };
  const auto above = [&] { return power * (1 + between(2.6e-4, 4.4e-4, random)); };
  const auto far_below = [&] { return power * between(0.05, 0.9, random); };
  const auto far_above = [&] {
    return power * (random.next_below(2) == 0 ? between(1.02, 1.2, random) : between(2, 4, random));
  };
  // Of those that are chosen, `near` lie at the power of two; of the others at least one lies on its other side.
  const std::size_t near = std::max<std::size_t>(1, topk / 8);
  const std::size_t left_out = count - topk;
  const std::size_t across = (left_out + 1) / 2;
  const std::size_t same_side = (left_out - across) / 2;
  std::vector<double> scores;
  if (sign == Sign::positive) {
    append(scores, topk - near, far_above);
    append(scores, near + same_side, above);
    append(scores, across, below);
    append(scores, left_out - across - same_side, far_below);
  } else {
    // Magnitudes: the smaller is the better.
    append(scores, topk - near, far_below);
    append(scores, near + same_side, below);
    append(scores, across, above);
    append(scores, left_out - across - same_side, far_above);
    std::transform(scores.begin(), scores.end(), scores.begin(), [](double score) { return -score; });
  }
  shuffle<double>(scores, random);
  return scores;
}

std::vector<double> tied_scores(std::size_t count, std::size_t topk, base::Philox& random) {
  ASSAY_CHECK(count > topk);
  const double tie = between(1, 100, random);
  const std::size_t better = 2 + random.next_below(topk - 2);
  const std::size_t least = topk - better + 1;
  const std::size_t tied = least + random.next_below(count - better - least + 1);
  std::vector<double> scores;
  append(scores, better, [&] { return tie * between(1.01, 3, random); });
  append(scores, tied, [&] { return tie; });
  append(scores, count - better - tied, [&] { return tie * between(0.1, 0.99, random); });
  shuffle<double>(scores, random);
  // A better one at both ends: whoever takes what reaches the threshold in the order of positions misses one.
  for (double* const end : {&scores.front(), &scores.back()}) {
    if (*end <= tie) {
      std::swap(*end, *std::max_element(scores.begin() + 1, scores.end() - 1));
    }
  }
  return scores;
}

std::vector<double> ladder_scores(std::size_t count, std::size_t topk, base::Philox& random) {
  ASSAY_CHECK(count > topk);
  const double end = between(1, 100, random);
  std::vector<double> scores;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const auto steps = static_cast<double>(topk) - static_cast<double>(rank);
    if (std::fabs(steps) <= static_cast<double>(kLadder)) {
      scores.push_back(end * (1 + kStep * steps));
    } else {
      scores.push_back(end * (steps > 0 ? between(1.05, 4, random) : between(0.05, 0.95, random)));
    }
  }
  shuffle<double>(scores, random);
  return scores;
}

std::vector<double> mixed_scores(std::size_t count, std::size_t topk, std::size_t page_size, base::Philox& random) {
  ASSAY_CHECK(count > topk);
  const double end = between(1, 100, random);
  std::vector<std::size_t> pages((count + page_size - 1) / page_size);
  std::iota(pages.begin(), pages.end(), std::size_t{0});
  shuffle<std::size_t>(pages, random);
  std::vector<double> scores(count);
  std::size_t high = 0;
  std::size_t hard = 0;
  for (const std::size_t page : pages) {
    const std::size_t first = page * page_size;
    const std::size_t size = std::min(page_size, count - first);
    // High pages first, then hard ones until the choice surely ends among them and for two pages more.
    const bool is_high = hard == 0 && high + size < topk;
    const bool is_hard = !is_high && high + hard < topk + 2 * page_size;
    high += is_high ? size : 0;
    hard += is_hard ? size : 0;
    for (std::size_t position = first; position < first + size; ++position) {
      scores[position] = end * (is_high   ? between(3, 8, random)
                                : is_hard ? 1 + kStep * static_cast<double>(random.next_below(4096))
                                          : between(0.01, 0.9, random));
    }
  }
  return scores;
}

void write_scores(const Call& call, std::size_t row, std::span<const double> scores, base::Philox& random,
                  std::span<Argument> arguments) {
  ASSAY_CHECK(scores.size() == call.length(row));
  std::vector<double> key(call.dimensions.head_size);
  double square = 0;
  for (double& element : key) {
    const double drawn = between(0.5, 8, random) * (random.next_below(2) == 0 ? 1 : -1);
    element = static_cast<double>(tensor::from_float8_e4m3fn(float8_bits(drawn)));
    square += element * element;
  }
  const Sign sign = std::any_of(scores.begin(), scores.end(), [](double score) { return score < 0; }) ? Sign::negative
                                                                                                      : Sign::positive;
  const double unscaled = square * write_parallel_heads(call, row, key, sign, random, arguments);
  for (std::size_t position = 0; position < scores.size(); ++position) {
    write_key(call, call.token(row, position), key, std::fabs(scores[position]) / unscaled, arguments);
  }
}

void write_levels(const Call& call, std::size_t row, base::Philox& random, std::span<Argument> arguments) {
  constexpr std::size_t kFine = 8;     // Elements of a key that say its level …
  constexpr std::size_t kMost = 15;    // … each with 0 to 15 units of it.
  constexpr double kCoarse = 16;       // What the other elements are.
  constexpr std::size_t kLevels = 11;  // Some, which bfloat16 takes for one number or two.
  const std::size_t head_size = call.dimensions.head_size;
  ASSAY_CHECK(head_size > kFine);
  const double unit = static_cast<double>(head_size) / 256;
  std::vector<double> direction(head_size);
  for (double& element : direction) {
    element = random.next_below(2) == 0 ? 2 : -2;
  }
  write_parallel_heads(call, row, direction, Sign::positive, random, arguments);
  const std::size_t lowest = random.next_below(kFine * kMost - kLevels + 2);
  std::vector<double> key(head_size);
  for (std::size_t position = 0; position < call.length(row); ++position) {
    std::size_t units = lowest + random.next_below(kLevels);
    for (std::size_t d = 0; d < head_size; ++d) {
      double magnitude = kCoarse;
      if (d < kFine) {
        // Neither too few for what is left, nor too many.
        const std::size_t later = (kFine - 1 - d) * kMost;
        const std::size_t least = units > later ? units - later : 0;
        const std::size_t now = least + random.next_below(std::min(units, kMost) - least + 1);
        units -= now;
        magnitude = unit * static_cast<double>(now);
      }
      key[d] = direction[d] > 0 ? magnitude : -magnitude;
    }
    write_key(call, call.token(row, position), key, 0x1p-4, arguments);
  }
}

}  // namespace assay::operators::dsa_topk_indexer
