#include <assay/control/sample_campaign.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include <assay/archive/sample_bundle.hpp>

namespace assay::control::testing {
namespace {

// These tests are about programs that die, not about power that fails: where there is a file system in memory, syncing
// a journal a thousand times costs nothing there.
os::Path scratch() {
  const os::Path memory = "/dev/shm";
  return std::filesystem::is_directory(memory) ? memory : os::Path(::testing::TempDir());
}

}  // namespace

task::Solution sample_solution(const std::string& name, const std::string& source) {
  task::Solution solution = archive::sample_solution(source);
  solution.name = name;
  return solution;
}

CampaignConfiguration sample_configuration() {
  CampaignConfiguration configuration;
  configuration.name = "scale-search";
  configuration.device = "simulated:7";
  const task::EvaluationRequest sample = archive::sample_request("sample");
  configuration.definition = sample.definition;
  for (const std::int64_t n : {1, 2, 1000, 2000}) {
    task::Workload workload = sample.workloads.front();
    workload.uuid = fmt::format("00000000-0000-0000-0000-{:012}", n);
    workload.axes = {{"n", n}};
    configuration.workloads.push_back(workload);
  }
  configuration.baseline = sample_solution("plain", "y = 2 * x;\n");
  configuration.supplied = {
      sample_solution("no-build", "syntax error\n// outcome: not_built\n"),
      sample_solution("wrong", "y = 3 * x;\n// outcome: incorrect\n"),
      sample_solution("plain-again", "y = 2 * x;\n"),
      sample_solution("plain-commented", "y = 2 * x;  // twice\n"),
      sample_solution("slow", "y = x + x;\n// speed: 1.3\n"),
      sample_solution("no-build-again", "syntax error\n// outcome: not_built\n"),
  };
  configuration.tunable = sample_solution("blocked", "y = blocked(x, BLOCK, UNROLL);\n");
  configuration.tunable->tuning = task::Tuning{{{"BLOCK", {1, 2, 4}}, {"UNROLL", {1, 2}}}, {}};
  configuration.tuner_seed = 5;
  configuration.rounds = 2;
  configuration.candidates_per_round = 3;
  configuration.policy = *promote::built_in_policy("quick");
  configuration.policy.gate_workloads = 2;
  return configuration;
}

Laboratory::Laboratory(const CampaignConfiguration& configuration)
    : configuration_(configuration),
      folder_(must(os::TemporaryDirectory::create(scratch(), "assay-campaign-"))),
      archive_(must(archive::Archive::open_writer(folder_.path() / "archive"))),
      evaluator_(archive_->spool()),
      tuner_(must(agent::Tuner::create(configuration.tunable.value(), configuration.tuner_seed))) {
  must(archive_->create_campaign(
      {configuration.name, configuration.definition.name, base::dump_compact(encode(configuration)), {}}));
}

base::Result<CampaignState> Laboratory::run(const Observer& observer) {
  return run_campaign(*archive_, configuration_.name, evaluator_, tuner_, observer);
}

void Laboratory::reopen() {
  archive_.reset();
  archive_.emplace(must(archive::Archive::open_writer(folder_.path() / "archive")));
}

std::vector<std::string> Laboratory::journal() const {
  std::vector<std::string> lines;
  for (const archive::Event& event : must(archive_->events(configuration_.name))) {
    lines.push_back(event.kind + " " + event.body);
  }
  return lines;
}

std::vector<std::string> Laboratory::kinds() const {
  std::vector<std::string> all;
  for (const archive::Event& event : must(archive_->events(configuration_.name))) {
    all.push_back(event.kind);
  }
  return all;
}

CampaignState Laboratory::state() const { return must(load_state(*archive_, configuration_)); }

}  // namespace assay::control::testing
