#include <assay/control/fake_evaluator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include <assay/archive/sample_bundle.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/stats/self_comparison.hpp>
#include <assay/task/outcome.hpp>

namespace assay::control::testing {
namespace {

std::optional<std::string> note(const task::Solution& solution, const std::string& key) {
  const std::string& source = solution.sources.front().content;
  const std::string mark = "// " + key + ": ";
  const std::size_t at = source.find(mark);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  return source.substr(at + mark.size(), source.find('\n', at) - at - mark.size());
}

bool is_about(const task::EvaluationRequest& request, const char* part) {
  return request.id.find(part) != std::string::npos;
}

// What the source says of the candidate's speed in this evaluation, if that is another than everywhere else.
double time_in(const task::EvaluationRequest& request, task::Side side) {
  const task::Solution& solution = side == task::Side::candidate ? request.candidate : *request.incumbent;
  std::optional<std::string> special;
  if (side == task::Side::candidate) {
    special = is_about(request, "-confirm-")      ? note(solution, "confirm speed")
              : is_about(request, "-null")        ? note(solution, "copied speed")
              : is_about(request, "-slowergate-") ? note(solution, "losing speed")
                                                  : std::nullopt;
  }
  return special ? std::stod(*special) : relative_time(solution);
}

std::optional<task::Outcome> failure(const task::EvaluationRequest& request) {
  auto word = note(request.candidate, "outcome");
  if (!word && request.stage == task::Stage::sweep) {
    word = note(request.candidate, "sweep");
  }
  if (!word && is_about(request, "-confirm-")) {
    word = note(request.candidate, "confirm");
  }
  if (!word && is_about(request, "-nullgate-")) {
    word = note(request.candidate, "copied");
  }
  return word ? task::parse_outcome(*word) : std::nullopt;
}

// The baseline takes 100 ns an element, and each call wanders by up to 0.1 %.
task::Sample sample_of(const task::EvaluationRequest& request, base::Philox& random, int pair, std::size_t workload,
                       task::Side side, int repetition) {
  const auto elements = static_cast<double>(request.workloads[workload].axes.front().second);
  const double wander = 1 + 0.002 * (random.next_uniform() - 0.5);
  task::Sample sample;
  sample.pair = pair;
  sample.side = side;
  sample.workload = static_cast<std::int32_t>(workload);
  sample.repetition = repetition;
  sample.elapsed_ns = std::llround(1e5 * elements * time_in(request, side) * wander);
  sample.round_trip_ns = sample.elapsed_ns + 1000;
  sample.checked = repetition == 0;
  return sample;
}

void add_pair(const task::EvaluationRequest& request, base::Philox& random, int pair,
              std::vector<task::Sample>& samples) {
  for (std::size_t workload = 0; workload < request.workloads.size(); ++workload) {
    for (int repetition = 0; repetition <= request.plan.samples_per_pair; ++repetition) {
      samples.push_back(sample_of(request, random, pair, workload, task::Side::candidate, repetition));
      if (request.incumbent) {
        samples.push_back(sample_of(request, random, pair, workload, task::Side::incumbent, repetition));
      }
    }
  }
}

stats::PairedComparison compare(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples,
                                int pairs) {
  std::vector<stats::PairedSample> timed;
  for (const task::Sample& sample : samples) {
    if (sample.repetition > 0 && !sample.self) {
      timed.push_back(
          {sample.pair, sample.workload, sample.side == task::Side::candidate, static_cast<double>(sample.elapsed_ns)});
    }
  }
  const task::SessionPlan& plan = request.plan;
  return stats::compare_pairs(timed, pairs, static_cast<int>(request.workloads.size()), promote::rule_of(plan),
                              plan.maximum_regression);
}

// The incumbent beside its copy, which takes `favour` times as long.
void add_self_pairs(const task::EvaluationRequest& request, base::Philox& random, int pairs, double favour,
                    std::vector<task::Sample>& samples) {
  for (int pair = 0; pair < pairs; ++pair) {
    for (std::size_t workload = 0; workload < request.workloads.size(); ++workload) {
      for (int repetition = 0; repetition <= request.plan.samples_per_pair; ++repetition) {
        for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
          task::Sample sample = sample_of(request, random, pair, workload, task::Side::incumbent, repetition);
          const double factor = side == task::Side::candidate ? favour : 1;
          sample.self = true;
          sample.side = side;
          sample.elapsed_ns = std::llround(factor * static_cast<double>(sample.elapsed_ns));
          sample.round_trip_ns = sample.elapsed_ns + 1000;
          samples.push_back(sample);
        }
      }
    }
  }
}

void hold_against_noise(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples,
                        stats::PairedComparison& comparison, task::Evaluation& evaluation) {
  const stats::SelfComparison self = promote::recompute_self(request, samples).value().value();
  stats::withdraw_unless_above_noise(comparison, self);
  task::SelfComparison& said = evaluation.comparison->aa.emplace();
  said.pairs = static_cast<int>(self.pair_log_ratios.size());
  said.pair_log_ratios = self.pair_log_ratios;
  said.log_ratio = self.interval.mean;
  said.log_ratio_lower = self.interval.lower;
  said.log_ratio_upper = self.interval.upper;
  said.noise_floor = self.noise_floor;
}

void compare_honestly(const task::EvaluationRequest& request, base::Philox& random, double favour,
                      task::Evaluation& evaluation, std::vector<task::Sample>& samples) {
  stats::PairedComparison comparison;
  for (int pair = 0; pair < request.plan.maximum_pairs; ++pair) {
    add_pair(request, random, pair, samples);
    comparison = compare(request, samples, pair + 1);
    if (comparison.decision.conclusion != stats::PairedConclusion::undecided || comparison.decision.futile) {
      break;
    }
  }
  evaluation.comparison.emplace();
  evaluation.comparison->pairs = comparison.decision.pairs_used;
  evaluation.comparison->log_ratio = comparison.decision.interval.mean;
  evaluation.comparison->log_ratio_lower = comparison.decision.interval.lower;
  evaluation.comparison->log_ratio_upper = comparison.decision.interval.upper;
  if (request.plan.self_comparison) {
    add_self_pairs(request, random, comparison.table.pairs, favour, samples);
    hold_against_noise(request, samples, comparison, evaluation);
  }
  evaluation.outcome = comparison.conclusion == stats::PairedConclusion::better ? task::Outcome::better
                       : comparison.conclusion == stats::PairedConclusion::not_better
                           ? task::Outcome::not_better
                           : task::Outcome::indistinguishable;
}

void measure(const task::EvaluationRequest& request, base::Philox& random, task::Evaluation& evaluation,
             std::vector<task::Sample>& samples) {
  add_pair(request, random, 0, samples);
  add_pair(request, random, 1, samples);
  evaluation.outcome = task::Outcome::measured;
  const auto table = compare(request, samples, 2).table;
  for (std::size_t workload = 0; workload < request.workloads.size(); ++workload) {
    task::WorkloadTiming timing;
    timing.uuid = request.workloads[workload].uuid;
    timing.axes = request.workloads[workload].axes;
    timing.candidate_ns = table.candidate_ns[workload];
    evaluation.timings.push_back(timing);
  }
}

archive::Files judge(const task::EvaluationRequest& asked, std::optional<Fault> fault) {
  task::EvaluationRequest request = asked;
  if (!request.seed) {
    request.seed = 99;  // a real judge draws it
  }
  if (fault == Fault::other_request) {
    request.plan.alpha /= 2;
  }
  base::Philox random(*request.seed, 1);
  task::Evaluation evaluation = archive::sample_evaluation(request);
  evaluation.outcome = task::Outcome::measured;
  std::vector<task::Sample> samples;
  if (const auto code = note(request.candidate, "code")) {
    evaluation.candidate_build.code.machine_code = base::sha256(*code).hex();
  }
  const auto known = std::find_if(
      request.known_code.begin(), request.known_code.end(),
      [&](const task::KnownCode& one) { return one.machine_code == evaluation.candidate_build.code.machine_code; });
  if (known != request.known_code.end()) {
    evaluation.outcome = task::Outcome::duplicate;
    evaluation.cause = fmt::format("the same machine code as candidate {}", known->candidate);
  } else if (const auto failed = failure(request)) {
    evaluation.outcome = *failed;
    evaluation.cause = fmt::format("it is said to be {}", task::to_string(*failed));
  } else if (request.incumbent) {
    constexpr double kUnfair = 1.2;
    compare_honestly(request, random, fault == Fault::unfair ? kUnfair : 1.0, evaluation, samples);
  } else {
    measure(request, random, evaluation, samples);
  }
  if (task::is_correct(evaluation.outcome)) {
    evaluation.clean_on_workloads.assign(request.workloads.size(), 0);
    for (const task::Sample& sample : samples) {
      const bool counts = sample.checked && sample.side == task::Side::candidate && !sample.self;
      evaluation.clean_on_workloads[static_cast<std::size_t>(sample.workload)] += counts ? 1 : 0;
    }
  }
  if (fault == Fault::lies) {
    evaluation.outcome =
        evaluation.outcome == task::Outcome::better ? task::Outcome::indistinguishable : task::Outcome::better;
  }
  archive::Files files = archive::sample_files(request, evaluation);
  files["samples.json"] = base::dump_compact(task::encode(samples));
  return files;
}

archive::Files judge_failure(const task::EvaluationRequest& request, const char* owner) {
  return {{"request.json", base::dump_pretty(task::encode(request))},
          {"error.json", fmt::format(R"({{"owner": "{}", "code": "judge.disk", "message": "no space"}})", owner)}};
}

}  // namespace

double relative_time(const task::Solution& solution) {
  if (const std::int64_t* block = task::find(solution.parameters, "BLOCK")) {
    // Fastest at BLOCK 4, UNROLL 2: 0.6 of the baseline.
    const double away = std::abs(std::log2(static_cast<double>(*block) / 4.0)) +
                        std::abs(static_cast<double>(*task::find(solution.parameters, "UNROLL")) - 2.0);
    return 0.6 + 0.15 * away;
  }
  return std::stod(note(solution, "speed").value_or("1"));
}

base::Result<void> FakeEvaluator::prepare(const std::vector<task::Solution>& solutions) {
  auto& names = prepared.emplace_back();
  std::transform(solutions.begin(), solutions.end(), std::back_inserter(names),
                 [](const task::Solution& one) { return one.name; });
  return {};
}

base::Result<os::Path> FakeEvaluator::evaluate(const task::EvaluationRequest& request) {
  const auto found = faults.find(static_cast<int>(requests.size()));
  const auto fault = found == faults.end() ? std::nullopt : std::optional(found->second);
  requests.push_back(request);
  if (fault == Fault::environment_error) {
    return base::environment_error("judge.died", "the judge was killed");
  }
  if (fault == Fault::input_error) {
    return base::input_error("request.refused", "the request is refused");
  }
  if (fault == Fault::killed_before) {
    throw Killed();
  }
  const os::Path folder = spool_ / request.id;
  if (!std::filesystem::exists(folder)) {
    ++judged;
    archive::write_bundle(folder, fault == Fault::judge_error ? judge_failure(request, "environment")
                                  : fault == Fault::judge_bug ? judge_failure(request, "internal")
                                                              : judge(request, fault));
  }
  if (fault == Fault::damaged) {
    std::ofstream(folder / "samples.json", std::ios::app) << " ";
  }
  if (fault == Fault::killed_after) {
    throw Killed();
  }
  return folder;
}

}  // namespace assay::control::testing
