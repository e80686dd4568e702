#include <assay/service/context.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include <assay/base/text.hpp>
#include <assay/os/process.hpp>

namespace assay::service {
namespace {

constexpr std::chrono::seconds kDescribeLimit(30);
constexpr std::size_t kDescribeOutput = std::size_t{1} << 20U;

base::Result<task::Named<std::string>> fingerprint_of(const Places& places, const std::string& device) {
  ASSAY_TRY_ASSIGN(const base::Json machine, describe_machine(places, device));
  const auto environment = machine.find("environment");
  if (environment == machine.end() || !environment->is_object()) {
    return base::internal_error("judge.describe", "assay-judge --describe has no object \"environment\"");
  }
  task::Named<std::string> result;
  for (const auto& [key, value] : environment->items()) {
    result.emplace_back(key, value.is_string() ? value.get<std::string>() : base::dump_compact(value));
  }
  return result;
}

}  // namespace

Context make_context(const Surroundings& surroundings) { return make_context(find_places(surroundings)); }

Context make_context(Places places) {
  Context context;
  context.places = std::move(places);
  const execute::LocalSettings settings{context.places.judge, context.places.build_cache, std::nullopt};
  context.make_runner = [settings] { return std::make_unique<execute::LocalJudgeRunner>(settings); };
  context.fingerprint = [places = context.places](const std::string& device) { return fingerprint_of(places, device); };
  return context;
}

base::Result<dataset::Dataset> open_dataset(const Context& context) {
  if (context.places.dataset.empty()) {
    std::vector<std::string> tried;
    for (const os::Path& path : context.places.dataset_candidates) {
      tried.push_back(path.string());
    }
    return base::input_error("dataset.none", fmt::format("no dataset found; name one with --dataset DIR or "
                                                         "$ASSAY_DATASET (looked for {})",
                                                         base::join(tried, ", ")));
  }
  return dataset::Dataset::open(context.places.dataset);
}

base::Result<base::Json> describe_machine(const Places& places, const std::string& device) {
  std::error_code error;
  if (!std::filesystem::exists(places.judge, error)) {
    return base::environment_error(
        "judge.missing",
        fmt::format("{} is not there; the three programs belong side by side: run ./dev build", places.judge.string()));
  }
  os::ProcessOptions options;
  options.argv = {places.judge.string(), "--describe", "--json", "--device", device};
  const char* path = std::getenv("PATH");
  options.environment = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path}, {"LC_ALL", "C.UTF-8"}};
  ASSAY_TRY_ASSIGN(const os::CommandResult result,
                   os::run_command(std::move(options), kDescribeLimit, kDescribeOutput));
  if (result.timed_out || !result.status.success()) {
    return base::environment_error("judge.describe",
                                   fmt::format("{} --describe failed ({}): {}", places.judge.string(),
                                               result.timed_out ? "no answer within 30 s" : result.status.text(),
                                               base::printable(base::tail(result.output, 400))));
  }
  auto json = base::parse_json(result.output, "assay-judge --describe");
  if (!json || !json->is_object()) {
    return base::internal_error("judge.describe",
                                "assay-judge --describe answered with something that is no JSON object");
  }
  return json;
}

}  // namespace assay::service
