#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/base/sandbox_level.hpp>
#include <assay/base/timing.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/failing_input.hpp>
#include <assay/task/probe.hpp>
#include <assay/task/sanitizer.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// What the judge is asked to do. Persisted as text; never renamed.
enum class Stage : std::uint8_t {
  build,    ///< Build the solutions into the cache; run nothing.
  measure,  ///< Check and time the candidate alone.
  gate,     ///< Compare with the incumbent on representative workloads.
  sweep,    ///< Compare with the incumbent on every workload of the definition.
  /// Write the inputs of one workload that lie in safetensors files into the bundle (blob_file.hpp). There is no
  /// candidate, no plan and no evaluation; the seed must be given.
  materialise,
  /// Put the definition's tolerances to the proof on the workloads (verify/admissibility.hpp). There is no candidate, no
  /// plan and no evaluation either; the seed must be given.
  check_definition,
};

/// Whether a request of this stage is about a candidate, and ends with an evaluation.
[[nodiscard]] bool has_candidate(Stage stage);

[[nodiscard]] std::string_view to_string(Stage stage);
/// All names, in the order of the enumerators; those of stages that end with an evaluation come first.
[[nodiscard]] std::span<const std::string_view> stage_names();
[[nodiscard]] std::span<const std::string_view> evaluated_stage_names();

/// How many times its call_limit a solution may take that is known to pass: an incumbent, or the baseline. A busy machine
/// that makes one late would end the session or the campaign; only a candidate has to be in time.
inline constexpr int kPatienceWithTheKnown = 5;

/// How process pairs are tested at each look; stats/paired_decision.hpp says what each assumes. Persisted as "student_t" and
/// "evidence", which never change.
enum class PairedTest : std::uint8_t { student_t, evidence };

[[nodiscard]] std::string_view to_string(PairedTest test);
/// All names, in the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> paired_test_names();

/// When a request's trials are made. Persisted as "before_timing" and "after_gain", which never change.
enum class TrialsTurn : std::uint8_t {
  before_timing,
  after_gain,  ///< Only of a candidate whose comparison came out `better`: nobody needs to know the others so well.
};

[[nodiscard]] std::string_view to_string(TrialsTurn turn);
/// All names, in the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> trials_turn_names();

/// How long, how often and how surely: the part of a policy that the judge applies. `promote` recomputes the decision
/// from the samples with the same numbers.
struct SessionPlan {
  int minimum_pairs = 3;     ///< Fresh process pairs before the first look; >= 2.
  int maximum_pairs = 8;     ///< Cap; then the answer is `indistinguishable`.
  int samples_per_pair = 3;  ///< Timed calls of each workload on each side in one process pair, after one warm-up call.
  double alpha = 0.05;       ///< Two-sided error over all looks together.
  PairedTest test = PairedTest::student_t;  ///< What alpha is spent by.
  double minimum_effect = 0.01;      ///< Smallest relative gain worth having: better means faster by more than this.
  double futility = 0;               ///< Stop early once `better` is less probable than this; 0: only at the cap.
  double maximum_regression = 0.05;  ///< Guard: no workload may be slower by more than this (lower bound, Holm).
  double check_fraction = 0.25;      ///< Chance that a timed call's output is checked; warm-up calls always are.
  bool self_comparison = false;      ///< Also time the incumbent against a copy of itself, as often (A/A).
  int stress_trials = 8;             ///< Checked calls on difficult inputs before anything is timed; 0: none.
  std::chrono::milliseconds call_limit{2000};
  std::chrono::milliseconds load_limit{5000};
  std::chrono::milliseconds build_limit{60000};
  std::uint64_t worker_memory_bytes = std::uint64_t{4} << 30U;  ///< RLIMIT_AS of a worker, beyond the judge's buffers.
  std::vector<Sanitizer> sanitizers;  ///< Run the candidate under these first; only where it runs on a GPU.
  base::SandboxLevel minimum_sandbox = base::SandboxLevel::none;  ///< Below it the judge refuses to run anything.
  std::optional<base::TimingMethod> clock;                        ///< Absent: the device's own, see timing_of.
  base::CacheState cache = base::CacheState::cold;                ///< Of every timed call of the session.
};

/// Machine code that a campaign has judged before.
struct KnownCode {
  int candidate = 0;         ///< Its number; 0 is the baseline.
  std::string machine_code;  ///< As BuiltCode has it.
};

/// A request to assay-judge: one file, self-contained. The judge needs no database and no dataset.
struct EvaluationRequest {
  std::string id;  ///< Names the bundle; [0-9a-z-], at most 80 characters.
  Stage stage = Stage::measure;
  std::string device = "cpu";         ///< base::DeviceName.
  std::optional<std::uint64_t> seed;  ///< Absent: the judge draws it and records it with the result.
  Definition definition;
  std::vector<Workload> workloads;    ///< In the order in which results are reported.
  Solution candidate;                 ///< Only where the stage has one.
  std::optional<Solution> incumbent;  ///< Required for gate and sweep.
  SessionPlan plan;
  /// Also say what the contest's own evaluator would: so many trials a workload on inputs as in use, by its rule. It
  /// decides nothing. 0: not asked.
  int official_trials = 0;
  /// Checked calls beside the timed ones, at least so many in all and equally many a workload, on inputs as in use.
  /// They bound how often the candidate is wrong; one that is ends the evaluation. 0: none.
  int trials = 0;
  /// How many of the trials each workload gets, in their order, by what is known of earlier candidates. Empty: equally many.
  std::vector<int> trials_on;
  /// A candidate that is built to one of these is a `duplicate`, and nothing is run.
  std::vector<KnownCode> known_code = {};
  /// So is one that is built to the incumbent's machine code, unless it is the incumbent byte for byte. Otherwise the two
  /// are timed, and what is seen is noise.
  bool refuse_twin = false;
  /// Twins are judged by the rule all the same: what a null injection asks, whose winning is an alarm.
  bool judge_twin = false;
  TrialsTurn trials_turn = TrialsTurn::before_timing;
  /// Inputs on which candidates failed before, replayed in this order before any other call.
  std::vector<KeptInput> replays;
  /// How many inputs were kept of this definition when the request was made: replays may be fewer.
  std::int64_t kept_inputs = 0;
  ProbeSet disabled_probes;  ///< Only for `assay selftest --ablate`, which shows what each probe is for; recorded.

  [[nodiscard]] bool probes(Probe probe) const { return disabled_probes.count(probe) == 0; }
};

/// How the calls of a request on this device, with this plan, are timed.
[[nodiscard]] base::Timing timing_of(const SessionPlan& plan, std::string_view device);
[[nodiscard]] base::Timing timing_of(const EvaluationRequest& request);
/// An input error that names what there is, if this device cannot be timed as the plan wants.
[[nodiscard]] base::Result<void> check_timing(const SessionPlan& plan, std::string_view device);

/// Whether the samples of this request have two clocks that measure the same thing: the worker's and the judge's.
[[nodiscard]] bool has_two_clocks(const EvaluationRequest& request);

/// Encoding of a request: a version, then the fields above. Decoding refuses unknown versions and fields.
inline constexpr int kRequestVersion = 1;
[[nodiscard]] base::Json encode(const EvaluationRequest& request);
[[nodiscard]] base::Result<EvaluationRequest> decode_request(const base::Json& json, std::string_view source);

[[nodiscard]] base::Json encode(const SessionPlan& plan);
[[nodiscard]] base::Result<SessionPlan> decode_plan(const base::Json& json, std::string_view source);

}  // namespace assay::task
