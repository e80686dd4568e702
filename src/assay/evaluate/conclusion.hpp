#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <assay/base/error.hpp>
#include <assay/device/device_peaks.hpp>
#include <assay/evaluate/diagnosis.hpp>
#include <assay/evaluate/judged.hpp>
#include <assay/evaluate/pair_evidence.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/measure/summary.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::evaluate {

/// Sets an evaluation's outcome and the sentence that explains it.
void conclude(task::Evaluation& evaluation, task::Outcome outcome, std::string cause);

/// What a session comes to: from what its processes did and showed to outcome, cause and findings of the evaluation.
class Conclusion {
 public:
  /// All of it outlives this. `peaks`: what the device was measured to do at most. `judged` has the session's samples by the
  /// time that something is concluded from them.
  Conclusion(const Session& session, const PairEvidence& evidence, const std::optional<device::DevicePeaks>& peaks,
             Judged& judged)
      : session_(session), evidence_(evidence), peaks_(peaks), judged_(judged) {}

  /// Before anything runs: has the device time its canary, which after the last pair tells whether it is still the same.
  [[nodiscard]] base::Result<void> begin();

  /// A side did something wrong, with at least one finding. Of the incumbent that is an input error, "incumbent.failed", for
  /// nothing can be compared with it; of the candidate the outcome.
  [[nodiscard]] base::Result<void> blame(Fault fault);

  /// After the last of so many pairs of a candidate that is compared with nothing: `measured`, or `suspect`.
  [[nodiscard]] base::Result<void> measured(int pairs);

  /// After the last of so many pairs of a comparison. Doubts of the times come first, whatever they say; then what the
  /// session's own noise and the judge's own clock have against the rule's conclusion.
  [[nodiscard]] base::Result<void> compared(const measure::Judgement& judgement, int pairs);

 private:
  [[nodiscard]] const task::EvaluationRequest& request() const { return *session_.request; }
  void conclude(task::Outcome outcome, std::string cause);
  void summarise(int pairs);
  [[nodiscard]] base::Result<void> flag_session();
  bool doubted();
  bool doubt(std::optional<task::Finding> found);

  const Session& session_;
  const PairEvidence& evidence_;
  const std::optional<device::DevicePeaks>& peaks_;
  Judged& judged_;
  std::optional<std::chrono::nanoseconds> canary_before_;
};

}  // namespace assay::evaluate
