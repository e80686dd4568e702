#pragma once

#include <string>

#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/moe_fp8_block_scale/operator.hpp>
#include <assay/operators/moe_fp8_block_scale/stress.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Bytes of a trial's tokens, with which the small sibling's stress trials have up to 65 of them.
inline constexpr std::uint64_t kSmallTrialBytes = std::uint64_t{70} * (16 * 4 + 2 * 4 + 3 * 256);

inline const Operator& contest() { return *instances()[0]; }
inline const Operator& small() { return *instances()[1]; }

/// Test only: returns a workload as the dataset has them.
inline task::Workload make_workload(std::int64_t tokens, std::string uuid, std::int64_t offset = 4,
                                    double factor = 2.5) {
  task::Workload workload;
  workload.uuid = std::move(uuid);
  workload.axes = {{"seq_len", tokens}};
  workload.inputs = {{"local_expert_offset", task::ScalarInput{offset}},
                     {"routed_scaling_factor", task::ScalarInput{factor}}};
  return workload;
}

/// Test only: a call of the small sibling with contents of a kind of stress.
inline OperatorTrial make_stressed(Kind kind, std::int64_t tokens, std::uint64_t call = 0, std::int64_t offset = 4) {
  const task::Workload workload = make_workload(tokens, "stressed", offset);
  OperatorTrial trial(small(), workload);
  static const auto generator = small().make_generator(123);
  generator->fill_stress(static_cast<std::size_t>(kind), workload, call, trial.arguments());
  return trial;
}

}  // namespace assay::operators::moe_fp8_block_scale
