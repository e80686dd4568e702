#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/request.hpp>
#include <assay/task/solution.hpp>

namespace assay::control {

/// What the controller drives; real in service, fake in tests.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Builds these solutions into the cache, in parallel, so that no build disturbs a timing. Failures are not errors
  /// here: the evaluation will meet them.
  virtual base::Result<void> prepare(const std::vector<task::Solution>& solutions) = 0;
  /// Runs the judge and returns the path of the bundle; a bundle of this id that exists already is returned at once.
  /// The bundle may hold the judge's own error.
  virtual base::Result<os::Path> evaluate(const task::EvaluationRequest& request) = 0;
  /// How long the next evaluation may take at most; absent: as long as its plan allows. One that is stopped there is an
  /// environment error "judge.timed_out".
  virtual void allow(const std::optional<std::chrono::nanoseconds>& /*time*/) {}
  /// The campaign's clock: what has passed since the last call, or since this was made. Absent: no clock but a simulated
  /// device's own counts.
  virtual std::optional<std::chrono::nanoseconds> lap() { return std::nullopt; }
};

}  // namespace assay::control
