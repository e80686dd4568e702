#include <assay/service/rehearsal.hpp>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/task/bundle.hpp>
#include <assay/task/codec.hpp>

namespace assay::service::rehearsal {
namespace {

std::mutex record_mutex;

// What the source says of itself; a chosen parameter COST makes it faster.
double cost_of(const task::Solution& solution) {
  const std::string& text = solution.sources.front().content;
  const bool copied = text.find("// Null injection") != std::string::npos;
  const std::size_t of_copy = text.find("copied_at=");
  if (copied && of_copy != std::string::npos) {
    return std::stod(text.substr(of_copy + 10));
  }
  const std::size_t place = text.find("cost=");
  double cost = place == std::string::npos ? 100 : std::stod(text.substr(place + 5));
  if (const std::int64_t* chosen = task::find(solution.parameters, "COST")) {
    cost = 200.0 / static_cast<double>(*chosen);
  }
  return cost;
}

std::optional<task::Outcome> failure_of(const task::Solution& solution) {
  for (const task::Outcome outcome :
       {task::Outcome::not_built, task::Outcome::incorrect, task::Outcome::crashed, task::Outcome::timed_out}) {
    if (solution.sources.front().content.find(task::to_string(outcome)) != std::string::npos) {
      return outcome;
    }
  }
  return std::nullopt;
}

// "object=a" names what the compiler made of it; other sources have objects of their own.
std::string object_of(const task::Solution& solution) {
  const std::string& text = solution.sources.front().content;
  const std::size_t place = text.find("object=");
  return place == std::string::npos ? task::identify(solution).content.hex()
                                    : base::sha256(text.substr(place + 7, 1)).hex();
}

// "code=a" names its machine code; what other sources come to is not known.
std::string code_of(const task::Solution& solution) {
  const std::string& text = solution.sources.front().content;
  const std::size_t place = text.find("code=");
  return place == std::string::npos ? std::string() : base::sha256(text.substr(place + 5, 1)).hex();
}

double size_of(const task::Workload& workload) { return static_cast<double>(workload.axes.front().second); }

std::vector<task::Sample> samples_of(const task::EvaluationRequest& request) {
  std::vector<task::Sample> samples;
  for (std::int32_t pair = 0; pair < request.plan.minimum_pairs; ++pair) {
    std::int32_t order = 0;
    for (std::int32_t repetition = 0; repetition <= 1; ++repetition) {
      for (std::size_t workload = 0; workload < request.workloads.size(); ++workload) {
        for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
          if (side == task::Side::incumbent && !request.incumbent) {
            continue;
          }
          const task::Solution& solution = side == task::Side::candidate ? request.candidate : *request.incumbent;
          const double elapsed = 1000 * cost_of(solution) * size_of(request.workloads[workload]);
          task::Sample sample;
          sample.pair = pair;
          sample.order = order++;
          sample.side = side;
          sample.workload = static_cast<std::int32_t>(workload);
          sample.repetition = repetition;
          sample.elapsed_ns = std::llround(elapsed);
          sample.round_trip_ns = sample.elapsed_ns + 1000;
          sample.checked = repetition == 0;
          samples.push_back(sample);
        }
      }
    }
  }
  return samples;
}

void compare(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples,
             task::Evaluation& evaluation) {
  std::vector<stats::PairedSample> timed;
  for (const task::Sample& sample : samples) {
    if (sample.repetition > 0) {
      timed.push_back(
          {sample.pair, sample.workload, sample.side == task::Side::candidate, static_cast<double>(sample.elapsed_ns)});
    }
  }
  const stats::PairedComparison found =
      stats::compare_pairs(timed, request.plan.minimum_pairs, static_cast<int>(request.workloads.size()),
                           promote::rule_of(request.plan), request.plan.maximum_regression);
  task::Comparison comparison;
  comparison.pairs = found.decision.pairs_used;
  comparison.pair_log_ratios = found.table.pair_log_ratios;
  comparison.log_ratio = found.decision.interval.mean;
  comparison.log_ratio_lower = found.decision.interval.lower;
  comparison.log_ratio_upper = found.decision.interval.upper;
  evaluation.comparison = comparison;
  for (std::size_t i = 0; i < evaluation.timings.size(); ++i) {
    task::WorkloadTiming& timing = evaluation.timings[i];
    timing.incumbent_ns = found.table.incumbent_ns[i];
    timing.log_ratio = found.guards[i].mean;
    timing.log_ratio_lower = found.guards[i].lower;
    timing.log_ratio_upper = found.guards[i].upper;
  }
  evaluation.outcome = found.conclusion == stats::PairedConclusion::better       ? task::Outcome::better
                       : found.conclusion == stats::PairedConclusion::not_better ? task::Outcome::not_better
                                                                                 : task::Outcome::indistinguishable;
  evaluation.cause = fmt::format("log-ratio {:.3f}", comparison.log_ratio);
}

void fail(const task::EvaluationRequest& request, task::Outcome outcome, task::Evaluation& evaluation) {
  evaluation.outcome = outcome;
  evaluation.cause = fmt::format("the candidate is {}", task::to_string(outcome));
  task::Finding finding;
  finding.kind = outcome == task::Outcome::not_built ? "compiler" : "mismatch";
  finding.message = "y[1, 0] is 3 and must be 2";
  if (outcome == task::Outcome::not_built) {
    evaluation.candidate_build.built = false;
    evaluation.candidate_build.object_sha256.clear();
    evaluation.candidate_build.log_file = "candidate-build.log";
    finding.message = "expected ';'";
  } else {
    finding.workload = 0;
    // As a real judge: on the first replayed input if there is one, else on the first workload.
    if (request.replays.empty()) {
      task::FailingInput input;
      input.workload = request.workloads.front();
      input.seed = evaluation.seed;
      evaluation.failing_inputs = {input};
    } else {
      evaluation.failing_inputs = {request.replays.front().input};
    }
    finding.tensor = "y";
    finding.index = std::vector<std::int64_t>{1, 0};
    finding.expected = 2;
    finding.got = 3;
  }
  evaluation.findings.push_back(finding);
}

task::Evaluation evaluation_of(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples) {
  task::Evaluation evaluation;
  evaluation.id = request.id;
  evaluation.stage = request.stage;
  evaluation.device = request.device;
  evaluation.timing = task::timing_of(request);
  evaluation.candidate = task::identify(request.candidate);
  if (request.incumbent) {
    evaluation.incumbent = task::identify(*request.incumbent);
  }
  evaluation.candidate_build.built = true;
  evaluation.candidate_build.toolchain = "g++ 12";
  evaluation.candidate_build.object_sha256 = object_of(request.candidate);
  evaluation.candidate_build.code.machine_code = code_of(request.candidate);
  if (request.incumbent) {
    evaluation.incumbent_build = evaluation.candidate_build;
    evaluation.incumbent_build->object_sha256 = object_of(*request.incumbent);
    evaluation.incumbent_build->code.machine_code = code_of(*request.incumbent);
  }
  evaluation.environment = {{"cpu", "imaginary"}, {"toolchain", "g++ 12"}, {"isolation", "none"}};
  evaluation.seed = request.seed.value_or(1);
  evaluation.started = "2026-11-29T12:00:00Z";
  evaluation.wall_seconds = 1;
  evaluation.timer_floor_ns = 25;
  const auto is_later_said = [&](const char* word) {
    return request.id.find("-confirm-") != std::string::npos &&
           request.candidate.sources.front().content.find(word) != std::string::npos;
  };
  const auto failure = is_later_said("fails_later")  ? std::optional(task::Outcome::crashed)
                       : is_later_said("lost_later") ? std::optional(task::Outcome::not_built)
                                                     : failure_of(request.candidate);
  if (failure) {
    fail(request, *failure, evaluation);
    return evaluation;
  }
  if (request.refuse_twin && task::is_self_comparison(evaluation)) {
    evaluation.outcome = task::Outcome::duplicate;
    evaluation.cause = fmt::format("the same machine code as the incumbent '{}'", request.incumbent->name);
    return evaluation;
  }
  evaluation.checked_calls = static_cast<std::int64_t>(request.workloads.size());
  evaluation.cause = "checked and timed";
  if (request.stage == task::Stage::build) {
    return evaluation;
  }
  evaluation.replayed = static_cast<std::int64_t>(request.replays.size());
  const int of_each = request.trials / static_cast<int>(request.workloads.size());
  evaluation.clean_on_workloads.assign(request.workloads.size(), 1 + of_each);
  for (const task::Workload& workload : request.workloads) {
    task::WorkloadTiming timing;
    timing.uuid = workload.uuid;
    timing.axes = workload.axes;
    timing.candidate_ns = 1000 * cost_of(request.candidate) * size_of(workload);
    timing.largest_absolute_error = 0.25;
    timing.largest_relative_error = 0.5;
    evaluation.timings.push_back(timing);
  }
  if (request.incumbent) {
    compare(request, samples, evaluation);
    if (task::holds_as_noise(request, evaluation)) {
      evaluation.outcome = task::Outcome::indistinguishable;
    }
  }
  return evaluation;
}

base::Result<void> write_bundle(const os::Path& bundle, const std::vector<std::pair<std::string, std::string>>& files) {
  ASSAY_TRY(os::create_directories(bundle));
  base::Json manifest = {{"version", task::kBundleVersion}, {"files", base::Json::object()}};
  for (const auto& [name, content] : files) {
    ASSAY_TRY(os::write_file_atomic(bundle / name, content));
    manifest["files"][name] = {{"sha256", base::sha256(content).hex()}, {"bytes", content.size()}};
  }
  return os::write_file_atomic(bundle / task::kManifestFile, manifest.dump());
}

}  // namespace

base::Result<os::Path> FakeJudge::run(const task::EvaluationRequest& request, const os::Path& spool,
                                      const std::function<void(const execute::Progress&)>& on_progress) {
  {
    const std::scoped_lock lock(record_mutex);
    record_->requests.push_back(request);
    record_->spools.push_back(spool);
  }
  if (on_progress) {
    on_progress({1, 2, "halfway"});
  }
  const os::Path bundle = spool / request.id;
  std::error_code error;
  if (std::filesystem::exists(bundle, error)) {
    return bundle;
  }
  std::vector<std::pair<std::string, std::string>> files = {
      {std::string(task::kRequestFile), base::dump_compact(task::encode(request))}};
  if (request.candidate.sources.front().content.find("judge.error") != std::string::npos) {
    files.emplace_back(task::kErrorFile,
                       R"({"owner": "environment", "code": "judge.memory", "message": "out of memory"})");
  } else {
    const bool runs = request.stage != task::Stage::build && !failure_of(request.candidate);
    const std::vector<task::Sample> samples = runs ? samples_of(request) : std::vector<task::Sample>();
    files.emplace_back(task::kEvaluationFile, base::dump_compact(task::encode(evaluation_of(request, samples))));
    files.emplace_back(task::kSamplesFile, base::dump_compact(task::encode(samples)));
    files.emplace_back("candidate-build.log", "compiling\nkernel.cpp:3:1: error: expected ';'\n   3 | }\n");
  }
  ASSAY_TRY(write_bundle(bundle, files));
  return bundle;
}

World::World() {
  auto folder = os::TemporaryDirectory::create(testing::TempDir(), "service-");
  ASSAY_CHECK(folder.has_value());
  folder_ = std::make_unique<os::TemporaryDirectory>(std::move(*folder));
  const os::Path dataset = path("dataset");
  write(dataset / "definitions" / "elementwise" / "scale.json", R"({
    "name": "scale", "op_type": "elementwise",
    "axes": {"n": {"type": "var"}, "two": {"type": "const", "value": 2}},
    "inputs": {"x": {"shape": ["n", "two"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["n", "two"], "dtype": "float32"}},
    "reference": "def run(x):\n    return 2 * x\n"})");
  std::string workloads;
  for (const int size : std::array<int, 4>{64, 1, 8, 2}) {
    workloads +=
        fmt::format(R"({{"definition": "scale", "solution": null, "evaluation": null, "workload": )"
                    R"({{"uuid": "w-{0}-0000", "axes": {{"n": {0}}}, "inputs": {{"x": {{"type": "random"}}}}}}}})"
                    "\n",
                    size);
  }
  write(dataset / "workloads" / "elementwise" / "scale.jsonl", workloads);
  write(dataset / "solutions" / "baseline" / "elementwise" / "scale" / "plain.json", R"({
    "name": "plain", "definition": "scale", "author": "baseline",
    "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "kernel.cpp::run"},
    "sources": [{"path": "kernel.cpp", "content": "ASSAY_KERNEL(run) { return 0; }  // cost=100\n"}]})");

  context_.places.dataset = dataset;
  context_.places.archive = path("archive");
  context_.places.build_cache = path("archive") / "build-cache";
  context_.places.judge = path("bin") / "assay-judge";
  context_.places.worker = path("bin") / "assay-worker";
  context_.make_runner = [record = record_] { return std::make_unique<FakeJudge>(record); };
  context_.fingerprint = [this](const std::string& /*device*/) { return fingerprint; };
}

std::string World::kernel(const std::string& name, const std::string& text) const {
  const os::Path file = path(name);
  // In a string, not in a comment: a comment is not part of the normalised source.
  write(file,
        fmt::format("ASSAY_KERNEL(run) {{\n  static const char* kSays = \"{}\";\n  return kSays == nullptr;\n}}\n",
                    text));
  return file.string();
}

void World::add_tunable(const std::string& name) const {
  write(path("dataset") / "solutions" / "local" / "elementwise" / "scale" / (name + ".json"),
        fmt::format(R"({{"name": "{}", "definition": "scale", "author": "local",
    "spec": {{"language": "cpp", "target_hardware": ["cpu"], "entry_point": "t.cpp::run"}},
    "sources": [{{"path": "t.cpp", "content": "ASSAY_KERNEL(run) {{ return COST > 9; }}"}}],
    "assay": {{"tuning": {{"parameters": {{"COST": [1, 2, 4, 8]}}, "constraints": []}}}}}})",
                    name));
}

void World::write(const os::Path& file, const std::string& text) const {
  const auto made = os::create_directories(file.parent_path());
  const auto written = os::write_file_atomic(file, text);
  ASSAY_CHECK(made.has_value() && written.has_value());
}

}  // namespace assay::service::rehearsal
