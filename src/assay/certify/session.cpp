#include <assay/certify/session.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include <assay/certify/counts.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/failure_bound.hpp>
#include <assay/stats/failure_words.hpp>
#include <assay/stats/symmetric_evidence.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/outcome.hpp>

namespace assay::certify {
namespace {

using base::Json;
using task::encode_number;

// The journal's numbers may have been computed by another build.
constexpr double kJournalTolerance = 1e-9;

std::string_view words_of(stats::PairedConclusion conclusion) {
  switch (conclusion) {
    case stats::PairedConclusion::better:
      return "better";
    case stats::PairedConclusion::not_better:
      return "not_better";
    case stats::PairedConclusion::undecided:
      break;
  }
  return "undecided";
}

std::string_view words_of(stats::Testimony testimony) {
  switch (testimony) {
    case stats::Testimony::confirmed:
      return "confirmed";
    case stats::Testimony::unclear:
      return "unclear";
    case stats::Testimony::contradicted:
      return "contradicted";
    case stats::Testimony::none:
      break;
  }
  return "none";
}

Json interval_json(const stats::PairedInterval& interval) {
  return {{"mean", encode_number(interval.mean)},
          {"lower", encode_number(interval.lower)},
          {"upper", encode_number(interval.upper)}};
}

// The pairs up to the look that decided, as the statistics saw them; evidence against both hypotheses, whichever test decided.
Json test_json(const task::SessionPlan& plan, const stats::PairedComparison& comparison) {
  const double bound = std::log1p(-plan.minimum_effect);
  const std::vector<double>& ratios = comparison.table.pair_log_ratios;
  Json json;
  json["hypothesis"] =
      fmt::format("the candidate is not faster than the incumbent by more than {:.6g} %", 100 * plan.minimum_effect);
  json["decided_by"] = task::to_string(plan.test);
  json["alpha"] = encode_number(plan.alpha);
  json["bound"] = encode_number(bound);
  json["log_e_value"] = encode_number(stats::log_evidence_below(ratios, bound));
  json["log_e_value_of_the_opposite"] = encode_number(stats::log_evidence_above(ratios, bound));
  json["log_e_value_needed"] = encode_number(std::log(2 / plan.alpha));
  json["log_ratio"] = interval_json(comparison.decision.interval);
  json["pairs"] = comparison.decision.pairs_used;
  json["by_the_rule"] = words_of(comparison.decision.conclusion);
  json["futile"] = comparison.decision.futile;
  json["second_clock"] = words_of(comparison.testimony);
  json["conclusion"] = words_of(comparison.conclusion);
  return json;
}

int pairs_in(const std::vector<task::Sample>& samples) {
  int pairs = 0;
  for (const task::Sample& sample : samples) {
    pairs = std::max(pairs, sample.pair + 1);
  }
  return pairs;
}

Json pairs_json(const std::vector<task::Sample>& samples, const stats::PairedComparison& comparison) {
  Json pairs = Json::array();
  for (int pair = 0; pair < pairs_in(samples); ++pair) {
    const auto index = static_cast<std::size_t>(pair);
    const auto count = std::count_if(samples.begin(), samples.end(),
                                     [pair](const task::Sample& sample) { return sample.pair == pair; });
    const bool used = index < comparison.table.pair_log_ratios.size();
    pairs.push_back({{"samples", count},
                     {"sha256", pair_digest(samples, pair).hex()},
                     {"log_ratio", used ? encode_number(comparison.table.pair_log_ratios[index]) : Json()}});
  }
  return pairs;
}

Json self_json(const std::optional<stats::SelfComparison>& self) {
  if (!self) {
    return {};
  }
  Json ratios = Json::array();
  for (const double ratio : self->pair_log_ratios) {
    ratios.push_back(encode_number(ratio));
  }
  return {{"pair_log_ratios", std::move(ratios)},
          {"log_ratio", interval_json(self->interval)},
          {"noise_floor", encode_number(self->noise_floor)},
          {"log_evidence", encode_number(self->log_evidence)},
          {"void", self->failed}};
}

Json workloads_json(const task::EvaluationRequest& request, const stats::PairedComparison& comparison) {
  Json workloads = Json::array();
  for (std::size_t i = 0; i < request.workloads.size() && i < comparison.guards.size(); ++i) {
    const stats::WorkloadGuard& guard = comparison.guards[i];
    workloads.push_back({{"workload", request.workloads[i].uuid},
                         {"candidate_ns", encode_number(comparison.table.candidate_ns[i])},
                         {"incumbent_ns", encode_number(comparison.table.incumbent_ns[i])},
                         {"log_ratio", interval_json({guard.mean, guard.lower, guard.upper})},
                         {"too_slow", guard.failed}});
  }
  return workloads;
}

Json guards_json(const task::EvaluationRequest& request, const promote::Policy& policy,
                 const promote::Decision& decision, const stats::PairedComparison& comparison) {
  const auto of_whole = [](double ratio, double most) {
    return Json{{"ratio", encode_number(ratio)}, {"at_most", encode_number(1 + most)}, {"too_slow", ratio > 1 + most}};
  };
  return {{"mean_latency", of_whole(decision.mean_latency_ratio, policy.maximum_mean_regression)},
          {"p95", of_whole(decision.p95_ratio, policy.maximum_p95_regression)},
          {"each_workload_at_most", encode_number(1 + request.plan.maximum_regression)},
          {"workloads", workloads_json(request, comparison)}};
}

// What the first version counted: the candidate's checked calls in the raw samples, and those before anything was timed.
std::vector<std::int64_t> trials_of_first_version(const Session& session) {
  std::vector<std::int64_t> trials = checked_calls(session);
  if (session.evaluation.trials) {
    const task::TrialsRecord& record = *session.evaluation.trials;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i] += i < record.on_workloads.size() ? record.on_workloads[i] : record.on_each;
    }
  }
  return trials;
}

// A stratum is a workload. Its trials are those of the decision.
Json correctness_json(const Session& session, int version) {
  const std::vector<task::Workload>& workloads = session.request.workloads;
  const bool first = version == kFirstCertificateVersion;
  const std::vector<std::int64_t> trials =
      first ? trials_of_first_version(session) : task::clean_trials(session.evaluation, workloads.size());
  const std::vector<std::int64_t> checked = checked_calls(session);
  const stats::StrataBound bound = stats::bound_clean_trials(trials, kBoundConfidence);
  Json each = Json::array();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Json one = {{"workload", workloads[i].uuid},
                {"trials", trials[i]},
                {"below", encode_number(stats::bound_clean_trials({&trials[i], 1}, kBoundConfidence).of_weakest)}};
    if (!first) {
      one["checked_in_samples"] = checked[i];
    }
    each.push_back(std::move(one));
  }
  return {{"confidence", kBoundConfidence},
          {"failures", 0},
          {"trials", bound.trials},
          {"difficult_inputs", session.evaluation.stress_trials},
          {"in_use_below", encode_number(bound.in_use)},
          {"weakest", workloads[bound.weakest].uuid},
          {"weakest_below", encode_number(bound.of_weakest)},
          {"strata", std::move(each)}};
}

Json build_json(const task::BuildRecord& build) {
  return {{"toolchain", build.toolchain}, {"command", build.command}, {"object", build.object_sha256}};
}

Json environment_json(const task::Evaluation& evaluation) {
  Json environment = Json::object();
  for (const auto& [name, value] : evaluation.environment) {
    environment[name] = value;
  }
  return environment;
}

base::Result<void> check_workloads(const Session& session) {
  const auto workloads = static_cast<std::int32_t>(session.request.workloads.size());
  for (const task::Sample& sample : session.samples) {
    if (sample.workload < 0 || sample.workload >= workloads) {
      return base::input_error("certificate.samples", fmt::format("{}/samples.json: a sample is of workload {} of {}",
                                                                  session.folder, sample.workload, workloads));
    }
  }
  return {};
}

bool nearly(double a, double b) {
  return a == b || std::abs(a - b) <= kJournalTolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

base::Digest pair_digest(const std::vector<task::Sample>& samples, int pair) {
  std::vector<task::Sample> own;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(own),
               [pair](const task::Sample& sample) { return sample.pair == pair; });
  return base::sha256(base::dump_compact(task::encode(own)));
}

base::Result<Json> describe_session(const Session& session, const promote::Policy& policy, int version) {
  const task::EvaluationRequest& request = session.request;
  const task::Evaluation& evaluation = session.evaluation;
  ASSAY_TRY(check_workloads(session));
  ASSAY_TRY_ASSIGN(const promote::Decision decision, promote::decide(request, evaluation, session.samples, policy));
  ASSAY_TRY_ASSIGN(const stats::PairedComparison comparison, promote::recompute(request, evaluation, session.samples));
  ASSAY_TRY_ASSIGN(const auto self, promote::recompute_self(request, session.samples));
  const bool correct = task::is_correct(evaluation.outcome);
  const bool compared = correct && comparison.complete && comparison.table.pairs > 0;
  const base::Timing timing = task::timing_of(request);
  Json json;
  json["evaluation"] = evaluation.id;
  json["manifest"] = session.manifest.hex();
  json["candidate"] = session.intended.candidate;
  json["against"] = session.intended.incumbent;
  json["started"] = evaluation.started;
  json["seed"] = evaluation.seed;
  json["clock"] = {{"method", base::to_string(timing.method)}, {"cache", base::to_string(timing.cache)}};
  json["outcome"] = task::to_string(evaluation.outcome);
  json["cause"] = evaluation.cause;
  // The words are the journal's, which the chain covers: they may be put otherwise by another version.
  promote::Decision worded = decision;
  worded.reasons = session.journalled.reasons;
  json["decision"] = promote::encode(worded);
  json["plan"] = task::encode(request.plan);
  json["test"] = compared ? test_json(request.plan, comparison) : Json();
  json["pairs"] = pairs_json(session.samples, comparison);
  json["incumbent_against_itself"] = compared ? self_json(self) : Json();
  json["guards"] = compared ? guards_json(request, policy, decision, comparison) : Json();
  json["correctness"] = correct ? correctness_json(session, version) : Json();
  json["builds"] = {{"candidate", build_json(evaluation.candidate_build)},
                    {"incumbent", evaluation.incumbent_build ? build_json(*evaluation.incumbent_build) : Json()}};
  json["retries"] = evaluation.retries;
  json["environment"] = environment_json(evaluation);
  return json;
}

std::vector<Difference> decision_differences(const Session& session, const promote::Decision& recomputed) {
  const promote::Decision& said = session.journalled;
  const auto place = [&](const char* field) {
    return fmt::format("{}: line {}: /body/decision/{}", kJournalFile, session.sequence, field);
  };
  std::vector<Difference> found;
  const auto text = [&](const char* field, const std::string& a, const std::string& b) {
    if (a != b) {
      found.push_back({place(field), fmt::format("is {}, and the samples of {} give {}", a, session.folder, b)});
    }
  };
  const auto number = [&](const char* field, double a, double b) {
    if (!nearly(a, b)) {
      text(field, fmt::format("{:.17g}", a), fmt::format("{:.17g}", b));
    }
  };
  text("verdict", std::string(promote::to_string(said.verdict)), std::string(promote::to_string(recomputed.verdict)));
  number("speedup", said.speedup, recomputed.speedup);
  number("speedup_lower", said.speedup_lower, recomputed.speedup_lower);
  number("speedup_upper", said.speedup_upper, recomputed.speedup_upper);
  number("mean_latency_ratio", said.mean_latency_ratio, recomputed.mean_latency_ratio);
  number("contest_score", said.contest_score, recomputed.contest_score);
  number("p95_ratio", said.p95_ratio, recomputed.p95_ratio);
  number("workloads", said.workloads, recomputed.workloads);
  number("pairs", said.pairs, recomputed.pairs);
  return found;
}

}  // namespace assay::certify
