#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include <assay/task/dialect.hpp>
#include <assay/task/request.hpp>
#include <assay/task/test_documents.hpp>
#include <assay/task/trace.hpp>

/// Random documents that keep the schema's rules. To be called inside a property. Test code only.
namespace assay::task::testing {

template <class T>
T any_of(const std::vector<T>& values) {
  return *rc::gen::elementOf(values);
}

/// Text that JSON has to escape, or that a path or a pointer could stumble over.
inline std::string some_text() {
  return any_of<std::string>(
      {"x", "a b", "a/b~c", "\"quoted\"", "line\nline", "\t", "\xC3\xA9\xE2\x82\xAC", "\\", "0", "null", "..", "{}"});
}

inline std::optional<std::string> maybe_text() {
  return *rc::gen::arbitrary<bool>() ? std::optional(some_text()) : std::nullopt;
}

inline std::vector<std::string> some_texts() {
  std::vector<std::string> texts;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    texts.push_back(some_text());
  }
  return texts;
}

inline double any_number() {
  return any_of<double>({0.0, -0.0, 1.0, 0.1, 1e-320, 1.7976931348623157e308, -3.5, 12345678901234567.0,
                         std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()});
}

inline double number_from_zero() {
  return any_of<double>({0.0, 1.0, 0.1, 1e-320, 1.7976931348623157e308, std::numeric_limits<double>::infinity()});
}

/// Names `prefix0`, `prefix1`, …, sometimes with characters that a JSON pointer escapes.
inline std::string indexed(const std::string& prefix, int i) {
  return prefix + std::to_string(i) + any_of<std::string>({"", "", "/x", "~", " \xC3\xA9"});
}

inline Definition any_definition() {
  Definition definition = sample_definition();
  definition.name = some_text();
  definition.op_type = some_text();
  definition.description = maybe_text();
  definition.tags = some_texts();
  definition.axes.clear();
  std::vector<std::string> axes;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    axes.push_back(indexed("axis", i));
    const bool constant = *rc::gen::arbitrary<bool>();
    const auto value = constant ? *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max()) : 0;
    definition.axes.push_back(
        {axes.back(), {constant ? Axis::Kind::constant : Axis::Kind::variable, value, maybe_text()}});
  }
  const auto tensors = [&](const std::string& prefix) {
    Named<TensorSpec> specs;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      TensorSpec spec;
      if (*rc::gen::arbitrary<bool>()) {
        spec.shape.emplace();
        for (int rank = *rc::gen::inRange(0, 4); rank > 0; --rank) {
          spec.shape->push_back(any_of(axes));
        }
      }
      spec.dtype = *tensor::parse_dtype(any_of(dtype_words(Dialect::flashinfer_bench)));
      spec.description = maybe_text();
      specs.emplace_back(indexed(prefix, i), spec);
    }
    return specs;
  };
  definition.inputs = tensors("in");
  definition.outputs = tensors("out");
  definition.constraints =
      any_of<std::vector<std::string>>({{}, {"a == b[-1].item()"}, {"1", "not x", "f(a)[1:] in (1, 2)"}});
  return definition;
}

inline InputSpec any_input() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return RandomInput{};
    case 1:
      return SafetensorsInput{some_text(), some_text()};
    case 2:
      return ScalarInput{*rc::gen::arbitrary<std::int64_t>()};
    case 3:
      return ScalarInput{*rc::gen::arbitrary<bool>()};
    default:
      return ScalarInput{any_number()};
  }
}

inline Workload any_workload() {
  Workload workload;
  workload.uuid = some_text();
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    workload.axes.emplace_back(indexed("axis", i),
                               *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max()));
    workload.inputs.emplace_back(indexed("in", i), any_input());
  }
  return workload;
}

inline Solution any_solution() {
  Solution solution = sample_solution(some_text());
  solution.definition = some_text();
  solution.author = some_text();
  solution.description = maybe_text();
  solution.spec.language =
      any_of<Language>({Language::python, Language::triton, Language::cpp, Language::cuda, Language::tilelang});
  solution.spec.binding = any_of<std::optional<Binding>>({std::nullopt, Binding::tvm_ffi, Binding::torch});
  solution.spec.dependencies = some_texts();
  solution.spec.destination_passing_style = *rc::gen::arbitrary<bool>();
  solution.sources.push_back({any_of<std::string>({"./a//b.h", "deep/er/c.h", "with space"}), some_text()});
  if (*rc::gen::arbitrary<bool>()) {
    solution.tuning = Tuning{{{"A", {1, 2, -3}}, {"B_2", {*rc::gen::arbitrary<std::int64_t>()}}}, {"A != 0"}};
  }
  if (*rc::gen::arbitrary<bool>()) {
    const auto b = solution.tuning ? solution.tuning->parameters[1].second[0] : 5;
    solution.parameters = {{"A", any_of<std::int64_t>({1, 2, -3})}, {"B_2", b}};
  }
  return solution;
}

inline Trace any_trace() {
  Trace trace;
  trace.definition = some_text();
  trace.workload = any_workload();
  trace.solution = maybe_text();
  if (*rc::gen::arbitrary<bool>()) {
    TraceEvaluation evaluation;
    evaluation.status = static_cast<TraceStatus>(*rc::gen::inRange(0, 7));
    evaluation.hardware = some_text();
    evaluation.libraries = {{"torch", some_text()}, {"", ""}};
    evaluation.timestamp = some_text();
    evaluation.log = some_text();
    const bool passed = evaluation.status == TraceStatus::passed;
    if (passed || evaluation.status == TraceStatus::incorrect_numerical) {
      evaluation.correctness = TraceCorrectness{
          number_from_zero(), std::nan(""),
          any_of<std::optional<std::string>>({std::nullopt, std::string("{}"), std::string(R"({"tvd":0.5,"a":[1]})")})};
    }
    if (passed) {
      evaluation.performance = TracePerformance{number_from_zero(), number_from_zero(), number_from_zero()};
    }
    trace.evaluation = evaluation;
  }
  return trace;
}

}  // namespace assay::task::testing
