#include <assay/evaluate/session_run.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <assay/evaluate/conclusion.hpp>
#include <assay/evaluate/official_timing.hpp>
#include <assay/evaluate/pair_evidence.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/sanitizer_run.hpp>
#include <assay/evaluate/self_pair.hpp>
#include <assay/evaluate/session_stages.hpp>
#include <assay/evaluate/trials.hpp>
#include <assay/measure/summary.hpp>

namespace assay::evaluate {

namespace {

constexpr int kMostRetries = 2;

// Each pair has the same names in the same order.
void add_seconds(task::Named<double>& sums, const task::Named<double>& more) {
  if (sums.empty()) {
    sums = more;
    return;
  }
  for (std::size_t i = 0; i < std::min(sums.size(), more.size()); ++i) {
    sums[i].second += more[i].second;
  }
}

class SessionRun {
 public:
  SessionRun(const Session& session, const std::optional<device::DevicePeaks>& peaks,
             std::optional<WorkerPool>& official_workers, PhaseClock& phases, Judged& judged)
      : session_(session),
        request_(*session.request),
        official_workers_(official_workers),
        phases_(phases),
        judged_(judged),
        conclusion_(session, evidence_, peaks, judged) {}

  base::Result<void> run() {
    ASSAY_TRY(run_stages());
    if (session_.device->runs_remotely()) {
      judged_.evaluation.checker_doubts = session_.checker->doubts();
    }
    phases_.note(after_pairs_);
    // Of trials always; of pairs, where calls run on a device, together.
    if (!device_seconds_of_pairs_.empty()) {
      phases_.note_parts("pairs", stages_of_pairs_, device_seconds_of_pairs_);
    }
    return {};
  }

 private:
  base::Result<void> run_stages() {
    ASSAY_TRY(conclusion_.begin());
    if (request_.official_trials > 0) {
      task::OfficialVerdict& verdict = judged_.evaluation.official.emplace();
      ASSAY_TRY_ASSIGN(verdict, run_official_trials(session_));
      ASSAY_TRY(time_officially(session_, official_workers_ ? &*official_workers_ : nullptr, verdict));
      official_workers_.reset();
      phases_.note("as flashinfer-bench would");
    }
    if (has_single_inputs(request_)) {
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries("the process of the trials", [&] { return run_single_inputs(session_); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      judged_.evaluation.replayed = std::min(result.checked_calls, static_cast<std::int64_t>(request_.replays.size()));
      judged_.evaluation.stress_trials = result.checked_calls - judged_.evaluation.replayed;
      phases_.note("difficult inputs");
      if (result.fault) {
        return conclusion_.blame(std::move(*result.fault));
      }
    }
    if (request_.plan.stress_trials > 0) {
      PairResult result;
      ASSAY_TRY_ASSIGN(result, with_retries("the process of the chain", [&] { return run_chain(session_); }));
      judged_.evaluation.checked_calls += result.checked_calls;
      phases_.note("a chain of calls");
      if (result.fault) {
        return conclusion_.blame(std::move(*result.fault));
      }
    }
    if (!request_.plan.sanitizers.empty()) {
      ASSAY_TRY_ASSIGN(Sanitized sanitized, run_sanitizers(session_));
      std::move(sanitized.logs.begin(), sanitized.logs.end(), std::back_inserter(judged_.logs));
      phases_.note("under compute-sanitizer");
      if (sanitized.fault) {
        return conclusion_.blame(std::move(*sanitized.fault));
      }
    }
    if (has_trials(request_, task::TrialsTurn::before_timing)) {
      ASSAY_TRY_ASSIGN(const bool clean, make_trials());
      if (!clean) {
        return {};
      }
    }
    ASSAY_TRY(run_pairs());
    if (judged_.evaluation.outcome == task::Outcome::better && has_trials(request_, task::TrialsTurn::after_gain)) {
      phases_.note("process pairs");
      after_pairs_ = "after the trials";
      if (session_.device->runs_remotely()) {
        session_.workers->prepare(1);
        session_.workers->settle();
      }
      ASSAY_TRY_ASSIGN(const bool clean, make_trials());
      if (!clean) {  // What is wrong has no speed. The samples stay in the bundle.
        judged_.evaluation.timings.clear();
        judged_.evaluation.comparison.reset();
      }
    }
    return {};
  }

  // Returns whether nothing was wrong; else the evaluation is concluded.
  base::Result<bool> make_trials() {
    task::TrialsRecord& record = judged_.evaluation.trials.emplace();
    ASSAY_TRY_ASSIGN(PairResult result,
                     with_retries("the process of the trials", [&] { return run_trials(session_, record); }));
    count_checks(result);
    phases_.note("trials");
    phases_.note_parts("trials", result.stages, result.device_seconds);
    if (result.fault) {
      ASSAY_TRY(conclusion_.blame(std::move(*result.fault)));
      return false;
    }
    return true;
  }

  // Of calls on the request's own workloads.
  void count_checks(const PairResult& result) {
    judged_.evaluation.checked_calls += result.checked_calls;
    std::vector<std::int64_t>& clean = judged_.evaluation.clean_on_workloads;
    clean.resize(request_.workloads.size());
    for (std::size_t i = 0; i < result.clean_calls.size(); ++i) {
      clean[i] += result.clean_calls[i];
    }
  }

  base::Result<void> run_pairs() {
    const bool compares = request_.incumbent.has_value();
    for (int pair = 0;; ++pair) {
      if (pair >= request_.plan.minimum_pairs) {
        session_.workers->prepare(workers_of_a_pair(request_));
        session_.workers->settle();
      }
      ASSAY_TRY_ASSIGN(PairResult result,
                       with_retries(fmt::format("process pair {}", pair), [&] { return run_pair(session_, pair); }));
      count_checks(result);
      judged_.samples.insert(judged_.samples.end(), result.samples.begin(), result.samples.end());
      if (result.readings) {
        judged_.evaluation.device_readings.push_back(std::move(*result.readings));
      }
      evidence_.add(result);
      add_seconds(stages_of_pairs_, result.stages);
      add_seconds(device_seconds_of_pairs_, result.device_seconds);
      judged_.evaluation.timer_floor_ns = evidence_.timer_floor_ns();
      if (result.fault) {
        return conclusion_.blame(std::move(*result.fault));
      }
      if (session_.copy != nullptr) {
        ASSAY_TRY_ASSIGN(PairResult self,
                         with_retries(fmt::format("process pair {} of the incumbent with a copy of itself", pair),
                                      [&] { return run_self_pair(session_, *session_.copy, pair); }));
        judged_.samples.insert(judged_.samples.end(), self.samples.begin(), self.samples.end());
        if (self.fault) {
          return conclusion_.blame(std::move(*self.fault));
        }
      }
      const int pairs = pair + 1;
      if (!compares && pairs >= request_.plan.minimum_pairs) {
        return conclusion_.measured(pairs);
      }
      if (compares && pairs >= request_.plan.minimum_pairs) {
        const measure::Judgement judgement = measure::judge(request_, judged_.samples, pairs);
        if (judgement.stop) {
          return conclusion_.compared(judgement, pairs);
        }
      }
    }
  }

  // A worker that is killed from outside is the machine's doing, not the candidate's, until it happens every time.
  template <class Run>
  base::Result<PairResult> with_retries(const std::string& what, Run run) {
    for (int attempt = 0;; ++attempt) {
      ASSAY_TRY_ASSIGN(PairResult result, run());
      if (!result.killed_from_outside || attempt == kMostRetries) {
        return result;
      }
      judged_.evaluation.retries.push_back(
          fmt::format("{} was started again: the worker of the {} was killed from outside (SIGKILL)", what,
                      task::to_string(result.fault->side)));
    }
  }

  const Session& session_;
  const task::EvaluationRequest& request_;
  std::optional<WorkerPool>& official_workers_;
  PhaseClock& phases_;
  Judged& judged_;
  PairEvidence evidence_;
  Conclusion conclusion_;
  const char* after_pairs_ = "process pairs";
  task::Named<double> stages_of_pairs_;
  task::Named<double> device_seconds_of_pairs_;
};

}  // namespace

base::Result<void> run_session(const Session& session, const std::optional<device::DevicePeaks>& peaks,
                               std::optional<WorkerPool>& official_workers, PhaseClock& phases, Judged& judged) {
  return SessionRun(session, peaks, official_workers, phases, judged).run();
}

}  // namespace assay::evaluate
