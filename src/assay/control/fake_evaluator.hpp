#pragma once

#include <map>
#include <stdexcept>
#include <vector>

#include <assay/control/evaluator.hpp>
#include <assay/os/file.hpp>
#include <assay/task/evaluation.hpp>

/// For tests only.
namespace assay::control::testing {

/// What goes wrong with one call of `evaluate`.
enum class Fault : std::uint8_t {
  environment_error,  ///< The judge died.
  input_error,        ///< The request is refused.
  killed_before,      ///< The process dies before the judge has run.
  killed_after,       ///< The process dies when the bundle is complete.
  judge_error,        ///< The bundle holds error.json, owned by the environment.
  judge_bug,          ///< The bundle holds error.json, owned by Assay.
  damaged,            ///< A file of the bundle does not have its digest.
  lies,               ///< The judge says `better` of samples that say otherwise.
  other_request,      ///< The bundle answers another request.
  unfair,             ///< The session tells the incumbent from a copy of itself, where the plan asks.
};

/// Stands for kill -9: thrown through run_campaign.
class Killed : public std::runtime_error {
 public:
  Killed() : std::runtime_error("killed") {}
};

/// Judges by the candidate's source: a line "// speed: 0.8" makes it take 0.8 of the baseline's time, "// outcome:
/// crashed" makes it fail so, "// sweep: incorrect" fails only in sweeps, "// confirm: incorrect" only in a
/// confirmation and "// copied: incorrect" only as a null. "// confirm speed: 1.1", "// copied speed: 0.5" and "//
/// losing speed: 0.5" are its time where it is confirmed, is a null, or is to lose; a tunable's time follows from its
/// parameters. "// code: a" names the machine code it is built to. Times carry a little noise from the request's seed. Its
/// bundles are real.
class FakeEvaluator final : public Evaluator {
 public:
  explicit FakeEvaluator(os::Path spool) : spool_(std::move(spool)) {}

  base::Result<void> prepare(const std::vector<task::Solution>& solutions) override;
  base::Result<os::Path> evaluate(const task::EvaluationRequest& request) override;

  /// By the number of the call, from 0. Calls that find a bundle count too.
  std::map<int, Fault> faults;
  std::vector<task::EvaluationRequest> requests;   ///< In the order of the calls.
  std::vector<std::vector<std::string>> prepared;  ///< Names, one entry a call.
  int judged = 0;                                  ///< Calls that made a bundle.

 private:
  os::Path spool_;
};

/// Relative time of a solution: 1 is the baseline's.
[[nodiscard]] double relative_time(const task::Solution& solution);

}  // namespace assay::control::testing
