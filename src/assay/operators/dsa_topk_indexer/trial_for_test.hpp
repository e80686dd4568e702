#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/dsa_topk_indexer/operator.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {

inline constexpr Dimensions kContest{};
inline constexpr Dimensions kSmall{.heads = 8, .head_size = 32, .topk = 64, .page_size = 16};
inline constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 17U;

/// Test only.
inline const Operator& contest() { return *instances()[0]; }
inline const Operator& small() { return *instances()[1]; }

/// Test only: a workload whose rows have these lengths. The table is as wide as they need, if `width` does not say
/// more; the cache has `spare` pages more than they need.
inline task::Workload make_workload(const Dimensions& dimensions, std::vector<std::int64_t> lengths, std::string uuid,
                                    std::size_t width = 1, std::size_t spare = 20) {
  std::size_t pages = 1 + spare;
  for (const std::int64_t length : lengths) {
    pages += dimensions.pages_of(static_cast<std::size_t>(length));
    width = std::max(width, dimensions.pages_of(static_cast<std::size_t>(length)));
  }
  task::Workload workload;
  workload.uuid = std::move(uuid);
  workload.axes = {{"batch_size", static_cast<std::int64_t>(lengths.size())},
                   {"max_num_pages", static_cast<std::int64_t>(width)},
                   {"num_pages", static_cast<std::int64_t>(pages)}};
  workload.lengths = std::move(lengths);
  return workload;
}

/// Test only: a call with official contents.
inline OperatorTrial official_trial(const Operator& op, const task::Workload& workload, std::uint64_t seed,
                                    std::uint64_t call = 0) {
  OperatorTrial trial(op, workload);
  op.make_generator(seed)->fill(workload, call, trial.arguments());
  return trial;
}

/// Test only: the stress trial of an index, filled.
inline OperatorTrial stressed_trial(const Operator& op, InputGenerator& generator, std::uint64_t seed,
                                    std::uint64_t index, std::uint64_t largest_bytes = kSmallBytes) {
  const StressTrial stress = op.stress_trial(seed, index, largest_bytes);
  OperatorTrial trial(op, stress.workload);
  generator.fill_stress(stress.kind, stress.workload, index, trial.arguments());
  return trial;
}

/// Test only: reads a call's inputs.
inline Call call_of(OperatorTrial& trial, const Dimensions& dimensions) {
  return read_arguments(dimensions, trial.arguments());
}

/// Test only: writes what the reference chose.
inline void write_expected(OperatorTrial& trial, const std::vector<ExpectedValues>& expected) {
  std::transform(expected[kIndices].begin(), expected[kIndices].end(), trial.out<std::int32_t>(0).begin(),
                 [](double id) { return static_cast<std::int32_t>(id); });
}

}  // namespace assay::operators::dsa_topk_indexer
