#include <assay/operators/moe_fp8_block_scale/routing_draw.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/operators/moe_fp8_block_scale/routing.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr int kMostDraws = 1000;  // Some kinds cannot always have the margin; what is then ambiguous is compared so.

bool is_local(const Dimensions& d, std::size_t expert, std::int64_t offset) {
  return local_index(d, expert, offset) < d.local_experts;
}

std::vector<double> as_doubles(const std::vector<std::uint16_t>& bias) {
  std::vector<double> values;
  for (const std::uint16_t bits : bias) {
    values.push_back(static_cast<double>(tensor::from_bfloat16(bits)));
  }
  return values;
}

bool has_margin(const TokenRouter& router) {
  const Margins margins = router.margins();
  return margins.groups >= 2 * kDrawnMargin && margins.experts >= kDrawnMargin;
}

/// Draws one token until its selection is beyond doubt. `mean` is that of each expert's logit.
void draw_token(base::Philox& random, std::span<const float> mean, TokenRouter& router, std::span<float> logits) {
  for (int draw = 0; draw < kMostDraws; ++draw) {
    for (std::size_t e = 0; e < logits.size(); ++e) {
      logits[e] = mean[e] + static_cast<float>(random.next_normal());
    }
    router.assign(logits);
    if (has_margin(router)) {
      return;
    }
  }
}

/// The selected expert that is nearest to being dropped, and the one in a kept group that is nearest to taking its
/// place.
std::pair<std::size_t, std::size_t> boundary_experts(const Dimensions& d, const TokenRouter& router) {
  std::vector<bool> selected(d.experts);
  for (const Choice& choice : router.nominal()) {
    selected[choice.expert] = true;
  }
  std::size_t last_in = d.experts;
  std::size_t first_out = d.experts;
  for (const std::size_t group : router.kept_groups()) {
    for (std::size_t e = group * d.group_size(); e < (group + 1) * d.group_size(); ++e) {
      if (selected[e]) {
        last_in = last_in == d.experts || router.score(e) < router.score(last_in) ? e : last_in;
      } else {
        first_out = first_out == d.experts || router.score(e) > router.score(first_out) ? e : first_out;
      }
    }
  }
  ASSAY_CHECK(last_in < d.experts && first_out < d.experts);
  return {last_in, first_out};
}

/// The kept group that is nearest to being dropped, and the best of those that are not kept.
std::pair<std::size_t, std::size_t> boundary_groups(const Dimensions& d, const TokenRouter& router) {
  const std::vector<std::size_t>& kept = router.kept_groups();
  std::size_t last_in = kept.front();
  std::size_t first_out = d.groups;
  for (std::size_t group = 0; group < d.groups; ++group) {
    if (std::binary_search(kept.begin(), kept.end(), group)) {
      last_in = router.group_score(group) < router.group_score(last_in) ? group : last_in;
    } else if (first_out == d.groups || router.group_score(group) > router.group_score(first_out)) {
      first_out = group;
    }
  }
  ASSAY_CHECK(first_out < d.groups);
  return {last_in, first_out};
}

/// Makes the boundary of a drawn token difficult. All biases are equal in these kinds.
void sharpen(const Dimensions& d, Kind kind, base::Philox& random, TokenRouter& router, std::span<float> logits) {
  if (kind == Kind::group_ties) {
    const auto [last_in, first_out] = boundary_groups(d, router);
    const std::uint64_t turn = random.next_below(d.group_size());
    for (std::size_t i = 0; i < d.group_size(); ++i) {
      logits[first_out * d.group_size() + (i + turn) % d.group_size()] = logits[last_in * d.group_size() + i];
    }
    return;
  }
  const auto [last_in, first_out] = boundary_experts(d, router);
  if (kind == Kind::expert_ties) {
    logits[first_out] = logits[last_in];
    if (random.next_below(4) == 0) {
      logits[first_out] = std::nextafter(logits[first_out], random.next_below(2) == 0 ? -100.0F : 100.0F);
    }
    return;
  }
  const double bias = router.score(last_in) - 1.0 / (1.0 + std::exp(-static_cast<double>(logits[last_in])));
  const double wanted = router.score(last_in) - bias - std::exp2(-14 + 3 * random.next_uniform());
  if (wanted > router.score(first_out) - bias) {
    logits[first_out] = static_cast<float>(std::log(wanted / (1 - wanted)));
  }
}

/// More experts than can be selected whose sigmoid is 1 in float32; pairs of them have the same bias.
void saturate(const Dimensions& d, base::Philox& random, std::span<float> logits) {
  for (float& logit : logits) {
    logit = static_cast<float>(random.next_normal());
  }
  for (std::size_t i = 0; i < d.top_k + d.top_k / 2; ++i) {
    logits[random.next_below(d.experts)] = static_cast<float>(20 + 10 * random.next_uniform());
  }
}

std::vector<float> mean_logits(const Dimensions& d, Kind kind, std::int64_t offset, std::size_t expert) {
  std::vector<float> mean(d.experts, 0.0F);
  for (std::size_t e = 0; e < d.experts; ++e) {
    const bool local = is_local(d, e, offset);
    switch (kind) {
      case Kind::one_expert:
        // Another local expert never is among the best of the groups that are kept, and the local group always is kept.
        mean[e] = !local ? -2.5F : local_index(d, e, offset) == expert ? 12.0F : -20.0F;
        break;
      case Kind::no_local_expert:
        mean[e] = local ? -12.0F : 0.0F;
        break;
      case Kind::one_sign:
      case Kind::hot_group:
        mean[e] = local ? 2.0F : 0.0F;
        break;
      default:
        break;
    }
  }
  return mean;
}

std::vector<std::uint16_t> stress_bias(const Dimensions& d, Kind kind, base::Philox& random) {
  std::vector<std::uint16_t> bias(d.experts);
  std::vector<std::size_t> order(d.experts);
  for (std::size_t e = 0; e < d.experts; ++e) {
    order[e] = e;
    std::swap(order[e], order[random.next_below(e + 1)]);
  }
  for (std::size_t e = 0; e < d.experts; ++e) {
    const auto normal = static_cast<float>(random.next_normal());
    switch (kind) {
      case Kind::negative_scores:
        bias[e] = tensor::to_bfloat16(-3.0F + 0.25F * normal);
        break;
      case Kind::biased_choice:
        bias[e] = tensor::to_bfloat16(normal);
        break;
      case Kind::one_expert:
        bias[e] = tensor::to_bfloat16(0.0005F * normal);
        break;
      case Kind::expert_ties:
      case Kind::group_ties:
      case Kind::close_margins:
        bias[e] = tensor::to_bfloat16(0.0625F);
        break;
      case Kind::saturated:
        bias[e] = tensor::to_bfloat16(static_cast<float>(order[e] / 2) * 0x1p-10F);
        break;
      default:
        bias[e] = tensor::to_bfloat16(0.05F * normal);
        break;
    }
  }
  return bias;
}

/// One attempt at a workload's routing; tells whether some token has a local expert.
bool draw_workload_attempt(const Dimensions& d, std::uint64_t stream, std::int64_t offset, RouterInputs& inputs) {
  base::Philox shared(0, stream);
  std::vector<float> taste(d.experts);
  for (std::size_t e = 0; e < d.experts; ++e) {
    taste[e] = 0.4F * static_cast<float>(shared.next_normal());
    inputs.bias[e] = tensor::to_bfloat16(0.05F * static_cast<float>(shared.next_normal()));
  }
  for (std::size_t group = 0; group < d.groups; ++group) {
    const std::span<float> members = std::span(taste).subspan(group * d.group_size(), d.group_size());
    float sum = 0;
    for (const float value : members) {
      sum += value;
    }
    for (float& value : members) {
      value -= sum / static_cast<float>(members.size());
    }
  }
  constexpr std::size_t kTokensAtATime = 64;
  const std::size_t tokens = inputs.logits.size() / d.experts;
  const std::vector<double> bias = as_doubles(inputs.bias);
  std::vector<std::uint8_t> any_local((tokens + kTokensAtATime - 1) / kTokensAtATime);
  base::parallel_for(any_local.size(), [&](std::size_t piece) {
    TokenRouter router(d, bias, 1);
    for (std::size_t t = piece * kTokensAtATime; t < std::min(tokens, (piece + 1) * kTokensAtATime); ++t) {
      base::Philox random(0, base::mix(stream, t + 1));
      draw_token(random, taste, router, std::span(inputs.logits).subspan(t * d.experts, d.experts));
      for (const Choice& choice : router.nominal()) {
        if (is_local(d, choice.expert, offset)) {
          any_local[piece] = 1;
        }
      }
    }
  });
  return std::find(any_local.begin(), any_local.end(), 1U) != any_local.end();
}

}  // namespace

RouterInputs draw_workload_routing(const Dimensions& dimensions, std::string_view uuid, std::size_t tokens,
                                   std::int64_t offset) {
  RouterInputs inputs{std::vector<float>(tokens * dimensions.experts), std::vector<std::uint16_t>(dimensions.experts)};
  const std::uint64_t stream = base::mix(base::stream_id("moe_fp8_block_scale.routing"), base::stream_id(uuid));
  for (std::uint64_t attempt = 0; attempt < kMostDraws; ++attempt) {
    if (draw_workload_attempt(dimensions, base::mix(stream, attempt), offset, inputs)) {
      break;
    }
  }
  return inputs;
}

RouterInputs draw_stress_routing(const Dimensions& dimensions, Kind kind, std::size_t tokens, std::int64_t offset,
                                 base::Philox& random) {
  RouterInputs inputs{std::vector<float>(tokens * dimensions.experts), stress_bias(dimensions, kind, random)};
  const std::size_t expert = random.next_below(dimensions.local_experts);
  const std::vector<float> mean = mean_logits(dimensions, kind, offset, expert);
  TokenRouter router(dimensions, as_doubles(inputs.bias), 1);
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::span<float> logits = std::span(inputs.logits).subspan(t * dimensions.experts, dimensions.experts);
    if (kind == Kind::saturated) {
      saturate(dimensions, random, logits);
      continue;
    }
    draw_token(random, mean, router, logits);
    if (kind == Kind::expert_ties || kind == Kind::group_ties || kind == Kind::close_margins) {
      sharpen(dimensions, kind, random, router, logits);
    }
  }
  return inputs;
}

}  // namespace assay::operators::moe_fp8_block_scale
