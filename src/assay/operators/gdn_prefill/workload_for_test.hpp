#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <assay/operators/gdn_prefill/operator.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::gdn_prefill {

/// Test only: a workload with sequences of these lengths.
inline task::Workload make_workload(std::vector<std::int64_t> lengths, std::string uuid = "u",
                                    task::InputSpec scale = task::ScalarInput{0.25}) {
  task::Workload workload;
  workload.uuid = std::move(uuid);
  const auto count = static_cast<std::int64_t>(lengths.size());
  workload.axes = {{"total_seq_len", std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})},
                   {"num_seqs", count},
                   {"len_cu_seqlens", count + 1}};
  workload.inputs = {{"scale", std::move(scale)}};
  workload.lengths = std::move(lengths);
  return workload;
}

/// Test only: a call with the contents of call 0 of a workload.
inline OperatorTrial usual_trial(const Operator& op, const task::Workload& workload, std::uint64_t seed = 1) {
  OperatorTrial trial(op, workload);
  op.make_generator(seed)->fill(workload, 0, trial.arguments());
  return trial;
}

/// Test only: the stress trial of an index, filled.
inline OperatorTrial stress_trial(const Operator& op, InputGenerator& generator, std::uint64_t seed,
                                  std::uint64_t index, std::uint64_t largest_bytes) {
  const StressTrial stress = op.stress_trial(seed, index, largest_bytes);
  OperatorTrial trial(op, stress.workload);
  generator.fill_stress(stress.kind, stress.workload, index, trial.arguments());
  return trial;
}

}  // namespace assay::operators::gdn_prefill
