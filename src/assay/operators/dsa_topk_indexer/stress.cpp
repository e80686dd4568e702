#include <assay/operators/dsa_topk_indexer/stress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/dsa_topk_indexer/crafted_scores.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

/// Draws a length beyond topk: just beyond, a page more, one more and one less than that, about a multiple of topk, and
/// the proportions of the contest's longest rows.
std::size_t draw_long(const Dimensions& dimensions, base::Philox& random) {
  const std::size_t topk = dimensions.topk;
  const std::size_t page_size = dimensions.page_size;
  const std::array<std::size_t, 11> lengths = {
      topk + 1,     topk + page_size - 1, topk + page_size,     topk + page_size + 1,     2 * topk - 1,      2 * topk,
      2 * topk + 1, 2 * topk + 37,        topk + topk / 2 + 13, topk * 2 + topk / 2 + 29, topk * 2835 / 1000};
  return lengths[random.next_below(lengths.size())];
}

std::vector<std::size_t> draw_edges(const Dimensions& dimensions, base::Philox& random) {
  const std::size_t topk = dimensions.topk;
  const std::size_t page_size = dimensions.page_size;
  const std::array<std::size_t, 11> edges = {0,
                                             1,
                                             page_size - 1,
                                             page_size,
                                             page_size + 1,
                                             2 * page_size - 1,
                                             2 * page_size + 1,
                                             topk - page_size + 1,
                                             topk + page_size - 1,
                                             topk + page_size,
                                             topk + page_size + 1};
  std::vector<std::size_t> lengths = {topk + 1, topk, topk - 1};
  for (std::size_t more = random.next_below(8); more > 0; --more) {
    lengths.push_back(edges[random.next_below(edges.size())]);
  }
  return lengths;
}

std::vector<std::size_t> draw_lengths(const Dimensions& dimensions, Stress stress, base::Philox& random) {
  constexpr std::array<std::size_t, 4> kRows = {1, 2, 3, 5};
  if (stress == Stress::length_edges) {
    return draw_edges(dimensions, random);
  }
  std::vector<std::size_t> lengths;
  if (stress == Stress::short_rows) {
    lengths = {0, 1, dimensions.topk};
    for (std::size_t more = random.next_below(11); more > 0; --more) {
      lengths.push_back(random.next_below(dimensions.topk + 1));
    }
    return lengths;
  }
  const bool several =
      stress == Stress::many_long_rows || stress == Stress::repeated_pages || stress == Stress::near_ties;
  for (std::size_t more = several ? 2 + random.next_below(3) : kRows[random.next_below(kRows.size())]; more > 0;
       --more) {
    std::size_t length = draw_long(dimensions, random);
    // With one token to leave out, a kernel that cannot tell neighbours apart may guess right.
    while (stress == Stress::near_ties && length == dimensions.topk + 1) {
      length = draw_long(dimensions, random);
    }
    lengths.push_back(length);
  }
  if (lengths.size() > 2) {
    lengths.push_back(random.next_below(dimensions.topk));
  }
  return lengths;
}

std::size_t pages_of(const Dimensions& dimensions, std::span<const std::size_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0},
                         [&](std::size_t sum, std::size_t length) { return sum + dimensions.pages_of(length); });
}

std::size_t row_bytes(const Dimensions& dimensions, std::size_t width) {
  return dimensions.query_bytes() + sizeof(float) * (dimensions.heads + 1 + width + dimensions.topk);
}

void make_weights_negative(const Call& call, std::size_t row, std::span<Argument> arguments) {
  for (std::size_t at = row * call.dimensions.heads; at < (row + 1) * call.dimensions.heads; ++at) {
    store(bytes_of(arguments, kWeights), at, -std::fabs(call.weights[at]));
  }
}

void widen_scales(const Call& call, std::size_t row, base::Philox& random, std::span<Argument> arguments) {
  for (std::size_t position = 0; position < call.length(row); ++position) {
    const int exponent = static_cast<int>(random.next_below(149 + 97)) - 149;
    const double scale = random.next_below(16) == 0 ? 0.0 : std::ldexp(1 + random.next_uniform(), exponent);
    store(bytes_of(arguments, kCache).subspan(call.dimensions.scale_at(call.token(row, position))), 0,
          static_cast<float>(scale));
  }
}

/// `number`: of the row among the long ones.
void craft_row(const Call& call, std::size_t row, std::size_t number, Stress stress, base::Philox& random,
               std::span<Argument> arguments) {
  const std::size_t length = call.length(row);
  const std::size_t topk = call.dimensions.topk;
  const auto write = [&](const std::vector<double>& scores) { write_scores(call, row, scores, random, arguments); };
  switch (stress) {
    case Stress::power_of_two_straddle:
      // The first long row always has what costs a byte of the exponent.
      return write(straddling_scores(length, topk, Sign::positive, number % 2 == 0, random));
    case Stress::boundary_ties:
      if (const std::uint64_t variant = random.next_below(3); number > 0 && variant < 2) {
        return write(std::vector<double>(length, variant == 0 ? 0.0 : 3.0));
      }
      return write(tied_scores(length, topk, random));
    case Stress::near_ties:
      return number % 3 != 2 ? write_levels(call, row, random, arguments) : write(ladder_scores(length, topk, random));
    case Stress::mixed_blocks:
      return write(mixed_scores(length, topk, call.dimensions.page_size, random));
    case Stress::all_negative:
      return random.next_below(2) == 0 ? write(straddling_scores(length, topk, Sign::negative, true, random))
                                       : make_weights_negative(call, row, arguments);
    case Stress::wide_range:
      return widen_scales(call, row, random, arguments);
    case Stress::length_edges:
    case Stress::many_long_rows:
    case Stress::repeated_pages:
    case Stress::short_rows:
      return;  // Official contents.
  }
}

}  // namespace

StressTrial make_stress_trial(const Dimensions& dimensions, std::uint64_t seed, std::uint64_t index,
                              std::uint64_t largest_bytes) {
  base::Philox random(seed, base::mix(base::stream_id("dsa_topk_indexer.stress_trial"), index));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  const auto stress = static_cast<Stress>(trial.kind);
  std::vector<std::size_t> lengths = draw_lengths(dimensions, stress, random);
  const std::size_t wider = std::array<std::size_t, 4>{0, 0, 1, 3}[random.next_below(4)];
  const auto width = [&] {
    return std::max<std::size_t>(1, dimensions.pages_of(*std::max_element(lengths.begin(), lengths.end()))) + wider;
  };
  const auto bytes = [&](std::size_t pages) {
    return lengths.size() * row_bytes(dimensions, width()) + pages * dimensions.page_bytes();
  };
  while (lengths.size() > 1 && bytes(pages_of(dimensions, lengths) + 1) > largest_bytes) {
    lengths.pop_back();
  }
  if (bytes(pages_of(dimensions, lengths) + 1) > largest_bytes) {
    lengths[0] = std::min(lengths[0], dimensions.topk + 1);
  }
  // Page 0 is reserved; repeated pages are drawn from fewer than there are entries.
  const std::size_t needed = pages_of(dimensions, lengths) + 1;
  std::size_t pages = stress == Stress::repeated_pages ? std::max<std::size_t>(1, needed / 3) : needed;
  pages += std::array<std::size_t, 4>{0, 1, 7, 37}[random.next_below(4)];
  if (random.next_below(4) == 0 && stress != Stress::repeated_pages) {
    // A large cache, of which little is used.
    const std::size_t rows = lengths.size() * row_bytes(dimensions, width());
    pages = std::max(pages, largest_bytes > rows ? (largest_bytes - rows) / dimensions.page_bytes() : 0);
  }
  shuffle<std::size_t>(lengths, random);

  trial.workload.uuid = fmt::format("stress-dsa_topk_indexer_h{}-{:x}-{}", dimensions.heads, seed, index);
  trial.workload.axes = {{"batch_size", static_cast<std::int64_t>(lengths.size())},
                         {"max_num_pages", static_cast<std::int64_t>(width())},
                         {"num_pages", static_cast<std::int64_t>(pages)}};
  for (const char* name : {"q_index_fp8", "k_index_cache_fp8", "weights", "seq_lens", "block_table"}) {
    trial.workload.inputs.emplace_back(name, task::RandomInput{});
  }
  trial.workload.lengths.assign(lengths.begin(), lengths.end());
  return trial;
}

void craft_contents(const Dimensions& dimensions, Stress stress, base::Philox& random, std::span<Argument> arguments) {
  const Call call = read_arguments(dimensions, arguments);
  std::size_t number = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (call.is_long(row)) {
      craft_row(call, row, number++, stress, random, arguments);
    }
  }
}

}  // namespace assay::operators::dsa_topk_indexer
