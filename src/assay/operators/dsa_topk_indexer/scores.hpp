#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <assay/operators/dsa_topk_indexer/call.hpp>

namespace assay::operators::dsa_topk_indexer {

/// How far a kernel's score may be from the exact one, as a part of scale * ||k|| * sum_h |w_h| ||q_h||, which bounds
/// the sum of the magnitudes of everything that is added up. docs/operators/dsa_topk_indexer.md has the errors that
/// were measured: float32 needs 1.5e-7, the fp8 tensor cores of an H200 6.7e-6 on the official distribution.
inline constexpr double kRelativeSlack = 0x1p-14;

/// What a thread scores at a time: half a million multiplications at the contest's size.
inline constexpr std::size_t kTokensAPiece = 64;

[[nodiscard]] double float8_value(std::byte bits);

/// max(x, 0); NaN stays NaN.
[[nodiscard]] inline double relu(double x) { return x < 0 ? 0 : x; }

/// One row's query in double precision, ready to be held against keys.
class RowQuery {
 public:
  RowQuery(const Call& call, std::size_t row);

  /// Computes, for the tokens at positions first, first + 1, … of the row,
  ///   score = sum_h weights[h] * relu(sum_d q[h, d] * k[d] * scale)
  /// and the slack of each: how far the score of a kernel that rounds honestly may be from it. The slack is infinite
  /// where a float32 sum may overflow or meets a NaN or an infinity: such a score says nothing. Both spans have the
  /// same size, which is the number of tokens.
  void score(std::size_t first, std::span<double> scores, std::span<double> slacks) const;

 private:
  struct Scored {
    double score = 0;
    double slack = 0;
  };
  [[nodiscard]] Scored score_key(const std::vector<double>& key, double scale, std::vector<double>& dots) const;

  const Call* call_;
  std::size_t row_;
  std::vector<double> query_;    ///< [head_size, heads]
  std::vector<double> weights_;  ///< [heads]
  double largest_norm_ = 0;      ///< max_h ||q_h||
  double weighted_norm_ = 0;     ///< sum_h |w_h| ||q_h||
  double underflow_ = 0;         ///< What flushing every tiny intermediate to zero may cost.
};

}  // namespace assay::operators::dsa_topk_indexer
