#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/base/timing.hpp>
#include <assay/task/failing_input.hpp>
#include <assay/task/named.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/request.hpp>
#include <assay/task/solution.hpp>

namespace assay::task {

/// Which of the two compared solutions. Persisted as "candidate" and "incumbent".
enum class Side : std::uint8_t { candidate, incumbent };

[[nodiscard]] std::string_view to_string(Side side);

/// One timed call, raw.
struct Sample {
  std::int32_t pair = 0;   ///< Process pair, from 0.
  std::int32_t order = 0;  ///< Position in that pair's schedule, over both sides.
  Side side = Side::candidate;
  std::int32_t workload = 0;       ///< Index into the request's workloads.
  std::int32_t repetition = 0;     ///< 0 is the warm-up call, never used in statistics.
  std::int64_t elapsed_ns = 0;     ///< What counts: the worker's clock around the entry point (or the simulated clock).
  std::int64_t round_trip_ns = 0;  ///< The judge's clock around command and reply.
  bool checked = false;            ///< The output of this very call was compared with the reference.
  std::optional<base::Timing> timing =
      std::nullopt;   ///< How it was timed; absent in samples of before it was recorded.
  bool self = false;  ///< Of the incumbent against a copy of itself: the copy's side is `candidate`.
};

/// One thing that was seen and is evidence for the outcome. `kind` is a stable word ("mismatch", "unwritten",
/// "guard_overwritten", "input_written", "signal", "timeout", "entry_missing", "compiler", …).
struct Finding {
  std::string kind;
  std::string message;  ///< One sentence that helps an honest author: where, expected, got.
  Side side = Side::candidate;
  std::optional<std::int32_t> workload;  ///< Index into the request's workloads.
  std::optional<std::string> tensor;
  std::optional<std::vector<std::int64_t>> index;  ///< The exact element, one number an axis.
  std::optional<double> expected;
  std::optional<double> got;
  std::vector<std::string> picture;  ///< Where the wrong elements are, as lines of text (tensor/error_map.hpp).
};

/// What one GPU kernel takes of the device, as the compiler said it: advice to its author, never evidence.
struct KernelResources {
  std::string symbol;                  ///< As the object has it: mangled, unless the source says extern "C".
  std::string name;                    ///< As the source has it, where that could be found out; otherwise the symbol.
  std::string architecture;            ///< "sm_90a"
  std::int64_t registers = 0;          ///< Of one thread.
  std::int64_t barriers = 0;           ///< Of one block.
  std::int64_t stack_bytes = 0;        ///< Of one thread, in local memory.
  std::int64_t spill_store_bytes = 0;  ///< Of one thread, written once through the code.
  std::int64_t spill_load_bytes = 0;
  std::int64_t shared_bytes = 0;    ///< Of one block, without what a launch adds.
  std::int64_t constant_bytes = 0;  ///< Of all banks that the compiler names.
  auto operator<=>(const KernelResources&) const = default;
};

/// What a build came to below its source: SHA-256 in hexadecimal, coarser from one to the next; empty where the toolchain
/// does not give that level, and in records of before. Equal digests at a level are equal code there; different ones may
/// still be, for names and the like count where nobody can say that they do not.
struct BuiltCode {
  std::string ptx;   ///< Of a CUDA solution's device code, without comments.
  std::string sass;  ///< Of a CUDA solution's device code: what the GPU executes, and its constants.
  /// All that runs, with how it is called: host code too, or the launch plan. Only this makes two solutions the same.
  std::string machine_code;
  auto operator<=>(const BuiltCode&) const = default;
};

/// How a build went. The log is a file of the bundle.
struct BuildRecord {
  bool built = false;
  bool from_cache = false;
  std::string toolchain;  ///< "g++ 12.2.0"
  std::vector<std::string> command;
  std::string object_sha256;  ///< Of the shared object or cubin; empty if not built.
  std::string log_file;       ///< Name inside the bundle.
  double seconds = 0;         ///< Of the compiler; 0 from the cache.
  /// Of a CUDA solution. Empty for other languages, and in records of before kernels were described.
  std::vector<KernelResources> kernels = {};
  std::optional<Tier> tier = std::nullopt;  ///< Of a CUDA solution; absent in records of before there were two.
  BuiltCode code = {};
  std::uint64_t log_bytes_cut = 0;  ///< What the compiler said beyond what log_file keeps; 0 in records of before, too.
};

/// Per workload: medians over all samples but warm-ups, and the paired log-ratio candidate/incumbent.
struct WorkloadTiming {
  std::string uuid;
  AxisValues axes;
  std::optional<double> candidate_ns;
  std::optional<double> incumbent_ns;
  std::optional<double> log_ratio;        ///< Mean over process pairs of log(median candidate / median incumbent).
  std::optional<double> log_ratio_lower;  ///< Bounds of its interval at the plan's alpha (Student's t over pairs).
  std::optional<double> log_ratio_upper;
  /// The candidate's largest errors against the reference, over the first checked call of each pair, by flashinfer-bench's
  /// formulas (tensor::LargestErrors). Nothing if no output is floating, and in records of before they were measured.
  std::optional<double> largest_absolute_error = std::nullopt;
  std::optional<double> largest_relative_error = std::nullopt;
  /// What its least work takes here (operators::Work) at the bandwidth and the rate that were measured of this device, and
  /// which of them that is: "memory" or "arithmetic". Absent where nothing was measured, and in records of before.
  std::optional<double> floor_ns = std::nullopt;
  std::string floor_limit = {};
};

/// The incumbent against a copy of itself, in process pairs between those of the comparison (SessionPlan::self_comparison):
/// what this session shows where there is nothing to be seen. Log-ratios are log(copy / incumbent).
struct SelfComparison {
  int pairs = 0;
  std::vector<double> pair_log_ratios;
  double log_ratio = 0;        ///< Their mean.
  double log_ratio_lower = 0;  ///< Student's t at the plan's alpha, over pairs.
  double log_ratio_upper = 0;
  double noise_floor = 0;  ///< The larger of the bounds' sizes: no gain of the candidate within it counts.
};

/// The comparison of the two sides; the unit is the process pair. Log-ratios below 0 mean: the candidate is faster.
struct Comparison {
  int pairs = 0;
  std::vector<double>
      pair_log_ratios;         ///< One a pair: mean over workloads of log(median candidate / median incumbent).
  double log_ratio = 0;        ///< Their mean.
  double log_ratio_lower = 0;  ///< Interval that holds over all looks (see stats/paired_decision.hpp).
  double log_ratio_upper = 0;
  std::vector<std::string> guard_failures;          ///< One sentence a workload that regressed beyond the plan's guard.
  std::optional<SelfComparison> aa = std::nullopt;  ///< Only where the plan asks for it.
};

/// What the device said of itself at one moment.
struct DeviceReading {
  std::int32_t sm_mhz = 0;
  std::int32_t memory_mhz = 0;
  std::int32_t temperature_celsius = 0;
  double power_watts = 0;
  std::string throttled;       ///< What holds its clocks down, in words; empty: nothing.
  std::int32_t processes = 0;  ///< With a compute context on it, ours included.
};

/// The device around one process pair: with the workers ready, before the first call and after the last.
struct PairReadings {
  std::int32_t pair = 0;
  std::int32_t ours = 0;  ///< How many of the processes are the judge and its workers.
  DeviceReading before;
  DeviceReading after;
};

/// How long one and the same piece of the judge's own work took before and after a session, in nanoseconds.
struct Canary {
  double before_ns = 0;
  double after_ns = 0;
};

/// How flashinfer-bench times, as OfficialTiming::method names it: the span of a call's kernels, copies and fills as CUPTI
/// traced them, from an idle device, after zeros were written to twice the second-level cache's size. Persisted.
inline constexpr std::string_view kOfficialTimingMethod = "flashinfer-bench-cupti";

/// One workload by that method: the medians of each trial's timed calls, in nanoseconds.
struct OfficialLatency {
  std::string uuid;
  std::vector<double> candidate_ns;
  std::vector<double> incumbent_ns;  ///< Likewise, in a process of its own; empty without an incumbent.
};
/// What that evaluator reports of a workload: the mean of its trials' medians. 0 if there are none.
[[nodiscard]] double official_latency(const std::vector<double>& medians_ns);

/// The figures of one process and one allocation a solution: another evaluator's, shown beside ours, never mixed with them.
struct OfficialTiming {
  std::string method;  ///< kOfficialTimingMethod.
  std::int64_t untimed_calls = 0;
  std::int64_t timed_calls = 0;
  std::vector<OfficialLatency> workloads;  ///< In the request's order.
};

/// What the contest's own evaluator would say of the candidate (`--compat flashinfer-bench`). Decides nothing here.
struct OfficialVerdict {
  bool passed = false;
  std::int64_t trials = 0;  ///< Calls that were compared, over all workloads.
  std::string reason;       ///< What was seen, if it did not pass.
  std::optional<OfficialTiming> timing =
      std::nullopt;            ///< If it passed, on a GPU. Absent in evaluations of before it was measured.
  std::string not_timed = {};  ///< Why there is none.
};

/// Everything that the judge says about one request; the file evaluation.json of a bundle.
/// Checked calls on inputs as in use, before anything was timed (EvaluationRequest::trials).
struct TrialsRecord {
  std::int64_t calls = 0;        ///< Of the candidate; all were right unless the evaluation says otherwise.
  std::int64_t on_each = 0;      ///< On the workload that got fewest: what bounds the weakest stratum. 0 if one failed.
  double seconds = 0;            ///< By the judge's clock, for all of them.
  double candidate_seconds = 0;  ///< Of these the candidate's own, by its clock.
  /// On each workload, in the request's order; up to the failure if one failed. Empty in records of before.
  std::vector<std::int64_t> on_workloads = {};
};

struct Evaluation {
  std::string id;
  Stage stage = Stage::measure;
  std::string device;
  Outcome outcome = Outcome::measured;
  std::string cause;  ///< One sentence for people.
  std::vector<Finding> findings;
  CandidateIdentity candidate;
  std::optional<CandidateIdentity> incumbent;
  BuildRecord candidate_build;
  std::optional<BuildRecord> incumbent_build;
  std::int64_t checked_calls = 0;  ///< Outputs compared with the reference, both sides.
  std::vector<WorkloadTiming> timings;
  std::optional<Comparison> comparison;
  /// On a GPU: outputs that the GPU did not find surely right, so that the CPU was asked. Absent elsewhere, and before.
  std::optional<std::int64_t> checker_doubts = std::nullopt;
  std::int64_t stress_trials = 0;  ///< Of the checked calls, those on difficult inputs of the operator's stress kinds.
  std::int64_t replayed = 0;  ///< Of the checked calls, those on inputs that were kept (EvaluationRequest::replays).
  /// The candidate's calls on new inputs as in use that were checked and right, trials included, on each workload. Empty in
  /// evaluations of before they were counted, and where nothing ran.
  std::vector<std::int64_t> clean_on_workloads = {};
  std::vector<FailingInput> failing_inputs = {};  ///< On which the candidate failed; a failure ends an evaluation.
  std::optional<OfficialVerdict> official;
  std::optional<TrialsRecord> trials;
  Named<double> phases;       ///< Where the judge's time went, in order: what was done, and its seconds. Some overlap.
  double timer_floor_ns = 0;  ///< Median time of an empty call by the same clock.
  /// How every sample was timed. Absent in evaluations of before it was recorded.
  std::optional<base::Timing> timing;
  std::vector<PairReadings> device_readings;  ///< Empty where nobody can tell: a CPU, or no NVML.
  std::optional<Canary> canary;               ///< Only of a device that has one, and a session that came to its end.
  std::uint64_t seed = 0;
  Named<std::string> environment;    ///< Fingerprint: cpu, kernel, toolchain, sandbox, digests of the programs, …
  std::vector<std::string> retries;  ///< Infrastructure faults that the judge saw and retried, one sentence each.
  std::string started;               ///< UTC.
  double wall_seconds = 0;
};

/// Tells whether two builds are known to have come to the same machine code.
[[nodiscard]] bool same_machine_code(const BuildRecord& a, const BuildRecord& b);

/// Tells whether both sides of an evaluation are the same machine code: whatever it measured is noise (A/A).
[[nodiscard]] bool is_self_comparison(const Evaluation& evaluation);
/// Tells whether neither side can be better for that, whatever the rule says; unless the request wants to see whether the
/// rule is fooled.
[[nodiscard]] bool holds_as_noise(const EvaluationRequest& request, const Evaluation& evaluation);

/// On each of so many workloads, how many trials on new inputs as in use the candidate came through: what a verdict's bound
/// rests on. Of evaluations of before they were counted, those that were asked for as trials.
[[nodiscard]] std::vector<std::int64_t> clean_trials(const Evaluation& evaluation, std::size_t workloads);

/// How the samples of an evaluation were timed; of before it was recorded, by the device's own clock with cold caches.
[[nodiscard]] base::Timing timing_of(const Evaluation& evaluation);

inline constexpr int kEvaluationVersion = 1;
[[nodiscard]] base::Json encode(const Evaluation& evaluation);
[[nodiscard]] base::Result<Evaluation> decode_evaluation(const base::Json& json, std::string_view source);

/// Samples as columns: {"version":1,"pair":[…],"order":[…],"side":"cici…","workload":[…],…}; all the same length. A side is
/// c (candidate) or i (incumbent); in the incumbent's comparison with itself a (the copy) or b (the incumbent). "clock", as
/// in an evaluation, is that of all of them: samples of several in one file are a bug.
[[nodiscard]] base::Json encode(const std::vector<Sample>& samples);
[[nodiscard]] base::Result<std::vector<Sample>> decode_samples(const base::Json& json, std::string_view source);

}  // namespace assay::task
