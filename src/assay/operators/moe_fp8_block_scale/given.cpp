#include <assay/operators/arguments.hpp>
#include <assay/operators/moe_fp8_block_scale/generator.hpp>
#include <assay/operators/moe_fp8_block_scale/routing.hpp>

namespace assay::operators::moe_fp8_block_scale {

// With a variation the tokens are turned: the same numbers of tokens meet the same experts.
void Generator::fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                           std::span<Argument> arguments) {
  const Dimensions& d = dimensions_;
  const std::size_t tokens = bytes_of(arguments, kLogits).size() / (d.experts * sizeof(float));
  const std::uint64_t stream = base::mix(
      base::mix(seed_, base::mix(base::stream_id("moe_fp8_block_scale.given"), base::stream_id(workload.uuid))), call);
  base::Philox random(seed_, stream);
  const std::size_t turn = given.varied() ? random.next_below(tokens) : 0;
  if (!given.has(kLogits) || !given.has(kBias)) {
    fill(workload, call, arguments);
  }
  copy_given_turned(given, kLogits, tokens, turn, arguments);
  copy_given(given, kBias, arguments);
  arguments[kLocalExpertOffset] =
      Scalar(static_cast<std::int64_t>(workload_scalar(workload, "local_expert_offset", 0)));
  arguments[kRoutedScalingFactor] = Scalar(workload_scalar(workload, "routed_scaling_factor", 2.5));
  const auto offset = std::get<std::int64_t>(std::get<Scalar>(arguments[kLocalExpertOffset]));
  const Routing routing = route(d, bytes_of(arguments, kLogits), bytes_of(arguments, kBias), offset, 1);
  device::CopyPlan plan;
  compose_contents(Contents::official, stream, active_experts(d, routing, offset), arguments, plan);
  plan.settle();
  for (const Input values :
       {kHidden, kHiddenScale, kGemm1Weights, kGemm1WeightsScale, kGemm2Weights, kGemm2WeightsScale}) {
    if (!given.varied()) {
      copy_given(given, values, arguments);
    }
  }
}

}  // namespace assay::operators::moe_fp8_block_scale
