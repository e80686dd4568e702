#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Scores that differ by at most this times max(1, |score|) may be ordered either way: sigmoid and the addition of the
/// bias in float32, with a GPU's fast exponential, err by less than a quarter of it. Sums of two scores: twice as much.
inline constexpr double kScoreMargin = 0x1p-18;
/// A token for which more choices than this are legal is held to the one that float32 makes, lowest index first.
inline constexpr std::size_t kMostSelections = 256;

/// One expert of a token's, and what its output is multiplied by.
struct Choice {
  std::size_t expert = 0;
  double weight = 0;
};

/// What a token is given: `top_k` experts, ascending.
using Selection = std::vector<Choice>;

/// A token whose scores do not decide everything that its output depends on.
struct AmbiguousToken {
  std::size_t token = 0;
  std::vector<Selection> selections;       ///< All legal ones, at least two; the first is the nominal one.
  std::vector<std::size_t> local_experts;  ///< Those of any selection, from 0, ascending; never empty.
};

/// The experts of each token.
struct Routing {
  std::vector<Choice> nominal;            ///< [tokens, top_k], each token's ascending.
  std::vector<AmbiguousToken> ambiguous;  ///< Ascending.
};

/// How near a token's scores are to another choice: differences between the worst that is chosen and the best that is
/// not, of groups and of experts in the groups that are kept. Not below 0.
struct Margins {
  double groups = 0;
  double experts = 0;
};

/// Chooses the experts of one token after another:
///   s = sigmoid(logits), c = s + bias
///   keeps the kept_groups groups with the largest sums of their two largest c, and of their experts the top_k largest
///   c; weight = factor * s / (sum of the chosen s + 1e-20).
/// The nominal choice takes s and c as correctly rounded float32 numbers and the lowest index of equal ones, as the
/// Python reference does in practice; which of equal ones is taken is not part of the contract.
class TokenRouter {
 public:
  TokenRouter(const Dimensions& dimensions, std::span<const double> bias, double factor);
  /// Reads the logits of one token, [experts].
  void assign(std::span<const float> logits);
  [[nodiscard]] const Selection& nominal() const { return nominal_; }
  /// Groups that the nominal choice keeps, ascending.
  [[nodiscard]] const std::vector<std::size_t>& kept_groups() const { return kept_; }
  [[nodiscard]] Margins margins() const;
  /// All legal choices, the nominal one first; only that one if there are more than kMostSelections.
  [[nodiscard]] std::vector<Selection> selections() const;
  /// c of an expert in double precision, and the sum of the two largest of a group.
  [[nodiscard]] double score(std::size_t expert) const { return scores_[expert]; }
  [[nodiscard]] double group_score(std::size_t group) const { return group_scores_[group]; }

 private:
  [[nodiscard]] Selection weigh(std::vector<std::size_t> experts) const;
  [[nodiscard]] std::vector<std::size_t> members(const std::vector<std::size_t>& groups) const;

  Dimensions dimensions_;
  std::vector<double> bias_;
  double factor_;
  std::vector<double> sigmoids_;
  std::vector<double> scores_;
  std::vector<double> group_scores_;
  std::vector<float> rounded_scores_;
  std::vector<float> rounded_group_scores_;
  std::vector<std::size_t> kept_;
  Selection nominal_;
};

/// Routes all tokens: logits float32 [tokens, experts], bias bfloat16 [experts]. Global expert `offset` is local expert
/// 0. In parallel; the result does not depend on how many threads there are.
[[nodiscard]] Routing route(const Dimensions& dimensions, std::span<const std::byte> logits,
                            std::span<const std::byte> bias, std::int64_t offset, double factor);

/// Returns the local index of a global expert, or local_experts if it is not here.
[[nodiscard]] std::size_t local_index(const Dimensions& dimensions, std::size_t expert, std::int64_t offset);

/// Returns which local experts some token may select, ascending.
[[nodiscard]] std::vector<std::size_t> active_experts(const Dimensions& dimensions, const Routing& routing,
                                                      std::int64_t offset);

/// Reads a bias tensor as doubles.
[[nodiscard]] std::vector<double> read_bias(std::span<const std::byte> bias);

}  // namespace assay::operators::moe_fp8_block_scale
