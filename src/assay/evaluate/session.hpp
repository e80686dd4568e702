#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/device/device.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/evaluate/worker_pool.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/request.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/verify/given_contents.hpp>
#include <assay/verify/state_chain.hpp>

namespace assay::evaluate {

/// What all process pairs of one session share. Owned by the caller, who keeps it alive.
struct Session {
  const task::EvaluationRequest* request = nullptr;
  const JudgeSettings* settings = nullptr;
  const device::Device* device = nullptr;
  const operators::Operator* op = nullptr;
  operators::InputGenerator* generator = nullptr;
  verify::GivenContents* given = nullptr;      ///< Of the request's workloads; not asked for stress trials.
  std::vector<const Contestant*> contestants;  ///< The candidate, and the incumbent if there is one.
  const Contestant* copy = nullptr;            ///< Of the incumbent, where the plan has it timed against itself.
  const std::vector<verify::Layout>* layouts = nullptr;  ///< One a workload.
  CallChecker* checker = nullptr;                        ///< Keeps its memory from pair to pair.
  std::uint64_t seed = 0;
  /// What is wanted of the calls. Trials are calls of the candidate alone that are checked and never timed; those of a chain
  /// go on from each other's outputs.
  enum class Purpose : std::uint8_t { compare, stress, official, trials, chain };
  Purpose purpose = Purpose::compare;
  const std::vector<std::size_t>* stress_kinds = nullptr;  ///< For stress: the kind of each of the request's workloads.
  /// For stress: the first so many of the request's workloads are those of inputs that were kept, which are made again.
  std::span<const task::KeptInput> kept;
  verify::StateChain* chain = nullptr;  ///< For a chain: what it is made of and has come to.
  int trials = 1;                       ///< For trials and chains: calls of each workload, or the most of any.
  std::vector<std::int32_t> trials_on;  ///< For trials: calls of each; empty: all alike.
  WorkerPool* workers = nullptr;        ///< What starts them.
  bool of_self = false;                 ///< A copy of the incumbent has the candidate's part.
};

}  // namespace assay::evaluate
