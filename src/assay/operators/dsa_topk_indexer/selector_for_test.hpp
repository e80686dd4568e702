#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::operators::dsa_topk_indexer {

/// Test only: a float's bits in an order that is that of the numbers.
[[nodiscard]] std::uint32_t ordered_bits(float value);
/// Test only: the same for the half-precision number that the float rounds to.
[[nodiscard]] std::uint16_t ordered_half_bits(float value);

/// Test only: ways to choose the `count` highest of some scores. Each returns their positions.
using Positions = std::vector<std::size_t>;
[[nodiscard]] Positions select_by_sort(std::span<const float> scores, std::size_t count);
[[nodiscard]] Positions select_by_partition(std::span<const float> scores, std::size_t count);
/// Goes through the ordered bits from the top, eight at a time.
[[nodiscard]] Positions select_by_radix(std::span<const float> scores, std::size_t count);

/// Test only: bins by the first `bin_bits` bits of the half-precision score, takes the bins above the one where the
/// choice ends, and refines that one by those bits of the float32 score that `mask` keeps.
[[nodiscard]] Positions select_by_half_bins(std::span<const float> scores, std::size_t count, unsigned bin_bits,
                                            std::uint32_t mask);
/// Every bit of the float32 score: right.
inline constexpr std::uint32_t kWholeKey = 0xffffffffU;
/// A public kernel's mistake: as the bin is known, it leaves out the first byte. But rounding to half precision carries
/// numbers into the next binade: one bin holds 0x3fffff.. and 0x400000...
inline constexpr std::uint32_t kWithoutTopByte = 0x00ffffffU;

}  // namespace assay::operators::dsa_topk_indexer
