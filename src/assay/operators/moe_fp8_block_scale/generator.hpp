#pragma once

#include <list>
#include <string>
#include <vector>

#include <assay/operators/moe_fp8_block_scale/contents.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/moe_fp8_block_scale/routing_draw.hpp>
#include <assay/operators/moe_fp8_block_scale/stress.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Generates inputs as the contest's evaluator does (contents.hpp), with routing that stands for the captured one
/// (routing_draw.hpp). Which experts a token selects follows from the workload's uuid alone and is far from any other
/// choice; from call to call the logits of selected experts rise and those of groups that are not kept fall, which
/// changes weights but no selection. All quantised values and scales are new in each call. Experts that no token
/// may select are left as they are.
class Generator final : public InputGenerator {
 public:
  Generator(const Dimensions& dimensions, std::uint64_t seed);
  void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                  std::span<Argument> arguments) override;
  /// One of the eight tensors or two scalars, in the arguments' order. The element is one that matters for these
  /// contents: it follows from (seed, which, call) and from what the arguments hold. Experts that are selected for the
  /// first time then get contents too.
  void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<Argument> arguments) override;
  void compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
               device::CopyPlan& plan) override;
  void compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                      std::span<Argument> arguments, device::CopyPlan& plan) override;
  void perturb_composed(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments,
                        device::CopyPlan& plan) override;

 private:
  /// The routing of a workload.
  struct Plan {
    std::string uuid;
    std::size_t tokens = 0;
    std::int64_t offset = 0;
    RouterInputs inputs;
    std::vector<std::uint8_t> moves;  ///< Of each logit: up (selected), down (its group is not kept) or stay.
    std::vector<std::size_t> active;
  };

  const Plan& plan(const task::Workload& workload, std::size_t tokens, std::int64_t offset);
  void set_scalars(const task::Workload& workload, std::span<Argument> arguments) const;
  void compose_contents(Contents contents, std::uint64_t stream, const std::vector<std::size_t>& active,
                        std::span<Argument> arguments, device::CopyPlan& plan) const;
  void compose_experts(Contents contents, std::uint64_t stream, const std::vector<std::size_t>& experts,
                       std::vector<std::span<std::byte>> codes, std::span<Argument> arguments,
                       device::CopyPlan& plan) const;
  /// Those local experts that a token may select, by the logits, the bias and the offset that the arguments hold.
  [[nodiscard]] std::vector<std::size_t> selected_experts(std::span<Argument> arguments) const;

  Dimensions dimensions_;
  std::uint64_t seed_;
  ContentPool pool_;
  std::list<Plan> plans_;  ///< Of the workloads that were filled last, the latest first.
};

}  // namespace assay::operators::moe_fp8_block_scale
