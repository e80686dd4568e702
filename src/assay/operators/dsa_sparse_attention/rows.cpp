#include <assay/operators/dsa_sparse_attention/rows.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <assay/base/error.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

constexpr double kLongest = 1.3;  // Sequences of the contest have up to 1.31 topk tokens.
constexpr std::size_t kLongestSkip = 5;
constexpr std::size_t kDetourOneIn = 16;

std::size_t pages_for(const Dimensions& dimensions, std::size_t tokens) {
  return (tokens + dimensions.page_size - 1) / dimensions.page_size;
}

/// Chooses topk positions of a sequence's `length`: leaves out single tokens, and here and there up to five in a row.
std::vector<std::size_t> choose_positions(const Dimensions& dimensions, std::size_t length, base::Philox& random) {
  std::vector<std::size_t> skips(dimensions.topk, 0);
  std::size_t left = length - dimensions.topk;
  while (left > 0) {
    const std::size_t at = random.next_below(dimensions.topk);
    if (skips[at] > 0 && length < 2 * dimensions.topk) {
      continue;  // There is a free one: each takes at least one of fewer than topk.
    }
    std::size_t skip = 1;
    while (skip < kLongestSkip && random.next_below(3) == 0) {
      ++skip;
    }
    skips[at] += std::min(skip, left);
    left -= std::min(skip, left);
  }
  std::vector<std::size_t> positions;
  std::size_t position = 0;
  for (const std::size_t skip : skips) {
    position += skip;
    positions.push_back(position++);
  }
  shuffle(random, positions);
  return positions;
}

}  // namespace

std::vector<std::size_t> sequence_lengths(const Dimensions& dimensions, const task::Workload& workload) {
  const std::int64_t* rows = task::find(workload.axes, "num_tokens");
  ASSAY_CHECK(rows != nullptr && *rows > 0);
  ASSAY_CHECK(workload.lengths.empty() || workload.lengths.size() == static_cast<std::size_t>(*rows));
  base::Philox random(base::stream_id("dsa_sparse_attention.lengths"), base::stream_id(workload.uuid));
  const auto topk = static_cast<double>(dimensions.topk);
  std::vector<std::size_t> lengths;
  for (std::size_t row = 0; row < static_cast<std::size_t>(*rows); ++row) {
    const double uniform = random.next_uniform();
    if (workload.lengths.empty()) {
      lengths.push_back(static_cast<std::size_t>(std::exp(uniform * std::log(kLongest * topk))));
      continue;
    }
    ASSAY_CHECK(workload.lengths[row] >= 0);
    const auto length = static_cast<std::size_t>(workload.lengths[row]);
    const double longer = topk * (1.05 + (kLongest - 1.05) * uniform);
    lengths.push_back(length == dimensions.topk ? static_cast<std::size_t>(longer) : length);
  }
  return lengths;
}

void fill_indices(const CallView& call, const std::vector<std::size_t>& lengths, base::Philox& random) {
  const Dimensions& dimensions = call.dimensions();
  ASSAY_CHECK(lengths.size() == call.rows());
  // Page 0 is nobody's where there is another.
  const std::size_t first = call.pages() > 1 ? 1 : 0;
  const std::size_t usable = call.pages() - first;
  std::size_t needed = 0;
  for (const std::size_t length : lengths) {
    needed += pages_for(dimensions, length) + 1;
  }
  const std::size_t window = std::min(usable, 2 * needed);
  std::size_t spare = window > needed ? window - needed : 0;
  std::size_t next = 0;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const std::size_t gap = random.next_below(spare / (call.rows() - row) + 1);
    spare -= gap;
    next += gap;
    const std::size_t pages = pages_for(dimensions, lengths[row]);
    const bool detour = pages > 1 && random.next_below(kDetourOneIn) == 0;
    const std::size_t run = next;
    next += pages + 1;
    const auto token = [&](std::size_t position) {
      const std::size_t page = position / dimensions.page_size;
      const std::size_t place = (run + page + (detour && page + 1 == pages ? 1 : 0)) % window;
      return static_cast<std::int32_t>((first + place) * dimensions.page_size + position % dimensions.page_size);
    };
    std::vector<std::size_t> positions(std::min(lengths[row], dimensions.topk));
    if (lengths[row] > dimensions.topk) {
      positions = choose_positions(dimensions, lengths[row], random);
    } else {
      std::iota(positions.begin(), positions.end(), std::size_t{0});
    }
    for (std::size_t slot = 0; slot < dimensions.topk; ++slot) {
      call.set_index(row, slot, slot < positions.size() ? token(positions[slot]) : kNoToken);
    }
  }
}

std::vector<std::size_t> draw_distinct(base::Philox& random, std::size_t count, std::size_t bound) {
  ASSAY_CHECK(count <= bound);
  if (count * 2 > bound) {
    std::vector<std::size_t> all(bound);
    std::iota(all.begin(), all.end(), std::size_t{0});
    shuffle(random, all);
    all.resize(count);
    return all;
  }
  std::unordered_set<std::size_t> seen;
  std::vector<std::size_t> drawn;
  while (drawn.size() < count) {
    const auto number = static_cast<std::size_t>(random.next_below(bound));
    if (seen.insert(number).second) {
      drawn.push_back(number);
    }
  }
  return drawn;
}

}  // namespace assay::operators::dsa_sparse_attention
