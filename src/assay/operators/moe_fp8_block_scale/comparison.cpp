#include <assay/operators/moe_fp8_block_scale/comparison.hpp>

#include <fmt/format.h>
#include <algorithm>

#include <assay/base/parallel.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/routing.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr std::size_t kRowsAPiece = 16;

/// Of each token, what is wrong with its row.
using RowMismatches = std::vector<std::optional<tensor::Mismatch>>;

tensor::ConstView row_of(const tensor::ConstView& output, std::size_t row, std::size_t width) {
  const std::size_t bytes = tensor::byte_size(output.dtype, width);
  return {fmt::format("{}[{}]", output.name.empty() ? "output" : output.name, row),
          output.dtype,
          {static_cast<std::int64_t>(width)},
          output.bytes.subspan(row * bytes, bytes)};
}

/// The row of a selection, from the outputs of the experts of any selection.
std::vector<double> combine(const Dimensions& d, const AmbiguousToken& token, const Selection& selection,
                            std::int64_t offset, std::span<const double> by_expert) {
  std::vector<double> row(d.hidden, 0.0);
  for (const Choice& choice : selection) {
    const std::size_t expert = local_index(d, choice.expert, offset);
    const auto found = std::lower_bound(token.local_experts.begin(), token.local_experts.end(), expert);
    if (expert == d.local_experts) {
      continue;
    }
    const auto from =
        by_expert.subspan(static_cast<std::size_t>(found - token.local_experts.begin()) * d.hidden, d.hidden);
    for (std::size_t i = 0; i < d.hidden; ++i) {
      row[i] += choice.weight * from[i];
    }
  }
  return row;
}

/// Holds the ambiguous tokens whose rows are not the nominal ones to their other legal selections: a row that is one of
/// those is right, and of one that is none the mismatch becomes that with the nearest, which is what it may have meant.
void excuse_ambiguous(const Dimensions& d, std::span<const ConstArgument> inputs, const tensor::ConstView& got,
                      std::span<const double> spare, const tensor::ComparisonRule& rule, RowMismatches& mismatches,
                      std::vector<std::size_t>& alternatives) {
  const Routing routing = route(d, inputs);
  const auto offset = static_cast<std::int64_t>(
      std::visit([](auto value) { return static_cast<double>(value); }, std::get<Scalar>(inputs[kLocalExpertOffset])));
  std::size_t first = 0;
  for (const AmbiguousToken& token : routing.ambiguous) {
    const std::size_t count = token.local_experts.size() * d.hidden;
    ASSAY_CHECK(first + count <= spare.size());
    const std::span<const double> by_expert = spare.subspan(first, count);
    first += count;
    alternatives[token.token] = token.selections.size();
    const tensor::ConstView row = row_of(got, token.token, d.hidden);
    std::optional<tensor::Mismatch>& nearest = mismatches[token.token];
    for (std::size_t i = 1; nearest && i < token.selections.size(); ++i) {
      auto other = tensor::compare(row, combine(d, token, token.selections[i], offset, by_expert), rule);
      if (!other || other->worst_block_norm_error < nearest->worst_block_norm_error) {
        nearest = std::move(other);
      }
    }
  }
}

}  // namespace

std::optional<tensor::Mismatch> compare_output(const Dimensions& dimensions, std::span<const ConstArgument> inputs,
                                               const tensor::ConstView& got, std::span<const ExpectedValues> expected,
                                               const tensor::ComparisonRule& rule) {
  const std::size_t width = dimensions.hidden;
  const std::size_t rows = expected[0].size() / width;
  ASSAY_CHECK(expected.size() == 2 && tensor::element_count(got.shape) == rows * width);
  tensor::ComparisonRule row_rule = rule;
  row_rule.norm_axes = 0;
  const std::span<const double> wanted(expected[0]);
  RowMismatches mismatches(rows);
  base::parallel_for((rows + kRowsAPiece - 1) / kRowsAPiece, [&](std::size_t piece) {
    for (std::size_t row = piece * kRowsAPiece; row < std::min(rows, (piece + 1) * kRowsAPiece); ++row) {
      mismatches[row] = tensor::compare(row_of(got, row, width), wanted.subspan(row * width, width), row_rule);
    }
  });
  const auto is_wrong = [](const std::optional<tensor::Mismatch>& mismatch) { return mismatch.has_value(); };
  if (std::none_of(mismatches.begin(), mismatches.end(), is_wrong)) {
    return std::nullopt;
  }
  std::vector<std::size_t> alternatives(rows, 1);
  if (!expected[1].empty()) {
    excuse_ambiguous(dimensions, inputs, got, expected[1], row_rule, mismatches, alternatives);
  }
  const auto wrong_rows = std::count_if(mismatches.begin(), mismatches.end(), is_wrong);
  std::optional<tensor::Mismatch> worst;
  std::size_t worst_row = 0;
  std::size_t mismatched = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!mismatches[row]) {
      continue;
    }
    mismatched += mismatches[row]->mismatched_elements;
    if (!worst || mismatches[row]->worst_block_norm_error > worst->worst_block_norm_error) {
      worst = mismatches[row];
      worst_row = row;
    }
  }
  if (!worst) {
    return std::nullopt;
  }
  worst->flat += worst_row * width;
  worst->index.insert(worst->index.begin(), static_cast<std::int64_t>(worst_row));
  worst->mismatched_elements = mismatched;
  worst->elements = rows * width;
  worst->reason += fmt::format("; {} of {} tokens are wrong", wrong_rows, rows);
  if (alternatives[worst_row] > 1) {
    worst->reason +=
        fmt::format(" (this one under each of its {} legal selections of experts)", alternatives[worst_row]);
  }
  return worst;
}

}  // namespace assay::operators::moe_fp8_block_scale
