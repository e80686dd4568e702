#pragma once

#include <optional>
#include <span>

#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/operator.hpp>
#include <assay/tensor/comparison.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Holds ids against what `compute_reference` left for this call, row by row, as sets:
///  - -1 may stand anywhere; every other value is the id of a token that the row reaches (a page of its table, a
///    position below seq_len), and no token is chosen twice. A page that a row's table has n times is n tokens;
///  - exactly min(topk, seq_len) tokens are chosen;
///  - there are scores, each within its slack of the exact one, of which these are the highest: the least that a chosen
///    token may score, taken highest, is not below the least of one left out. Thus tokens may be swapped if and only if
///    their scores are closer than the sum of their slacks; equal ones always may. A token whose score is NaN or not
///    finite in float32 has an infinite slack: it may be chosen or not.
/// The mismatch is about the first wrong row: its first element that is no choice at all, or the token chosen that is
/// farthest from right, with `expected` the best token left out. Its reason counts wrong rows.
[[nodiscard]] std::optional<tensor::Mismatch> compare_sets(const Call& call, const tensor::ConstView& got,
                                                           std::span<const ExpectedValues> expected);

/// Decides as flashinfer-bench's evaluator for top-k indexers: every id that is not negative lies on a page of the
/// row's table (all of it, looked up at its first place) and below seq_len, no id twice; then the scores of the ids and
/// those of the reference's, each sorted, in float32, with -infinity for what is negative, must agree at every place by
/// `rule`.
[[nodiscard]] std::optional<tensor::Mismatch> compare_sets_officially(const Call& call, const tensor::ConstView& got,
                                                                      std::span<const ExpectedValues> expected,
                                                                      const OfficialRule& rule);

}  // namespace assay::operators::dsa_topk_indexer
