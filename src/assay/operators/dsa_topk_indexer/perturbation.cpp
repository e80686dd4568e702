#include <assay/operators/dsa_topk_indexer/perturbation.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

/// A token of a long row: its key and what each head makes of it.
struct Token {
  std::size_t id = 0;
  double scale = 0;
  double score = 0;
  std::vector<double> key;
  std::vector<double> dots;  ///< q . k of each head.
};

/// The two tokens between which the choice of a long row ends.
struct Boundary {
  std::size_t row = 0;
  Token left_out;  ///< The best of those.
  Token chosen;    ///< The worst of those.
};

Token read_token(const Call& call, std::size_t row, std::size_t position, double score) {
  const auto [heads, head_size, topk, page_size] = call.dimensions;
  Token token;
  token.id = call.token(row, position);
  token.scale = static_cast<double>(load<float>(call.cache.subspan(call.dimensions.scale_at(token.id)), 0));
  token.score = score;
  for (std::size_t d = 0; d < head_size; ++d) {
    token.key.push_back(float8_value(call.cache[call.dimensions.key_at(token.id) + d]));
  }
  for (std::size_t head = 0; head < heads; ++head) {
    double dot = 0;
    for (std::size_t d = 0; d < head_size; ++d) {
      dot += float8_value(call.query[(row * heads + head) * head_size + d]) * token.key[d];
    }
    token.dots.push_back(dot);
  }
  return token;
}

Boundary find_boundary(const Call& call, std::size_t row) {
  std::vector<double> scores(call.length(row));
  std::vector<double> slacks(scores.size());
  const RowQuery query(call, row);
  base::parallel_for((scores.size() + kTokensAPiece - 1) / kTokensAPiece, [&](std::size_t piece) {
    const std::size_t first = piece * kTokensAPiece;
    const std::size_t count = std::min(kTokensAPiece, scores.size() - first);
    query.score(first, std::span(scores).subspan(first, count), std::span(slacks).subspan(first, count));
  });
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto better = [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; };
  const auto end_of_chosen = order.begin() + static_cast<std::ptrdiff_t>(call.kept(row));
  std::nth_element(order.begin(), end_of_chosen, order.end(), better);
  const std::size_t chosen = *std::max_element(order.begin(), end_of_chosen, better);
  return {row, read_token(call, row, *end_of_chosen, scores[*end_of_chosen]),
          read_token(call, row, chosen, scores[chosen])};
}

/// Chooses one of `gains` at random among those that are at least half of the largest.
std::size_t choose_large(const std::vector<double>& gains, base::Philox& random) {
  const double largest = *std::max_element(gains.begin(), gains.end());
  std::vector<std::size_t> large;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (gains[i] >= largest / 2) {
      large.push_back(i);
    }
  }
  return large[random.next_below(large.size())];
}

void perturb_query(const Call& call, const Boundary& boundary, base::Philox& random, std::span<std::byte> query) {
  const std::size_t heads = call.dimensions.heads;
  const std::size_t head_size = call.dimensions.head_size;
  // What the token left out gains on the chosen one if an element becomes 448 (even places) or -448 (odd ones).
  std::vector<double> gains;
  for (std::size_t at = 0; at < heads * head_size * 2; ++at) {
    const std::size_t head = at / 2 / head_size;
    const std::size_t d = at / 2 % head_size;
    const double value = at % 2 == 0 ? 448.0 : -448.0;
    const double change = value - float8_value(query[boundary.row * heads * head_size + at / 2]);
    const auto gain = [&](const Token& token) {
      return token.scale * (relu(token.dots[head] + change * token.key[d]) - relu(token.dots[head]));
    };
    gains.push_back(static_cast<double>(call.weights[boundary.row * heads + head]) *
                    (gain(boundary.left_out) - gain(boundary.chosen)));
  }
  const std::size_t at = choose_large(gains, random);
  store(query, boundary.row * heads * head_size + at / 2,
        tensor::to_float8_e4m3fn(at % 2 == 0 ? kLargestFloat8 : -kLargestFloat8));
}

void perturb_key(const Call& call, const Boundary& boundary, base::Philox& random, std::span<std::byte> cache) {
  const std::size_t heads = call.dimensions.heads;
  const std::size_t head_size = call.dimensions.head_size;
  const Token& token = boundary.left_out;
  std::vector<double> gains;
  for (std::size_t at = 0; at < head_size * 2; ++at) {
    const double change = (at % 2 == 0 ? 448.0 : -448.0) - token.key[at / 2];
    double score = 0;
    for (std::size_t head = 0; head < heads; ++head) {
      const std::size_t row_head = boundary.row * heads + head;
      const double q = float8_value(call.query[row_head * head_size + at / 2]);
      score += static_cast<double>(call.weights[row_head]) * token.scale * relu(token.dots[head] + q * change);
    }
    gains.push_back(score - boundary.chosen.score);
  }
  const std::size_t at = choose_large(gains, random);
  store(cache, call.dimensions.key_at(token.id) + at / 2,
        tensor::to_float8_e4m3fn(at % 2 == 0 ? kLargestFloat8 : -kLargestFloat8));
}

void perturb_weight(const Call& call, const Boundary& boundary, base::Philox& random, std::span<std::byte> weights) {
  constexpr float kChange = 16;
  std::vector<double> differences;
  std::vector<double> sizes;
  for (std::size_t head = 0; head < call.dimensions.heads; ++head) {
    differences.push_back(boundary.left_out.scale * relu(boundary.left_out.dots[head]) -
                          boundary.chosen.scale * relu(boundary.chosen.dots[head]));
    sizes.push_back(std::fabs(differences.back()));
  }
  const std::size_t head = choose_large(sizes, random);
  const std::size_t at = boundary.row * call.dimensions.heads + head;
  store(weights, at, call.weights[at] + (differences[head] > 0 ? kChange : -kChange));
}

void perturb_length(const Call& call, base::Philox& random, std::span<std::byte> lengths) {
  const std::size_t row = random.next_below(call.rows);
  const std::size_t length = call.length(row);
  // The number of tokens that are chosen changes.
  const std::size_t changed = length == 0 ? 1 : std::min(length, call.dimensions.topk) - 1;
  store(lengths, row, static_cast<std::int32_t>(changed));
}

struct OtherPage {
  std::int32_t number = 0;
  bool has_contents = false;
};

/// Returns a page that the row does not have, rather one with contents; none if it has all of the cache.
std::optional<OtherPage> find_other_page(const Call& call, std::size_t row, base::Philox& random) {
  std::vector<bool> has(call.pages);
  for (std::size_t entry = 0; entry < call.dimensions.pages_of(call.length(row)); ++entry) {
    has[static_cast<std::size_t>(call.page(row, entry))] = true;
  }
  std::vector<std::int32_t> others;
  for (const std::int32_t page : call.table) {
    if (page >= 0 && static_cast<std::size_t>(page) < call.pages && !has[static_cast<std::size_t>(page)]) {
      others.push_back(page);
    }
  }
  if (!others.empty()) {
    return OtherPage{others[random.next_below(others.size())], true};
  }
  const auto free = std::find(has.begin(), has.end(), false);
  return free == has.end() ? std::nullopt : std::optional(OtherPage{static_cast<std::int32_t>(free - has.begin())});
}

/// Gives a row another page in place of one that the answer names. False if there is none.
bool perturb_table(const Call& call, base::Philox& random, const FillPage& fill_page, std::span<std::byte> table) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (call.length(row) > 0) {
      rows.push_back(row);
    }
  }
  if (rows.empty()) {
    return false;
  }
  const std::size_t row = rows[random.next_below(rows.size())];
  const std::optional<OtherPage> other = find_other_page(call, row, random);
  if (!other) {
    return false;
  }
  std::size_t entry = random.next_below(call.dimensions.pages_of(call.length(row)));
  if (call.is_long(row)) {
    const std::size_t page = find_boundary(call, row).chosen.id / call.dimensions.page_size;
    for (entry = 0; static_cast<std::size_t>(call.page(row, entry)) != page; ++entry) {
    }
  }
  if (!other->has_contents) {
    fill_page(static_cast<std::size_t>(other->number));
  }
  store(table, row * call.table_width + entry, other->number);
  return true;
}

}  // namespace

void perturb_arguments(const Dimensions& dimensions, std::uint64_t which, base::Philox& random,
                       const FillPage& fill_page, std::span<Argument> arguments) {
  const Call call = read_arguments(dimensions, arguments);
  std::vector<std::size_t> long_rows;
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (call.is_long(row)) {
      long_rows.push_back(row);
    }
  }
  const std::uint64_t argument = long_rows.empty() ? kSeqLens + which % 2 : which % kInputCount;
  if (argument == kSeqLens ||
      (argument == kBlockTable && !perturb_table(call, random, fill_page, bytes_of(arguments, kBlockTable)))) {
    perturb_length(call, random, bytes_of(arguments, kSeqLens));
    return;
  }
  if (argument == kBlockTable) {
    return;
  }
  const Boundary boundary = find_boundary(call, long_rows[random.next_below(long_rows.size())]);
  if (argument == kQuery) {
    perturb_query(call, boundary, random, bytes_of(arguments, kQuery));
  } else if (argument == kCache) {
    perturb_key(call, boundary, random, bytes_of(arguments, kCache));
  } else {
    perturb_weight(call, boundary, random, bytes_of(arguments, kWeights));
  }
}

}  // namespace assay::operators::dsa_topk_indexer
