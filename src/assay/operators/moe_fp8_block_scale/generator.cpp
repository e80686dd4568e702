#include <assay/operators/moe_fp8_block_scale/generator.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/base/random.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/moe_fp8_block_scale/perturbation.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/routing.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr std::size_t kTokensAtOnce = 256;
/// Of the contest's dimensions a token's routing takes 1.3 kB; its 19 workloads have 32,000 tokens or so.
constexpr std::size_t kMostTokensOfPlans = std::size_t{1} << 17U;
constexpr std::uint64_t kMoves = 0x106175;  // Streams beside those of the contents.
constexpr std::uint64_t kAddedExperts = 0x106176;
enum Move : std::uint8_t { kStay, kUp, kDown };

std::int64_t offset_of(const task::Workload& workload) {
  return static_cast<std::int64_t>(workload_scalar(workload, "local_expert_offset", 0));
}

double factor_of(const task::Workload& workload) { return workload_scalar(workload, "routed_scaling_factor", 2.5); }

std::size_t token_count(const Dimensions& d, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  const std::size_t tokens = bytes_of(arguments, kHidden).size() / d.hidden;
  ASSAY_CHECK(bytes_of(arguments, kLogits).size() == tokens * d.experts * sizeof(float));
  ASSAY_CHECK(bytes_of(arguments, kHiddenScale).size() == tokens * d.hidden_blocks() * sizeof(float));
  ASSAY_CHECK(bytes_of(arguments, kGemm1Weights).size() == d.local_experts * d.gemm1_weights());
  ASSAY_CHECK(bytes_of(arguments, kGemm2Weights).size() == d.local_experts * d.gemm2_weights());
  return tokens;
}

Contents contents_of(Kind kind) {
  switch (kind) {
    case Kind::moderate_gates:
      return Contents::moderate;
    case Kind::one_sign:
      return Contents::positive;
    case Kind::wide_scales:
      return Contents::wide;
    case Kind::saturated:
      return Contents::extreme;
    default:
      return Contents::official;
  }
}

}  // namespace

Generator::Generator(const Dimensions& dimensions, std::uint64_t seed)
    : dimensions_(dimensions), seed_(seed), pool_(seed) {}

const Generator::Plan& Generator::plan(const task::Workload& workload, std::size_t tokens, std::int64_t offset) {
  const auto known = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& one) {
    return one.uuid == workload.uuid && one.tokens == tokens && one.offset == offset;
  });
  if (known != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, known);
    return plans_.front();
  }
  const Dimensions& d = dimensions_;
  Plan plan{workload.uuid, tokens, offset, draw_workload_routing(d, workload.uuid, tokens, offset), {}, {}};
  plan.moves.resize(tokens * d.experts, kStay);
  const auto logits = std::as_bytes(std::span(plan.inputs.logits));
  const auto bias = std::as_bytes(std::span(plan.inputs.bias));
  plan.active = active_experts(d, route(d, logits, bias, offset, 1), offset);
  const std::vector<double> bias_values = read_bias(bias);
  base::parallel_for((tokens + kTokensAtOnce - 1) / kTokensAtOnce, [&](std::size_t piece) {
    TokenRouter router(d, bias_values, 1);
    for (std::size_t t = piece * kTokensAtOnce; t < std::min(tokens, (piece + 1) * kTokensAtOnce); ++t) {
      router.assign(std::span(plan.inputs.logits).subspan(t * d.experts, d.experts));
      const std::span<std::uint8_t> moves = std::span(plan.moves).subspan(t * d.experts, d.experts);
      for (std::size_t group = 0; group < d.groups; ++group) {
        if (!std::binary_search(router.kept_groups().begin(), router.kept_groups().end(), group)) {
          std::fill_n(moves.begin() + static_cast<std::ptrdiff_t>(group * d.group_size()), d.group_size(), kDown);
        }
      }
      for (const Choice& choice : router.nominal()) {
        moves[choice.expert] = kUp;
      }
    }
  });
  // Drawing one takes longer than a call, and a session's workloads take turns.
  std::size_t kept = tokens;
  plans_.erase(std::find_if(plans_.begin(), plans_.end(),
                            [&](const Plan& one) { return (kept += one.tokens) > kMostTokensOfPlans; }),
               plans_.end());
  plans_.push_front(std::move(plan));
  return plans_.front();
}

void Generator::set_scalars(const task::Workload& workload, std::span<Argument> arguments) const {
  arguments[kLocalExpertOffset] = Scalar(offset_of(workload));
  arguments[kRoutedScalingFactor] = Scalar(factor_of(workload));
}

void Generator::compose_contents(Contents contents, std::uint64_t stream, const std::vector<std::size_t>& active,
                                 std::span<Argument> arguments, device::CopyPlan& plan) const {
  const Dimensions& d = dimensions_;
  for (const Input input : {kHidden, kGemm1Weights, kGemm2Weights}) {
    plan.leave(bytes_of(arguments, input));
  }
  pool_.fill_scales(d, contents, Role::hidden, base::mix(stream, 1), bytes_of(arguments, kHiddenScale));
  compose_experts(contents, stream, active, {bytes_of(arguments, kHidden)}, arguments, plan);
}

// `codes`: what else gets codes of this stream, ahead of the experts.
void Generator::compose_experts(Contents contents, std::uint64_t stream, const std::vector<std::size_t>& experts,
                                std::vector<std::span<std::byte>> codes, std::span<Argument> arguments,
                                device::CopyPlan& plan) const {
  const Dimensions& d = dimensions_;
  for (const std::size_t expert : experts) {
    const auto part = [&](Input input, std::size_t bytes_an_expert) {
      return bytes_of(arguments, input).subspan(expert * bytes_an_expert, bytes_an_expert);
    };
    codes.push_back(part(kGemm1Weights, d.gemm1_weights()));
    codes.push_back(part(kGemm2Weights, d.gemm2_weights()));
    pool_.fill_scales(d, contents, Role::gemm1, base::mix(stream, 2 * expert + 2),
                      part(kGemm1WeightsScale, d.gemm1_scales() * sizeof(float)));
    pool_.fill_scales(d, contents, Role::gemm2, base::mix(stream, 2 * expert + 3),
                      part(kGemm2WeightsScale, d.gemm2_scales() * sizeof(float)));
  }
  pool_.compose_codes(contents, base::mix(stream, 0), codes, plan);
}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose(workload, call, arguments, plan);
  plan.settle();
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose_stress(kind, workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
                        device::CopyPlan& contents) {
  const Dimensions& d = dimensions_;
  const std::size_t tokens = token_count(d, arguments);
  const Plan& routing = plan(workload, tokens, offset_of(workload));
  const std::uint64_t stream = base::mix(
      base::mix(seed_, base::mix(base::stream_id("moe_fp8_block_scale.call"), base::stream_id(workload.uuid))), call);
  const std::span<std::byte> logits = bytes_of(arguments, kLogits);
  base::parallel_for((tokens + kTokensAtOnce - 1) / kTokensAtOnce, [&](std::size_t piece) {
    constexpr std::array<float, 3> kSign = {0.0F, 1.0F, -1.0F};  // Of kStay, kUp, kDown.
    for (std::size_t t = piece * kTokensAtOnce; t < std::min(tokens, (piece + 1) * kTokensAtOnce); ++t) {
      const std::uint64_t place = base::mix(base::mix(stream, kMoves), t);
      for (std::size_t e = 0; e < d.experts; ++e) {
        const std::size_t at = t * d.experts + e;
        store(logits, at, routing.inputs.logits[at] + kSign[routing.moves[at]] * pool_.uniform(place % 0x10000U + e));
      }
    }
  });
  std::memcpy(bytes_of(arguments, kBias).data(), routing.inputs.bias.data(), d.experts * sizeof(std::uint16_t));
  set_scalars(workload, arguments);
  compose_contents(Contents::official, stream, routing.active, arguments, contents);
}

void Generator::compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                               std::span<Argument> arguments, device::CopyPlan& contents) {
  ASSAY_CHECK(kind < kStressKinds.size());
  const Dimensions& d = dimensions_;
  const std::size_t tokens = token_count(d, arguments);
  const std::int64_t offset = offset_of(workload);
  const std::uint64_t stream = base::mix(
      base::mix(seed_, base::mix(base::stream_id("moe_fp8_block_scale.hard"), base::stream_id(workload.uuid))), call);
  base::Philox random(seed_, stream);
  const RouterInputs inputs = draw_stress_routing(d, Kind{static_cast<std::uint8_t>(kind)}, tokens, offset, random);
  std::memcpy(bytes_of(arguments, kLogits).data(), inputs.logits.data(), inputs.logits.size() * sizeof(float));
  std::memcpy(bytes_of(arguments, kBias).data(), inputs.bias.data(), inputs.bias.size() * sizeof(std::uint16_t));
  set_scalars(workload, arguments);
  const Routing routing =
      route(d, std::as_bytes(std::span(inputs.logits)), std::as_bytes(std::span(inputs.bias)), offset, 1);
  compose_contents(contents_of(Kind{static_cast<std::uint8_t>(kind)}), stream, active_experts(d, routing, offset),
                   arguments, contents);
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  device::CopyPlan nothing;
  perturb_composed(which, call, arguments, nothing);
}

void Generator::perturb_composed(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments,
                                 device::CopyPlan& plan) {
  static_cast<void>(token_count(dimensions_, arguments));
  const std::uint64_t stream = base::mix(base::mix(base::stream_id("moe_fp8_block_scale.perturb"), which), call);
  base::Philox random(seed_, stream);
  const auto input = static_cast<Input>(which % kInputCount);
  const bool reroutes = input == kLogits || input == kBias || input == kLocalExpertOffset;
  const std::vector<std::size_t> before = reroutes ? selected_experts(arguments) : std::vector<std::size_t>();
  perturb_one(dimensions_, input, random, arguments, plan);
  if (!reroutes) {
    return;
  }
  // What lies in the weights of an expert that no token selected before is not this call's.
  const std::vector<std::size_t> after = selected_experts(arguments);
  std::vector<std::size_t> added;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(added));
  const bool is_planned = !plan.empty();
  compose_experts(Contents::official, base::mix(seed_, base::mix(stream, kAddedExperts)), added, {}, arguments, plan);
  if (!is_planned) {
    plan.settle();
  }
}

std::vector<std::size_t> Generator::selected_experts(std::span<Argument> arguments) const {
  const std::vector<ConstArgument> inputs = read_only(arguments);
  const double offset = read_scalar(inputs, kLocalExpertOffset, "local_expert_offset").value();
  return active_experts(dimensions_, route(dimensions_, inputs), static_cast<std::int64_t>(offset));
}

}  // namespace assay::operators::moe_fp8_block_scale
