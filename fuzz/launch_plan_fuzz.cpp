#include <cstddef>
#include <cstdint>
#include <string>

#include <assay/base/error.hpp>
#include <assay/task/launch_plan.hpp>

// Any text as a launch plan. What is accepted keeps to the bounds that the worker's messages and its launches rely on;
// what is refused is the candidate's fault, with a reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::task;
  Solution solution;
  solution.spec.language = Language::cuda;
  solution.spec.entry_point = "launch.json::run";
  solution.sources = {{"launch.json", std::string(reinterpret_cast<const char*>(data), size)}};
  Definition definition;
  definition.inputs = {{"x", {std::vector<std::string>{"n"}}}, {"scale", {std::nullopt}}};
  definition.outputs = {{"y", {std::vector<std::string>{"n"}}}};
  const auto plan = read_launch_plan(solution);
  if (!plan) {
    ASSAY_CHECK(plan.error().owner == assay::base::Owner::input && !plan.error().message.empty());
    return 0;
  }
  ASSAY_CHECK(!plan->launches.empty() && plan->launches.size() <= kMostLaunches);
  const auto resolved = resolve_launch_plan(*plan, definition, {{"n", 1000}}, {{"TILE", 16}});
  if (!resolved) {
    ASSAY_CHECK(resolved.error().owner == assay::base::Owner::input && !resolved.error().message.empty());
    return 0;
  }
  ASSAY_CHECK(resolved->launches.size() == plan->launches.size() && resolved->scratch_bytes <= kMostScratchBytes);
  for (const ResolvedLaunch& launch : resolved->launches) {
    ASSAY_CHECK(launch.arguments.size() <= kMostLaunchArguments && launch.shared_bytes <= kMostSharedBytes);
    ASSAY_CHECK(launch.grid[0] > 0 && launch.grid[1] > 0 && launch.grid[2] > 0);
    ASSAY_CHECK(launch.block[0] * launch.block[1] * launch.block[2] <= 1024);
    for (const ResolvedArgument& argument : launch.arguments) {
      if (const auto* pointer = std::get_if<ResolvedPointer>(&argument)) {
        ASSAY_CHECK(pointer->argument == 0 || pointer->argument == 2);
      } else if (const auto* scratch = std::get_if<ResolvedScratch>(&argument)) {
        ASSAY_CHECK(scratch->offset < resolved->scratch_bytes);
      } else if (const auto* value = std::get_if<ResolvedValue>(&argument)) {
        ASSAY_CHECK(value->size == 8 || value->bits >> (8 * value->size) == 0);
      }
    }
  }
  return 0;
}
