#include <assay/evaluate/device_plan.hpp>

#include <fmt/core.h>

#include <optional>
#include <variant>

#include <assay/build/kernel_names.hpp>

namespace assay::evaluate {

namespace {

std::size_t bytes_of(const task::LaunchArgument& argument) {
  if (const auto* scalar = std::get_if<task::ScalarValue>(&argument)) {
    return task::size_of(scalar->type);
  }
  if (const auto* value = std::get_if<task::PlanValue>(&argument)) {
    return task::size_of(value->type);
  }
  return sizeof(std::uint64_t);
}

std::optional<task::ResolvedValue> scalar_value(const operators::Scalar& scalar, task::ParameterType type) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return task::parameter_value(*integer, type);
  }
  if (const auto* real = std::get_if<double>(&scalar)) {
    return task::parameter_value(*real, type);
  }
  return task::parameter_value(std::int64_t{std::get<bool>(scalar) ? 1 : 0}, type);
}

worker::KernelValue kernel_value(const task::ResolvedValue& value) {
  return {static_cast<std::uint8_t>(value.size), value.bits};
}

}  // namespace

base::Result<DevicePlan> read_device_plan(const task::Solution& solution, const task::Definition& definition,
                                          const std::vector<task::Workload>& workloads) {
  DevicePlan made;
  ASSAY_TRY_ASSIGN(made.plan, task::read_launch_plan(solution));
  made.parameters = solution.parameters;
  for (const task::Workload& workload : workloads) {
    ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
    ASSAY_TRY(task::resolve_launch_plan(made.plan, definition, axes, made.parameters));
  }
  return made;
}

base::Result<void> find_symbols(DevicePlan& plan, const std::vector<task::KernelResources>& kernels) {
  plan.symbols.clear();
  for (std::size_t at = 0; at < plan.plan.launches.size(); ++at) {
    base::Result<std::string> symbol = build::kernel_symbol(plan.plan.launches[at].kernel, kernels);
    if (!symbol || symbol->size() > worker::kMaximumKernelName) {
      return base::input_error(
          "launch_plan", fmt::format("{}/launches/{}/kernel: {}", plan.plan.source, at,
                                     symbol ? fmt::format("its symbol has more than {} bytes: declare it extern \"C\"",
                                                          worker::kMaximumKernelName)
                                            : symbol.error().message));
    }
    plan.symbols.push_back(std::move(*symbol));
  }
  return {};
}

worker::LoadKernelsRequest kernels_of(const DevicePlan& plan) {
  ASSAY_CHECK(plan.symbols.size() == plan.plan.launches.size());
  worker::LoadKernelsRequest request;
  for (std::size_t at = 0; at < plan.symbols.size(); ++at) {
    worker::KernelUse& use = request.kernels.emplace_back();
    use.name = plan.symbols[at];
    for (const task::LaunchArgument& argument : plan.plan.launches[at].arguments) {
      use.argument_sizes.push_back(static_cast<std::uint8_t>(bytes_of(argument)));
    }
  }
  return request;
}

base::Result<void> add_launches(const DevicePlan& plan, const task::Definition& definition,
                                const task::AxisValues& axes, std::span<const operators::Argument> inputs,
                                worker::Call& call) {
  ASSAY_TRY_ASSIGN(const task::ResolvedPlan resolved,
                   task::resolve_launch_plan(plan.plan, definition, axes, plan.parameters));
  call.scratch_bytes = resolved.scratch_bytes;
  for (const task::ResolvedLaunch& from : resolved.launches) {
    worker::Launch launch;
    launch.grid = from.grid;
    launch.block = from.block;
    launch.cluster = from.cluster;
    launch.shared_bytes = from.shared_bytes;
    launch.cooperative = from.cooperative;
    for (const task::ResolvedArgument& argument : from.arguments) {
      if (const auto* pointer = std::get_if<task::ResolvedPointer>(&argument)) {
        launch.arguments.emplace_back(worker::TensorPointer{static_cast<std::uint8_t>(pointer->argument)});
      } else if (const auto* scratch = std::get_if<task::ResolvedScratch>(&argument)) {
        launch.arguments.emplace_back(worker::ScratchPointer{scratch->offset});
      } else if (const auto* value = std::get_if<task::ResolvedValue>(&argument)) {
        launch.arguments.emplace_back(kernel_value(*value));
      } else {
        const auto& scalar = std::get<task::ResolvedScalar>(argument);
        const auto value_of = scalar_value(std::get<operators::Scalar>(inputs[scalar.input]), scalar.type);
        if (!value_of) {
          return base::input_error(
              "launch_plan", fmt::format("{}/launches/{}: the scalar \"{}\" of this call does not fit {}: give a "
                                         "wider type",
                                         plan.plan.source, call.launches.size(), definition.inputs[scalar.input].first,
                                         task::to_string(scalar.type)));
        }
        launch.arguments.emplace_back(kernel_value(*value_of));
      }
    }
    call.launches.push_back(std::move(launch));
  }
  return {};
}

task::Finding plan_fault(const base::Error& error, task::Side side) {
  task::Finding finding;
  finding.kind = "launch_plan";
  finding.message = error.text();
  finding.side = side;
  return finding;
}

}  // namespace assay::evaluate
