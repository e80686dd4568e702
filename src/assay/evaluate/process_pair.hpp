#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/diagnosis.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/fd.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

/// What all process pairs of one session share. Owned by the caller, who keeps it alive.
struct Session {
  const task::EvaluationRequest* request = nullptr;
  const JudgeSettings* settings = nullptr;
  const device::Device* device = nullptr;
  const operators::Operator* op = nullptr;
  operators::InputGenerator* generator = nullptr;
  const std::vector<Contestant>* contestants = nullptr;  ///< The candidate, then the incumbent if there is one.
  const std::vector<verify::Layout>* layouts = nullptr;  ///< One a workload.
  std::uint64_t seed = 0;
  int log = -1;  ///< Where workers' output goes.
};

/// How one process pair went.
struct PairResult {
  std::vector<task::Sample> samples;
  std::int64_t checked_calls = 0;
  std::vector<std::int64_t> floors_ns;  ///< Empty-call time, one a process.
  std::optional<Fault> fault;           ///< The first thing that went wrong; the pair ended with it.
  bool killed_from_outside = false;     ///< The fault is an infrastructure fault that a fresh pair may be spared.
};

/// Runs one fresh pair of worker processes (one process if there is no incumbent) with fresh memory through a random
/// schedule of checked and timed calls. Inputs are shared by the two sides, read-only; outputs are each side's own.
[[nodiscard]] base::Result<PairResult> run_pair(const Session& session, std::int32_t pair);

}  // namespace assay::evaluate
