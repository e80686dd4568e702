#pragma once

#include <fmt/core.h>

#include <string>

#include <assay/foreign/evaluation.hpp>

namespace assay::foreign {

/// Makes a stored success whose bytes and normalised source are named by `code`, at minute `minute`.
inline Evaluation stored_success(const std::string& trace, int minute, const std::string& code, double latency_ms,
                                 double reference_ms = 10) {
  Evaluation evaluation;
  evaluation.trace = trace;
  evaluation.id = fmt::format("{}-{}", trace, minute);
  evaluation.place = fmt::format("test:{}", minute);
  evaluation.controller_run = 1;
  evaluation.solution = evaluation.id;
  evaluation.time = fmt::format("2026-01-01T00:{:02}:00.000Z", minute);
  evaluation.source = base::sha256("bytes of " + code);
  evaluation.normalised = base::sha256("tokens of " + code);
  evaluation.evaluator = base::sha256(std::string_view("evaluator"));
  evaluation.score = reference_ms / latency_ms;
  evaluation.workloads = 4;
  evaluation.latency_ms = latency_ms;
  evaluation.reference_latency_ms = reference_ms;
  return evaluation;
}

/// Makes a failure that was not stored.
inline Evaluation failed(const std::string& trace, int number, const std::string& code, RecordedKind kind,
                         const std::string& message = {}) {
  Evaluation evaluation = stored_success(trace, number, code, 1);
  evaluation.status = kind == RecordedKind::incorrect_numerical || kind == RecordedKind::runtime_error
                          ? Status::validation_failed
                          : Status::execution_failed;
  evaluation.kind = kind;
  evaluation.message = message;
  evaluation.solution = std::nullopt;
  evaluation.time = std::nullopt;
  evaluation.latency_ms = std::nullopt;
  evaluation.reference_latency_ms = std::nullopt;
  evaluation.score = 0;
  return evaluation;
}

}  // namespace assay::foreign
