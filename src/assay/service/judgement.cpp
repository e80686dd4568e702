#include <assay/service/judgement.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kErrorLines = 12;

std::optional<base::Digest> content_of(const std::optional<task::Solution>& solution) {
  return solution ? std::optional(task::identify(*solution).content) : std::nullopt;
}

// The clock by its name, whether it was said or is the device's own.
base::Json spelled_out(const task::EvaluationRequest& request) {
  task::SessionPlan plan = request.plan;
  plan.clock = task::timing_of(request).method;
  return task::encode(plan);
}

// Where the files lie does not matter.
bool same_given(const task::Workload& x, const task::Workload& y) {
  return std::equal(
      x.given.begin(), x.given.end(), y.given.begin(), y.given.end(),
      [](const task::GivenInput& a, const task::GivenInput& b) { return a.input == b.input && a.sha256 == b.sha256; });
}

bool same_question(const task::EvaluationRequest& a, const task::EvaluationRequest& b) {
  return a.stage == b.stage && a.device == b.device && content_of(a.incumbent) == content_of(b.incumbent) &&
         a.official_trials == b.official_trials && a.trials == b.trials && a.trials_turn == b.trials_turn &&
         spelled_out(a) == spelled_out(b) && task::encode(a.definition) == task::encode(b.definition) &&
         std::equal(a.workloads.begin(), a.workloads.end(), b.workloads.begin(), b.workloads.end(),
                    [](const task::Workload& x, const task::Workload& y) {
                      return x.lengths == y.lengths && same_given(x, y) && task::encode(x) == task::encode(y);
                    });
}

// Enough of a digest to see that it is another.
std::string in_brief(const std::string& value) {
  constexpr std::size_t kDigestSize = 64;
  constexpr std::size_t kShown = 12;
  const bool digest = value.size() == kDigestSize && value.find_first_not_of("0123456789abcdef") == std::string::npos;
  return value.empty() ? "empty" : base::printable(digest ? value.substr(0, kShown) : value);
}

std::string name_and_digest(const task::Solution& solution) {
  return fmt::format("{} ({})", solution.name, task::identify(solution).content.brief());
}

// Only an edited copy: the incumbent itself may be timed against itself.
bool is_edited_incumbent(const task::EvaluationRequest& request) {
  if (!request.incumbent) {
    return false;
  }
  const task::CandidateIdentity candidate = task::identify(request.candidate);
  const task::CandidateIdentity incumbent = task::identify(*request.incumbent);
  return candidate.normalised == incumbent.normalised && candidate.content != incumbent.content;
}

EvaluateReport duplicate_of_incumbent(task::EvaluationRequest request, const os::Path& archive) {
  EvaluateReport report;
  report.origin = Origin::incumbent_same_source;
  report.same_source_as = name_and_digest(*request.incumbent);
  report.archive = archive;
  report.evaluation.stage = request.stage;
  report.evaluation.device = request.device;
  report.evaluation.outcome = task::Outcome::duplicate;
  report.evaluation.cause = "the incumbent " + report.same_source_as + " but for comments and blank space";
  report.evaluation.candidate = task::identify(request.candidate);
  report.evaluation.incumbent = task::identify(*request.incumbent);
  report.request = std::move(request);
  return report;
}

// Of the inputs that would be replayed now, those that the answer knows nothing of.
std::size_t missed_replays(const task::EvaluationRequest& now, const task::EvaluationRequest& then) {
  std::set<std::string> known;
  for (const task::KeptInput& kept : then.replays) {
    known.insert(base::dump_compact(task::encode(kept.input)));
  }
  return static_cast<std::size_t>(std::count_if(
      now.replays.begin(), now.replays.end(),
      [&](const task::KeptInput& kept) { return known.count(base::dump_compact(task::encode(kept.input))) == 0; }));
}

base::Result<std::optional<EvaluateReport>> from_archive(const Context& context, archive::Archive& archive,
                                                         const task::EvaluationRequest& request,
                                                         const promote::Policy& policy, std::string& elsewhere) {
  const task::CandidateIdentity identity = task::identify(request.candidate);
  ASSAY_TRY_ASSIGN(const auto known, archive.candidate_by_normalised(request.definition.name, identity.normalised));
  if (!known) {
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(const task::Named<std::string> now, context.fingerprint(request.device));
  ASSAY_TRY_ASSIGN(auto evaluation, find_stored(archive, request, identity.content, now, &elsewhere));
  if (evaluation) {
    ASSAY_TRY_ASSIGN(EvaluateReport report, report_on(archive, std::move(*evaluation), &policy));
    report.origin = Origin::stored;
    report.missed_replays = task::is_correct(report.evaluation.outcome) ? missed_replays(request, report.request) : 0;
    return report;
  }
  ASSAY_TRY_ASSIGN(evaluation, find_stored(archive, request, known->identity.content, now, &elsewhere));
  if (!evaluation) {
    return std::nullopt;
  }
  ASSAY_TRY(archive.record_candidate(request.candidate));
  ASSAY_TRY_ASSIGN(EvaluateReport report, report_on(archive, std::move(*evaluation), &policy));
  report.origin = Origin::stored_same_source;
  report.same_source_as = name_and_digest(known->solution);
  report.missed_replays = task::is_correct(report.evaluation.outcome) ? missed_replays(request, report.request) : 0;
  return report;
}

}  // namespace

std::string fresh_evaluation_id(const base::Digest& candidate) {
  std::string now;
  for (const char c : base::utc_now()) {
    if (c >= '0' && c <= '9') {
      now += c;
    }
  }
  return fmt::format("e-{}-{}-{:04x}", now, candidate.brief(), base::entropy_seed() & 0xffffU);
}

std::vector<std::string> condition_differences(const task::Named<std::string>& then,
                                               const task::Named<std::string>& now) {
  std::vector<std::string> sentences;
  for (const auto& [name, value] : now) {
    const std::string* earlier = task::find(then, name);
    if (earlier == nullptr) {
      sentences.push_back(fmt::format("{} was not recorded and is {}", name, in_brief(value)));
    } else if (*earlier != value) {
      sentences.push_back(fmt::format("{} was {} and is {}", name, in_brief(*earlier), in_brief(value)));
    }
  }
  return sentences;
}

bool same_conditions(const task::Named<std::string>& then, const task::Named<std::string>& now) {
  return !now.empty() && condition_differences(then, now).empty();
}

base::Result<std::optional<task::Evaluation>> find_stored(const archive::Archive& archive,
                                                          const task::EvaluationRequest& request,
                                                          const base::Digest& candidate,
                                                          const task::Named<std::string>& now, std::string* elsewhere) {
  ASSAY_TRY_ASSIGN(const auto summaries, archive.evaluations("", candidate.hex()));
  for (auto summary = summaries.rbegin(); summary != summaries.rend(); ++summary) {
    if (summary->stage != request.stage || summary->device != request.device ||
        summary->definition != request.definition.name) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const task::EvaluationRequest earlier, archive.request(summary->id));
    if (!same_question(earlier, request)) {
      continue;
    }
    if (summary->outcome == task::Outcome::duplicate) {
      continue;  // It was of use to its campaign, and says nothing of this incumbent.
    }
    ASSAY_TRY_ASSIGN(auto evaluation, archive.evaluation(summary->id));
    if (evaluation && same_conditions(evaluation->environment, now)) {
      return evaluation;
    }
    if (evaluation && elsewhere != nullptr && elsewhere->empty()) {
      *elsewhere =
          fmt::format("{} answers the same question under other conditions, with which nothing is compared: {}",
                      evaluation->id, base::join(condition_differences(evaluation->environment, now), "; "));
    }
  }
  return std::nullopt;
}

base::Result<EvaluateReport> report_on(const archive::Archive& archive, task::Evaluation evaluation,
                                       const promote::Policy* policy) {
  EvaluateReport report;
  report.archive = archive.root();
  ASSAY_TRY_ASSIGN(report.request, archive.request(evaluation.id));
  if (!evaluation.candidate_build.built && !evaluation.candidate_build.log_file.empty()) {
    ASSAY_TRY_ASSIGN(const std::string log, archive.bundle_file(evaluation.id, evaluation.candidate_build.log_file));
    report.compiler_errors = first_errors(log, kErrorLines);
  }
  if (evaluation.comparison) {
    ASSAY_TRY_ASSIGN(const std::vector<task::Sample> samples, archive.samples(evaluation.id));
    report.reported =
        promote::reported_interval({promote::blocks_of(report.request, samples)}, report.request.plan.alpha);
    if (policy != nullptr && evaluation.stage == task::Stage::sweep) {
      ASSAY_TRY_ASSIGN(report.decision, promote::decide(report.request, evaluation, samples, *policy));
    }
  }
  ASSAY_TRY_ASSIGN(report.same_builds,
                   archive.same_builds(report.request.definition.name, evaluation.candidate.content));
  report.evaluation = std::move(evaluation);
  return report;
}

base::Result<EvaluateReport> judge_once(const Context& context, archive::Archive& archive,
                                        task::EvaluationRequest request, const promote::Policy& policy, Reuse reuse) {
  if (reuse == Reuse::stored && is_edited_incumbent(request)) {
    ASSAY_TRY(archive.record_candidate(request.candidate));
    return duplicate_of_incumbent(std::move(request), archive.root());
  }
  std::string elsewhere;
  if (reuse == Reuse::stored) {
    ASSAY_TRY_ASSIGN(auto stored, from_archive(context, archive, request, policy, elsewhere));
    if (stored) {
      return std::move(*stored);
    }
  }
  request.id = fresh_evaluation_id(task::identify(request.candidate).content);
  ASSAY_TRY_ASSIGN(const os::Path bundle, context.make_runner()->run(request, archive.spool(), context.on_progress));
  ASSAY_TRY_ASSIGN(task::Evaluation evaluation, archive.ingest(bundle, "", std::nullopt));
  ASSAY_TRY_ASSIGN(EvaluateReport report, report_on(archive, std::move(evaluation), &policy));
  report.elsewhere = std::move(elsewhere);
  return report;
}

}  // namespace assay::service
