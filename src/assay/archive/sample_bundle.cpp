#include <assay/archive/sample_bundle.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/task/bundle.hpp>

namespace assay::archive {
namespace {

// Test data that cannot be made is the test's failure, wherever it happens.
void must(const base::Result<void>& result) {
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
}

task::Definition sample_definition() {
  task::Definition definition;
  definition.name = "scale";
  definition.op_type = "elementwise";
  definition.axes = {{"n", {}}};
  definition.inputs = {{"x", {{{"n"}}, tensor::DType::float32, {}}}};
  definition.outputs = {{"y", {{{"n"}}, tensor::DType::float32, {}}}};
  definition.reference = "def run(x):\n    return 2 * x\n";
  return definition;
}

task::BuildRecord sample_build(std::string_view log_file) {
  task::BuildRecord build;
  build.built = true;
  build.toolchain = "g++ 12.2.0";
  build.command = {"g++", "-O2"};
  build.object_sha256 = base::sha256(log_file).hex();
  build.log_file = log_file;
  build.seconds = 0.5;
  return build;
}

}  // namespace

task::Solution sample_solution(std::string_view body, std::string_view definition) {
  task::Solution solution;
  solution.name = "scale-by-two";
  solution.definition = definition;
  solution.author = "tester";
  solution.spec.target_hardware = {"cpu"};
  solution.spec.entry_point = "kernel.cpp::run";
  solution.sources = {{"kernel.cpp", std::string(body)}};
  return solution;
}

task::EvaluationRequest sample_request(std::string_view id, std::string_view body) {
  task::EvaluationRequest request;
  request.id = id;
  request.seed = 42;
  request.definition = sample_definition();
  task::Workload workload;
  workload.uuid = "00000000-0000-0000-0000-000000000001";
  workload.axes = {{"n", 16}};
  workload.inputs = {{"x", task::RandomInput{}}};
  request.workloads = {workload};
  request.candidate = sample_solution(body);
  return request;
}

task::Evaluation sample_evaluation(const task::EvaluationRequest& request) {
  task::Evaluation evaluation;
  evaluation.id = request.id;
  evaluation.stage = request.stage;
  evaluation.device = request.device;
  evaluation.outcome = request.incumbent ? task::Outcome::better : task::Outcome::measured;
  evaluation.cause = "correct in every trial";
  evaluation.candidate = task::identify(request.candidate);
  evaluation.candidate_build = sample_build("candidate-build.log");
  if (request.incumbent) {
    evaluation.incumbent = task::identify(*request.incumbent);
    evaluation.incumbent_build = sample_build("incumbent-build.log");
  }
  evaluation.checked_calls = 3;
  evaluation.seed = request.seed.value_or(1);
  evaluation.environment = {{"cpu", "a test's"}};
  evaluation.started = "2026-11-29T17:39:39Z";
  evaluation.wall_seconds = 1.25;
  return evaluation;
}

Files sample_files(const task::EvaluationRequest& request, const task::Evaluation& evaluation) {
  std::vector<task::Sample> samples(4);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].repetition = static_cast<std::int32_t>(i);
    samples[i].order = static_cast<std::int32_t>(i);
    samples[i].elapsed_ns = 1000 + static_cast<std::int64_t>(i);
    samples[i].round_trip_ns = 2000;
  }
  return {{"request.json", base::dump_pretty(task::encode(request))},
          {"evaluation.json", base::dump_pretty(task::encode(evaluation))},
          {"samples.json", base::dump_compact(task::encode(samples))},
          {"candidate-build.log", "built " + evaluation.id + "\n"}};
}

void write_bundle(const os::Path& folder, const Files& files) {
  os::Path partial = folder;
  partial += ".partial";
  must(os::remove_tree(partial));
  must(os::create_directories(partial));
  base::Json manifest = {{"version", task::kBundleVersion}, {"files", base::Json::object()}};
  for (const auto& [name, content] : files) {
    must(os::write_file_atomic(partial / name, content));
    manifest["files"][name] = {{"sha256", base::sha256(content).hex()}, {"bytes", content.size()}};
  }
  must(os::write_file_atomic(partial / task::kManifestFile, base::dump_pretty(manifest)));
  must(os::rename_path(partial, folder));
}

os::Path put_sample(const os::Path& spool, std::string_view id, std::string_view body) {
  const task::EvaluationRequest request = sample_request(id, body);
  const os::Path folder = spool / id;
  write_bundle(folder, sample_files(request, sample_evaluation(request)));
  return folder;
}

Database open_raw(const os::Path& root) {
  auto database = Database::open(root / "archive.sqlite", Access::read_write);
  if (!database) {
    throw std::runtime_error(database.error().text());
  }
  return std::move(*database);
}

os::Path blob_path(const os::Path& root, const std::string& hex) {
  return blob::BlobStore::open(root / "blobs").value().path_of(base::Digest::parse(hex).value());
}

}  // namespace assay::archive
