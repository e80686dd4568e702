#include <assay/mcp/profile.hpp>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <assay/mcp/told.hpp>

namespace assay::mcp {
namespace {

using base::Json;

constexpr double kNanosecondsInMicrosecond = 1000;

Json microseconds(const std::optional<double>& nanoseconds) {
  return nanoseconds ? Json(*nanoseconds / kNanosecondsInMicrosecond) : Json();
}

std::string regime_of(const std::string& uuid, const control::CampaignConfiguration& configuration,
                      const control::CampaignState& state) {
  for (const promote::Regime& regime : state.regimes) {
    const bool member = std::any_of(regime.members.begin(), regime.members.end(),
                                    [&](std::size_t index) { return configuration.workloads[index].uuid == uuid; });
    if (member) {
      return regime.name;
    }
  }
  return "all";
}

Json encode_timing(const task::WorkloadTiming& timing, std::string regime) {
  const bool has_floor = timing.floor_ns && timing.candidate_ns && *timing.candidate_ns > 0;
  return {{"regime", std::move(regime)},
          {"candidate_us", microseconds(timing.candidate_ns)},
          {"incumbent_us", microseconds(timing.incumbent_ns)},
          {"floor_us", microseconds(timing.floor_ns)},
          {"share_of_floor", has_floor ? Json(*timing.floor_ns / *timing.candidate_ns) : Json()},
          {"limited_by", timing.floor_limit.empty() ? Json() : Json(timing.floor_limit)}};
}

Json encode_kernel(const task::KernelResources& kernel) {
  return {{"name", safe_line(kernel.name)},
          {"registers", kernel.registers},
          {"stack_bytes", kernel.stack_bytes},
          {"spill_store_bytes", kernel.spill_store_bytes},
          {"spill_load_bytes", kernel.spill_load_bytes},
          {"shared_bytes", kernel.shared_bytes},
          {"barriers", kernel.barriers}};
}

}  // namespace

Json profile_of(const task::Evaluation& evaluation, const control::CampaignConfiguration& configuration,
                const control::CampaignState& state) {
  Json workloads = Json::array();
  bool any_floor = false;
  for (const task::WorkloadTiming& timing : evaluation.timings) {
    any_floor = any_floor || timing.floor_ns.has_value();
    if (timing.candidate_ns) {
      workloads.push_back(encode_timing(timing, regime_of(timing.uuid, configuration, state)));
    }
  }
  Json kernels = Json::array();
  for (const task::KernelResources& kernel : evaluation.candidate_build.kernels) {
    kernels.push_back(encode_kernel(kernel));
  }
  Json missing =
      Json::array({"hardware counters: no profiler was run, so that occupancy, cache hits, bytes that really moved "
                   "and stalls are not known"});
  if (!any_floor) {
    missing.push_back("the roofline's floor: no bandwidth and no rate were measured of this device");
  }
  if (kernels.empty()) {
    missing.push_back("registers and spills: the compiler said nothing of any GPU kernel");
  }
  return {{"timer_floor_us", evaluation.timer_floor_ns / kNanosecondsInMicrosecond},
          {"workloads", std::move(workloads)},
          {"kernels", std::move(kernels)},
          {"not_measured", std::move(missing)}};
}

}  // namespace assay::mcp
