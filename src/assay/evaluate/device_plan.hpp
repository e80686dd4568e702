#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/launch_plan.hpp>
#include <assay/task/workload.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::evaluate {

/// What a device-only solution launches. Everything that is wrong with it is an input error that stands for the
/// candidate's fault: see `plan_fault`.
struct DevicePlan {
  task::LaunchPlan plan;
  task::Named<std::int64_t> parameters;  ///< The solution's.
  std::vector<std::string> symbols;      ///< Of each launch's kernel in the object, once it is built.
};

/// Reads the plan of a device-only solution and resolves it for every workload once.
[[nodiscard]] base::Result<DevicePlan> read_device_plan(const task::Solution& solution,
                                                        const task::Definition& definition,
                                                        const std::vector<task::Workload>& workloads);

/// Finds the symbols of the plan's kernels by what the compiler told of them (build::kernel_symbol).
[[nodiscard]] base::Result<void> find_symbols(DevicePlan& plan, const std::vector<task::KernelResources>& kernels);

/// What a worker is told when it loads the object.
[[nodiscard]] worker::LoadKernelsRequest kernels_of(const DevicePlan& plan);

/// Adds the plan's launches to a call, as numbers for its axes and scalars.
[[nodiscard]] base::Result<void> add_launches(const DevicePlan& plan, const task::Definition& definition,
                                              const task::AxisValues& axes, std::span<const operators::Argument> inputs,
                                              worker::Call& call);

/// The finding for an error of one of these.
[[nodiscard]] task::Finding plan_fault(const base::Error& error, task::Side side);

}  // namespace assay::evaluate
