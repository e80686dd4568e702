#include <assay/operators/moe_fp8_block_scale/subsets.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <assay/base/error.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

/// Moves on to the next combination of `chosen` ascending positions below `count`; false after the last.
bool next_combination(std::vector<std::size_t>& chosen, std::size_t count) {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (chosen[i] < count - chosen.size() + i) {
      ++chosen[i];
      for (std::size_t later = i + 1; later < chosen.size(); ++later) {
        chosen[later] = chosen[later - 1] + 1;
      }
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::vector<std::size_t>>> largest_subsets(std::span<const double> scores, std::size_t take,
                                                                     double margin, std::size_t most) {
  ASSAY_CHECK(take > 0 && take <= scores.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
  const double last_in = scores[order[take - 1]];
  const double first_out = take < scores.size() ? scores[order[take]] : kLowest;
  // What is larger than the best outside by more than the margin must be in, what is smaller than the worst inside by
  // more than that must be out; between them lies what may be exchanged.
  std::vector<std::size_t> certain;
  std::vector<std::size_t> open;
  for (const std::size_t index : order) {
    if (scores[index] > first_out + margin) {
      certain.push_back(index);
    } else if (scores[index] >= last_in - margin) {
      open.push_back(index);
    }
  }
  std::vector<std::vector<std::size_t>> subsets;
  std::vector<std::size_t> chosen(take - certain.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  const std::size_t most_tried = 64 * most;
  for (std::size_t tried = 0;; ++tried) {
    double smallest_in = std::numeric_limits<double>::infinity();
    double largest_out = kLowest;
    std::vector<std::size_t> subset = certain;
    for (std::size_t i = 0, next = 0; i < open.size(); ++i) {
      if (next < chosen.size() && chosen[next] == i) {
        ++next;
        subset.push_back(open[i]);
        smallest_in = std::min(smallest_in, scores[open[i]]);
      } else {
        largest_out = std::max(largest_out, scores[open[i]]);
      }
    }
    if (smallest_in >= largest_out - margin) {
      std::sort(subset.begin(), subset.end());
      subsets.push_back(std::move(subset));
    }
    if (subsets.size() > most || tried > most_tried) {
      return std::nullopt;
    }
    if (!next_combination(chosen, open.size())) {
      return subsets;
    }
  }
}

}  // namespace assay::operators::moe_fp8_block_scale
