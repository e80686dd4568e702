#pragma once

#include <cstdint>
#include <vector>

#include <assay/device/device.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/operators/operator.hpp>
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
  const std::vector<Contestant>* contestants = nullptr;        ///< The candidate, then the incumbent if there is one.
  const std::vector<verify::Layout>* layouts = nullptr;        ///< One a workload.
  std::vector<operators::ExpectedValues>* expected = nullptr;  ///< Scratch for the reference's outputs.
  std::uint64_t seed = 0;
  int log = -1;  ///< Where workers' output goes.
};

}  // namespace assay::evaluate
