#include <assay/operators/moe_fp8_block_scale/routing.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/moe_fp8_block_scale/subsets.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr std::size_t kTokensAPiece = 64;

/// NaN orders as the least, so that there is an order at all.
template <class T>
T orderable(T value) {
  return std::isnan(value) ? -std::numeric_limits<T>::infinity() : value;
}

template <class T>
T sum_of_two_largest(const T* first, const T* last) {
  T largest = -std::numeric_limits<T>::infinity();
  T second = largest;
  for (; first != last; ++first) {
    if (*first > largest) {
      second = largest;
      largest = *first;
    } else if (*first > second) {
      second = *first;
    }
  }
  return largest + second;
}

/// Returns the `take` best of `candidates` by score, the earliest of equal ones first; ascending.
std::vector<std::size_t> best(std::vector<std::size_t> candidates, std::size_t take, const std::vector<float>& scores) {
  std::partial_sort(
      candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(take), candidates.end(),
      [&](std::size_t x, std::size_t y) { return scores[x] > scores[y] || (scores[x] == scores[y] && x < y); });
  candidates.resize(take);
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

std::vector<std::size_t> all_below(std::size_t count) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

/// Difference between the worst of `chosen` (ascending, among `candidates`, ascending) and the best of the rest.
double margin(const std::vector<std::size_t>& candidates, const std::vector<std::size_t>& chosen,
              const std::vector<double>& scores) {
  double worst_in = std::numeric_limits<double>::infinity();
  double best_out = -worst_in;
  for (const std::size_t candidate : candidates) {
    if (std::binary_search(chosen.begin(), chosen.end(), candidate)) {
      worst_in = std::min(worst_in, scores[candidate]);
    } else {
      best_out = std::max(best_out, scores[candidate]);
    }
  }
  return std::max(0.0, worst_in - best_out);
}

std::vector<std::size_t> experts_of(const Selection& selection) {
  std::vector<std::size_t> experts;
  for (const Choice& choice : selection) {
    experts.push_back(choice.expert);
  }
  return experts;
}

double largest_magnitude(const std::vector<double>& scores) {
  double largest = 1;
  for (const double score : scores) {
    largest = std::isfinite(score) ? std::max(largest, std::fabs(score)) : largest;
  }
  return largest;
}

}  // namespace

TokenRouter::TokenRouter(const Dimensions& dimensions, std::span<const double> bias, double factor)
    : dimensions_(dimensions),
      bias_(bias.begin(), bias.end()),
      factor_(factor),
      sigmoids_(dimensions.experts),
      scores_(dimensions.experts),
      group_scores_(dimensions.groups),
      rounded_scores_(dimensions.experts),
      rounded_group_scores_(dimensions.groups) {
  ASSAY_CHECK(bias.size() == dimensions.experts);
  ASSAY_CHECK(dimensions.group_size() >= 2 && dimensions.kept_groups * dimensions.group_size() >= dimensions.top_k);
}

void TokenRouter::assign(std::span<const float> logits) {
  ASSAY_CHECK(logits.size() == dimensions_.experts);
  for (std::size_t e = 0; e < logits.size(); ++e) {
    sigmoids_[e] = 1.0 / (1.0 + std::exp(-static_cast<double>(logits[e])));
    scores_[e] = orderable(sigmoids_[e] + bias_[e]);
    rounded_scores_[e] = orderable(static_cast<float>(sigmoids_[e]) + static_cast<float>(bias_[e]));
  }
  const std::size_t size = dimensions_.group_size();
  for (std::size_t group = 0; group < dimensions_.groups; ++group) {
    group_scores_[group] =
        orderable(sum_of_two_largest(scores_.data() + group * size, scores_.data() + (group + 1) * size));
    rounded_group_scores_[group] = orderable(
        sum_of_two_largest(rounded_scores_.data() + group * size, rounded_scores_.data() + (group + 1) * size));
  }
  kept_ = best(all_below(dimensions_.groups), dimensions_.kept_groups, rounded_group_scores_);
  nominal_ = weigh(best(members(kept_), dimensions_.top_k, rounded_scores_));
}

std::vector<std::size_t> TokenRouter::members(const std::vector<std::size_t>& groups) const {
  std::vector<std::size_t> experts;
  for (const std::size_t group : groups) {
    for (std::size_t i = 0; i < dimensions_.group_size(); ++i) {
      experts.push_back(group * dimensions_.group_size() + i);
    }
  }
  return experts;
}

Selection TokenRouter::weigh(std::vector<std::size_t> experts) const {
  double sum = 1e-20;
  for (const std::size_t expert : experts) {
    sum += sigmoids_[expert];
  }
  Selection selection;
  for (const std::size_t expert : experts) {
    selection.push_back({expert, sigmoids_[expert] / sum * factor_});
  }
  return selection;
}

Margins TokenRouter::margins() const {
  return {margin(all_below(dimensions_.groups), kept_, group_scores_),
          margin(members(kept_), experts_of(nominal_), scores_)};
}

std::vector<Selection> TokenRouter::selections() const {
  std::vector<Selection> result = {nominal_};
  const double unit = kScoreMargin * largest_magnitude(scores_);
  const Margins nearest = margins();
  if (nearest.groups > 2 * unit && nearest.experts > unit) {
    return result;
  }
  const auto group_sets = largest_subsets(group_scores_, dimensions_.kept_groups, 2 * unit, kMostSelections);
  if (!group_sets) {
    return result;
  }
  const std::vector<std::size_t> nominal_experts = experts_of(nominal_);
  for (const std::vector<std::size_t>& groups : *group_sets) {
    const std::vector<std::size_t> candidates = members(groups);
    std::vector<double> scores;
    for (const std::size_t candidate : candidates) {
      scores.push_back(scores_[candidate]);
    }
    const auto expert_sets = largest_subsets(scores, dimensions_.top_k, unit, kMostSelections);
    if (!expert_sets || result.size() + expert_sets->size() > kMostSelections + 1) {
      return {nominal_};
    }
    for (const std::vector<std::size_t>& positions : *expert_sets) {
      std::vector<std::size_t> experts;
      for (const std::size_t position : positions) {
        experts.push_back(candidates[position]);
      }
      if (experts != nominal_experts) {
        result.push_back(weigh(std::move(experts)));
      }
    }
  }
  // Two sets of groups may lead to the same experts.
  const auto by_experts = [](const Selection& x, const Selection& y) { return experts_of(x) < experts_of(y); };
  std::sort(result.begin() + 1, result.end(), by_experts);
  result.erase(std::unique(result.begin() + 1, result.end(),
                           [](const Selection& x, const Selection& y) { return experts_of(x) == experts_of(y); }),
               result.end());
  return result;
}

std::size_t local_index(const Dimensions& dimensions, std::size_t expert, std::int64_t offset) {
  const std::int64_t index = static_cast<std::int64_t>(expert) - offset;
  return index >= 0 && index < static_cast<std::int64_t>(dimensions.local_experts) ? static_cast<std::size_t>(index)
                                                                                   : dimensions.local_experts;
}

std::vector<double> read_bias(std::span<const std::byte> bias) {
  std::vector<double> values;
  for (std::size_t e = 0; e < bias.size() / sizeof(std::uint16_t); ++e) {
    values.push_back(static_cast<double>(tensor::from_bfloat16(load<std::uint16_t>(bias, e))));
  }
  return values;
}

Routing route(const Dimensions& dimensions, std::span<const std::byte> logits, std::span<const std::byte> bias,
              std::int64_t offset, double factor) {
  const std::size_t row_bytes = dimensions.experts * sizeof(float);
  const std::size_t tokens = logits.size() / row_bytes;
  const std::vector<double> bias_values = read_bias(bias);
  Routing routing;
  routing.nominal.resize(tokens * dimensions.top_k);
  const std::size_t pieces = (tokens + kTokensAPiece - 1) / kTokensAPiece;
  std::vector<std::vector<AmbiguousToken>> ambiguous(pieces);
  base::parallel_for(pieces, [&](std::size_t piece) {
    TokenRouter router(dimensions, bias_values, factor);
    std::vector<float> row(dimensions.experts);
    for (std::size_t t = piece * kTokensAPiece; t < std::min(tokens, (piece + 1) * kTokensAPiece); ++t) {
      std::memcpy(row.data(), logits.data() + t * row_bytes, row_bytes);
      router.assign(row);
      std::copy(router.nominal().begin(), router.nominal().end(),
                routing.nominal.begin() + static_cast<std::ptrdiff_t>(t * dimensions.top_k));
      AmbiguousToken token{t, router.selections(), {}};
      std::vector<bool> local(dimensions.local_experts + 1);
      for (const Selection& selection : token.selections) {
        for (const Choice& choice : selection) {
          local[local_index(dimensions, choice.expert, offset)] = true;
        }
      }
      for (std::size_t e = 0; e < dimensions.local_experts; ++e) {
        if (local[e]) {
          token.local_experts.push_back(e);
        }
      }
      if (token.selections.size() > 1 && !token.local_experts.empty()) {
        ambiguous[piece].push_back(std::move(token));
      }
    }
  });
  for (std::vector<AmbiguousToken>& some : ambiguous) {
    std::move(some.begin(), some.end(), std::back_inserter(routing.ambiguous));
  }
  return routing;
}

std::vector<std::size_t> active_experts(const Dimensions& dimensions, const Routing& routing, std::int64_t offset) {
  std::vector<bool> active(dimensions.local_experts + 1);
  for (const Choice& choice : routing.nominal) {
    active[local_index(dimensions, choice.expert, offset)] = true;
  }
  for (const AmbiguousToken& token : routing.ambiguous) {
    for (const std::size_t expert : token.local_experts) {
      active[expert] = true;
    }
  }
  std::vector<std::size_t> experts;
  for (std::size_t e = 0; e < dimensions.local_experts; ++e) {
    if (active[e]) {
      experts.push_back(e);
    }
  }
  return experts;
}

}  // namespace assay::operators::moe_fp8_block_scale
