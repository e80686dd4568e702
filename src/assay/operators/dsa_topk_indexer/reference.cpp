#include <assay/operators/dsa_topk_indexer/reference.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

/// Some consecutive tokens of a long row, and where their scores go.
struct Piece {
  const RowQuery* query = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t at = 0;
};

bool is_better(double x, double y) { return std::isnan(x) ? !std::isnan(y) : x > y; }

std::vector<std::size_t> order_of(std::span<const double> scores) {
  std::vector<std::size_t> positions(scores.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::sort(positions.begin(), positions.end(), [&](std::size_t x, std::size_t y) {
    if (is_better(scores[x], scores[y])) {
      return true;
    }
    return !is_better(scores[y], scores[x]) && x < y;
  });
  return positions;
}

}  // namespace

base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                     std::span<const ConstArgument> inputs, std::vector<ExpectedValues>& outputs) {
  ASSAY_TRY_ASSIGN(const Call call, read_call(dimensions, axes, inputs));
  std::vector<RowQuery> queries;
  queries.reserve(call.rows);
  std::vector<Piece> pieces;
  std::size_t scored = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (!call.is_long(row)) {
      continue;
    }
    queries.emplace_back(call, row);
    for (std::size_t first = 0; first < call.length(row); first += kTokensAPiece) {
      const std::size_t count = std::min(kTokensAPiece, call.length(row) - first);
      pieces.push_back({&queries.back(), first, count, scored + first});
    }
    scored += call.length(row);
  }

  outputs.resize(kExpectedCount);
  outputs[kIndices].resize(call.rows * dimensions.topk);
  outputs[kScores].resize(scored);
  outputs[kSlacks].resize(scored);
  const std::span<double> scores = outputs[kScores];
  const std::span<double> slacks = outputs[kSlacks];
  base::parallel_for(pieces.size(), [&](std::size_t i) {
    const auto& [query, first, count, at] = pieces[i];
    query->score(first, scores.subspan(at, count), slacks.subspan(at, count));
  });

  std::size_t at = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    const std::span<double> indices =
        std::span<double>(outputs[kIndices]).subspan(row * dimensions.topk, dimensions.topk);
    std::vector<std::size_t> order;
    if (call.is_long(row)) {
      order = order_of(scores.subspan(at, call.length(row)));
      at += call.length(row);
    }
    for (std::size_t slot = 0; slot < indices.size(); ++slot) {
      indices[slot] =
          slot < call.kept(row) ? static_cast<double>(call.token(row, order.empty() ? slot : order[slot])) : -1.0;
    }
  }
  return {};
}

}  // namespace assay::operators::dsa_topk_indexer
