#include <assay/operators/dsa_topk_indexer/selector_for_test.hpp>

#include <algorithm>
#include <array>
#include <numeric>

#include <assay/tensor/dtype.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

Positions all_positions(std::size_t count) {
  Positions positions(count);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

/// Keeps the `count` positions of the highest keys.
template <class Key>
void keep_highest(Positions& positions, std::size_t count, Key&& key) {
  std::sort(positions.begin(), positions.end(), [&](std::size_t x, std::size_t y) { return key(x) > key(y); });
  positions.resize(count);
}

}  // namespace

std::uint32_t ordered_bits(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

std::uint16_t ordered_half_bits(float value) {
  const unsigned bits = tensor::to_float16(value);
  return static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? ~bits : bits | 0x8000U);
}

Positions select_by_sort(std::span<const float> scores, std::size_t count) {
  Positions positions = all_positions(scores.size());
  keep_highest(positions, count, [&](std::size_t at) { return scores[at]; });
  return positions;
}

Positions select_by_partition(std::span<const float> scores, std::size_t count) {
  Positions positions = all_positions(scores.size());
  std::nth_element(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(count), positions.end(),
                   [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
  positions.resize(count);
  return positions;
}

Positions select_by_radix(std::span<const float> scores, std::size_t count) {
  Positions candidates = all_positions(scores.size());
  Positions chosen;
  for (unsigned shift = 24; chosen.size() < count; shift -= 8) {
    const auto digit = [&](std::size_t at) { return ordered_bits(scores[at]) >> shift & 0xffU; };
    std::array<std::size_t, 256> histogram{};
    for (const std::size_t at : candidates) {
      ++histogram[digit(at)];
    }
    std::size_t above = 0;
    std::uint32_t end = 255;
    for (; above + histogram[end] < count - chosen.size(); --end) {
      above += histogram[end];
    }
    Positions undecided;
    for (const std::size_t at : candidates) {
      if (digit(at) > end) {
        chosen.push_back(at);
      } else if (digit(at) == end) {
        undecided.push_back(at);
      }
    }
    if (shift == 0 || undecided.size() == count - chosen.size()) {
      undecided.resize(count - chosen.size());
      chosen.insert(chosen.end(), undecided.begin(), undecided.end());
    }
    candidates = std::move(undecided);
  }
  return chosen;
}

Positions select_by_half_bins(std::span<const float> scores, std::size_t count, unsigned bin_bits, std::uint32_t mask) {
  const auto bin = [&](std::size_t at) {
    return static_cast<std::uint32_t>(ordered_half_bits(scores[at])) >> (16 - bin_bits);
  };
  std::vector<std::size_t> histogram(std::size_t{1} << bin_bits);
  for (std::size_t at = 0; at < scores.size(); ++at) {
    ++histogram[bin(at)];
  }
  std::size_t above = 0;
  std::size_t end = histogram.size() - 1;
  for (; above + histogram[end] < count; --end) {
    above += histogram[end];
  }
  Positions chosen;
  Positions undecided;
  for (std::size_t at = 0; at < scores.size(); ++at) {
    if (bin(at) > end) {
      chosen.push_back(at);
    } else if (bin(at) == end) {
      undecided.push_back(at);
    }
  }
  keep_highest(undecided, count - above, [&](std::size_t at) { return ordered_bits(scores[at]) & mask; });
  chosen.insert(chosen.end(), undecided.begin(), undecided.end());
  return chosen;
}

}  // namespace assay::operators::dsa_topk_indexer
