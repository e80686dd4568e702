#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include <assay/task/codec.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

/// Documents that several tests of this layer start from. Test code only.
namespace assay::task::testing {

/// A definition with a constant and a variable axis, a scalar input and two outputs.
[[nodiscard]] inline Definition sample_definition() {
  Definition definition;
  definition.name = "scale_rows";
  definition.op_type = "elementwise";
  definition.axes = {{"rows", {Axis::Kind::variable, 0, std::nullopt}},
                     {"columns", {Axis::Kind::constant, 64, "a power of two"}}};
  definition.inputs = {{"x", {std::vector<std::string>{"rows", "columns"}, tensor::DType::bfloat16, std::nullopt}},
                       {"scale", {std::nullopt, tensor::DType::float32, "by value"}}};
  definition.outputs = {{"y", {std::vector<std::string>{"rows", "columns"}, tensor::DType::bfloat16, std::nullopt}},
                        {"norm", {std::vector<std::string>{}, tensor::DType::float32, std::nullopt}}};
  definition.reference = "def run(x, scale):\n    return x * scale, x.norm()\n";
  definition.tags = {"stage:decode"};
  definition.constraints = {"columns % 8 == 0"};
  return definition;
}

[[nodiscard]] inline Workload sample_workload(std::string uuid, std::int64_t rows) {
  Workload workload;
  workload.uuid = std::move(uuid);
  workload.axes = {{"rows", rows}};
  workload.inputs = {{"x", RandomInput{}}, {"scale", ScalarInput{0.5}}};
  return workload;
}

[[nodiscard]] inline Solution sample_solution(std::string name) {
  Solution solution;
  solution.name = std::move(name);
  solution.definition = "scale_rows";
  solution.author = "someone";
  solution.spec.target_hardware = {"cpu"};
  solution.spec.entry_point = "kernel.cpp::run";
  solution.sources = {{"kernel.cpp", "ASSAY_KERNEL(run) { return 0; }\n"}, {"lib/tile.hpp", "#pragma once\n"}};
  return solution;
}

[[nodiscard]] inline EvaluationRequest sample_request() {
  EvaluationRequest request;
  request.id = "20260101-a1";
  request.stage = Stage::gate;
  request.seed = 18446744073709551615U;
  request.definition = sample_definition();
  request.workloads = {sample_workload("w-1", 1), sample_workload("w-2", 512)};
  request.candidate = sample_solution("fast");
  request.incumbent = sample_solution("plain");
  return request;
}

[[nodiscard]] inline base::Json parse(const std::string& text) { return base::Json::parse(text); }

/// Returns the pointers of problems, so that a test can say which ones it wants.
[[nodiscard]] inline std::vector<std::string> pointers(const std::vector<Problem>& problems) {
  std::vector<std::string> places;
  for (const Problem& problem : problems) {
    places.push_back(problem.pointer);
  }
  return places;
}

}  // namespace assay::task::testing
