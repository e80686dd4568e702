#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::operators::dsa_topk_indexer {

/// Constant axes of a definition dsa_topk_indexer_fp8_h{heads}_d{head_size}_topk{topk}_ps{page_size}.
struct Dimensions {
  std::size_t heads = 64;       ///< A multiple of 8.
  std::size_t head_size = 128;  ///< Elements of a query head and of a key; a multiple of 8.
  std::size_t topk = 2048;      ///< More than page_size.
  std::size_t page_size = 64;   ///< Tokens of a page; at least 4.

  /// Bytes of one row's query.
  [[nodiscard]] constexpr std::size_t query_bytes() const { return heads * head_size; }
  /// Bytes of a page: the keys of its tokens (e4m3fn), token by token, and behind all of them the tokens' scales.
  [[nodiscard]] constexpr std::size_t page_bytes() const { return page_size * (head_size + sizeof(float)); }
  /// Byte of the cache where the key of a token begins, by its global id (page * page_size + place in the page).
  [[nodiscard]] constexpr std::size_t key_at(std::size_t token) const {
    return token / page_size * page_bytes() + token % page_size * head_size;
  }
  /// Byte of the cache where the float32 scale of a token begins.
  [[nodiscard]] constexpr std::size_t scale_at(std::size_t token) const {
    return token / page_size * page_bytes() + page_size * head_size + token % page_size * sizeof(float);
  }
  /// Pages that hold this many tokens.
  [[nodiscard]] constexpr std::size_t pages_of(std::size_t tokens) const {
    return (tokens + page_size - 1) / page_size;
  }
};

/// The largest e4m3fn number.
inline constexpr float kLargestFloat8 = 448.0F;

/// Positions of the arguments in calling order.
enum Input : std::size_t { kQuery, kCache, kWeights, kSeqLens, kBlockTable, kInputCount };

/// What `reference` leaves: ids, and behind them, row after row of those that are longer than topk, the scores of all
/// reachable tokens in their order, and how far an honest kernel's score of each may be from that.
enum Expected : std::size_t { kIndices, kScores, kSlacks, kExpectedCount };

}  // namespace assay::operators::dsa_topk_indexer
