#pragma once

#include <cstdint>

#include <assay/base/host_device.hpp>

/// What the GPU's reference and check of this operator share with their kernels (dsa_topk_indexer.cu): C++17, passed as
/// it is.
namespace assay::operators::cuda {

/// A call whose tensors lie in device memory.
struct TopkCall {
  const std::uint8_t* query = nullptr;    ///< [rows, heads, head_size] e4m3fn
  const std::uint8_t* cache = nullptr;    ///< [pages] pages: keys, then float32 scales (dsa_topk_indexer/layout.hpp).
  const float* weights = nullptr;         ///< [rows, heads]
  const std::int32_t* lengths = nullptr;  ///< [rows]
  const std::int32_t* table = nullptr;    ///< [rows, table_width]
  std::uint32_t rows = 0;
  std::uint32_t table_width = 0;
  std::uint32_t pages = 0;
  std::uint32_t heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t topk = 0;
  std::uint32_t page_size = 0;

  /// Tokens that a row may have at most: the scores of row r begin at r * capacity().
  [[nodiscard]] ASSAY_HOST_DEVICE std::uint64_t capacity() const { return std::uint64_t{table_width} * page_size; }
  [[nodiscard]] ASSAY_HOST_DEVICE std::uint64_t page_bytes() const {
    return std::uint64_t{page_size} * (head_size + sizeof(float));
  }
};

/// Facts of one row's query, in scratch memory.
struct TopkRow {
  double weighted_norm = 0;  ///< sum_h |w_h| ||q_h||
  double largest_norm = 0;   ///< max_h ||q_h||
  double underflow = 0;      ///< What flushing tiny intermediates to zero may cost.
};

/// Why a row is not surely right, as bits.
struct TopkDoubt {
  static constexpr std::uint32_t kInput = 1;    ///< A length, or a page that the row reaches, is out of range.
  static constexpr std::uint32_t kToken = 2;    ///< An id that is neither -1 nor a token of the row.
  static constexpr std::uint32_t kTwice = 4;    ///< A token more often than the row has it.
  static constexpr std::uint32_t kCount = 8;    ///< Not min(topk, seq_len) of them.
  static constexpr std::uint32_t kMargin = 16;  ///< A token left out may have to come before a chosen one.
};

/// What the check leaves.
struct TopkCheckResult {
  std::uint64_t doubtful_rows = 0;
  std::uint64_t first_row = ~std::uint64_t{0};
  std::uint64_t doubts = 0;  ///< TopkDoubt of all rows, joined.
};

}  // namespace assay::operators::cuda
