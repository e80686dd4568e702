#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/task/named.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// Statuses of the FlashInfer-Trace schema; persisted in their spelling ("PASSED", …).
enum class TraceStatus : std::uint8_t {
  passed,
  incorrect_shape,
  incorrect_numerical,
  incorrect_dtype,
  runtime_error,
  compile_error,
  timeout,
};

[[nodiscard]] std::string_view to_string(TraceStatus status);

struct TraceCorrectness {
  double max_relative_error = 0;  ///< >= 0, infinite or NaN.
  double max_absolute_error = 0;
  std::optional<std::string> extra_json;  ///< A JSON object kept as text.
};

struct TracePerformance {
  double latency_ms = 0;
  double reference_latency_ms = 0;
  double speedup_factor = 0;
};

struct TraceEvaluation {
  TraceStatus status = TraceStatus::passed;
  std::string hardware;
  Named<std::string> libraries;
  std::string timestamp;
  std::string log;
  std::optional<TraceCorrectness> correctness;
  std::optional<TracePerformance> performance;
};

/// One line of a trace file. Without solution and evaluation it stores a workload.
struct Trace {
  std::string definition;
  Workload workload;
  std::optional<std::string> solution;
  std::optional<TraceEvaluation> evaluation;
};

}  // namespace assay::task
