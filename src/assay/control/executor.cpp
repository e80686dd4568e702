#include <assay/control/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include <assay/archive/bundle.hpp>
#include <assay/control/agent_runs.hpp>
#include <assay/control/evaluation_costs.hpp>
#include <assay/control/injections.hpp>
#include <assay/control/lessons.hpp>
#include <assay/control/lineage.hpp>
#include <assay/control/mailbox.hpp>
#include <assay/control/narration.hpp>
#include <assay/control/proposals.hpp>
#include <assay/control/requests.hpp>
#include <assay/control/situation.hpp>
#include <assay/control/stored_solution.hpp>
#include <assay/control/void_confirmation.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/promote/representatives.hpp>
#include <assay/task/bundle.hpp>

namespace assay::control {
namespace {

constexpr const char* kInterrupted = "controller.ended";
constexpr const char* kBudgetSpent = "budget.spent";
constexpr const char* kJudgeTimedOut = "judge.timed_out";
constexpr std::chrono::seconds kTimeToDie{2};

// A bundle of this id may lie in the spool from an earlier run; it must answer this very question.
bool same_question(const task::EvaluationRequest& a, const task::EvaluationRequest& b) {
  const auto same_uuid = [](const task::Workload& x, const task::Workload& y) { return x.uuid == y.uuid; };
  return a.id == b.id && a.stage == b.stage && a.device == b.device && a.definition.name == b.definition.name &&
         task::encode(a.plan) == task::encode(b.plan) && task::identify(a.candidate) == task::identify(b.candidate) &&
         a.incumbent.has_value() == b.incumbent.has_value() &&
         (!a.incumbent || task::identify(*a.incumbent) == task::identify(*b.incumbent)) &&
         std::equal(a.workloads.begin(), a.workloads.end(), b.workloads.begin(), b.workloads.end(), same_uuid);
}

base::Result<Executor::Answer> read_answer(const task::EvaluationRequest& request, const archive::Bundle& bundle) {
  ASSAY_TRY_ASSIGN(archive::BundleContents contents, archive::decode_contents(bundle));
  if (!same_question(contents.request, request)) {
    return base::internal_error(
        "control.other_request",
        fmt::format("{}: the bundle answers another request than evaluation {}: keep the folder "
                    "and report this",
                    bundle.source, request.id));
  }
  const archive::BundleFile* file = bundle.find(task::kSamplesFile);
  ASSAY_CHECK(file != nullptr);  // decode_contents has read it
  const std::string source = bundle.source + "/" + std::string(task::kSamplesFile);
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(file->content, source));
  ASSAY_TRY_ASSIGN(std::vector<task::Sample> samples, task::decode_samples(json, source));
  return Executor::Answer{std::move(contents.evaluation), std::move(samples)};
}

tl::unexpected<base::Error> contradiction(const std::string& evaluation, const std::string& what) {
  return base::internal_error("control.contradiction",
                              fmt::format("evaluation {}: {}: keep the bundle and report this", evaluation, what));
}

base::Result<Entry> baseline_entry(const CampaignConfiguration& configuration, const task::Evaluation& evaluation) {
  if (evaluation.outcome != task::Outcome::measured) {
    return BaselineFailed{evaluation.id, evaluation.outcome, evaluation.cause};
  }
  BaselineMeasured entry;
  entry.evaluation = evaluation.id;
  for (const task::WorkloadTiming& timing : evaluation.timings) {
    entry.baseline_ns.push_back(timing.candidate_ns.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  const bool complete = entry.baseline_ns.size() == configuration.workloads.size() &&
                        std::all_of(entry.baseline_ns.begin(), entry.baseline_ns.end(),
                                    [](double ns) { return ns > 0 && std::isfinite(ns); });
  if (!complete) {
    return contradiction(evaluation.id, "the baseline is said to be measured, and a workload has no latency");
  }
  entry.regimes = promote::choose_representatives(configuration.workloads, entry.baseline_ns,
                                                  static_cast<std::size_t>(configuration.policy.gate_workloads));
  return entry;
}

// For gates of candidates and of injections; both name their subject first.
template <class Gated>
base::Result<Entry> gate_entry(int subject, const task::EvaluationRequest& request, const Executor::Answer& answer) {
  const task::Evaluation& evaluation = answer.evaluation;
  ASSAY_TRY_ASSIGN(const stats::PairedComparison comparison, promote::recompute(request, evaluation, answer.samples));
  Gated entry{subject, evaluation.id, evaluation.outcome, evaluation.cause, std::nullopt};
  if constexpr (std::is_same_v<Gated, CandidateGated>) {
    entry.duplicate = repeated(request, evaluation);
  }
  if (task::is_correct(evaluation.outcome)) {
    if (!comparison.complete || comparison.table.pairs == 0) {
      return contradiction(evaluation.id, fmt::format("it is said to be {}, and samples are missing",
                                                      task::to_string(evaluation.outcome)));
    }
    const stats::PairedInterval& interval = comparison.decision.interval;
    entry.log_ratio = LogRatio{interval.mean, interval.lower, interval.upper};
  }
  return entry;
}

// For sweeps, of injections too, and confirmations. A winner's cause is the judge's; where the incumbent stays, what
// decided.
template <class Swept>
base::Result<Entry> swept_entry(int subject, const task::EvaluationRequest& request, const Executor::Answer& answer,
                                const promote::Policy& policy) {
  ASSAY_TRY_ASSIGN(promote::Decision decision, promote::decide(request, answer.evaluation, answer.samples, policy));
  std::string cause = task::is_correct(answer.evaluation.outcome) ? decision.reasons.front() : answer.evaluation.cause;
  return Swept{subject, answer.evaluation.id, answer.evaluation.outcome, std::move(cause), std::move(decision)};
}

// What a candidate's gate or sweep is in the journal: an attempt that failed, if the session says nothing about it. It is
// made again then, and neither counts as the candidate's loss nor spends the campaign's error.
base::Result<Entry> unless_void(const PendingEvaluation& target, const task::EvaluationRequest& request,
                                const Executor::Answer& answer, Entry entry) {
  ASSAY_TRY_ASSIGN(const std::string nothing, why_void_comparison(request, answer.evaluation, answer.samples));
  if (nothing.empty()) {
    return entry;
  }
  return EvaluationFailed{target.evaluation, std::string(kVoidComparison),
                          fmt::format("the {} of candidate {} says nothing about it: {}", to_string(target.purpose),
                                      target.candidate, nothing)};
}

// The event that a result means for its subject.
base::Result<Entry> entry_of(const PendingEvaluation& target, const task::EvaluationRequest& request,
                             const Executor::Answer& answer, const CampaignConfiguration& configuration) {
  switch (target.purpose) {
    case Purpose::baseline:
      return baseline_entry(configuration, answer.evaluation);
    case Purpose::gate: {
      ASSAY_TRY_ASSIGN(Entry gated, gate_entry<CandidateGated>(target.candidate, request, answer));
      return unless_void(target, request, answer, std::move(gated));
    }
    case Purpose::sweep: {
      ASSAY_TRY_ASSIGN(Entry swept,
                       swept_entry<CandidateSwept>(target.candidate, request, answer, configuration.policy));
      return unless_void(target, request, answer, std::move(swept));
    }
    case Purpose::null_gate:
    case Purpose::slower_gate:
      return gate_entry<InjectionGated>(target.candidate, request, answer);
    case Purpose::null_sweep:
      return swept_entry<InjectionSwept>(target.candidate, request, answer, configuration.policy);
    case Purpose::confirmation:
      break;
  }
  ASSAY_TRY_ASSIGN(Entry confirmed,
                   swept_entry<CampaignConfirmed>(target.candidate, request, answer, configuration.policy));
  ASSAY_TRY_ASSIGN(const std::string nothing, why_void(request, answer.evaluation, answer.samples));
  if (!nothing.empty()) {
    return EvaluationFailed{
        target.evaluation, std::string(kVoidSession),
        fmt::format("the confirmation of candidate {} says nothing about it: {}", target.candidate, nothing)};
  }
  return confirmed;
}

archive::Append append_of(const CampaignConfiguration& configuration, const CampaignState& state,
                          const std::vector<Entry>& entries) {
  archive::Append append{configuration.name, state.last_sequence, {}};
  std::transform(entries.begin(), entries.end(), std::back_inserter(append.events), encode_entry);
  return append;
}

}  // namespace

Executor::Executor(archive::Archive& archive, const CampaignConfiguration& configuration, CampaignState state,
                   Evaluator& evaluator, agent::Proposer& proposer, const Observer& observer)
    : archive_(archive),
      configuration_(configuration),
      state_(std::move(state)),
      evaluator_(evaluator),
      proposer_(proposer),
      observer_(observer) {}

base::Result<void> Executor::perform(const Action& action) {
  return std::visit([this](const auto& one) { return perform_one(one); }, action);
}

base::Result<void> Executor::take_messages() {
  if (state_.last_sequence == 0) {
    return {};  // A journal begins with its own event.
  }
  ASSAY_TRY_ASSIGN(const std::vector<Message> messages, waiting_messages(archive_.root(), configuration_.name));
  for (const Message& message : messages) {
    CampaignState tried = state_;
    auto [kind, body] = encode_entry(message.entry);
    const auto fits = apply(configuration_, {state_.last_sequence + 1, std::move(kind), std::move(body), {}}, tried);
    if (fits) {
      ASSAY_TRY(record(message.entry));
    } else if (observer_.on_event) {
      observer_.on_event(state_,
                         "a message of a person does not fit any more, and is dropped: " + fits.error().message);
    }
    ASSAY_TRY(remove_message(message));
  }
  return {};
}

base::Result<void> Executor::perform_one(const Start& /*start*/) { return record(CampaignStarted{}); }

base::Result<void> Executor::perform_one(const PromoteByPolicy& promotion) {
  const auto& decision = state_.candidate(promotion.candidate).decision;
  ASSAY_CHECK(decision);
  return record(
      CandidatePromoted{promotion.candidate, "policy " + configuration_.policy.name, decision->reasons.front()});
}

base::Result<void> Executor::perform_one(const Note& note) { return record(note.entry); }

base::Result<void> Executor::perform_one(const Demote& demotion) {
  const ConfirmationState& failed = state_.confirmations.back();
  const std::vector<int>& reign = state_.reign;
  ASSAY_CHECK(failed.candidate == demotion.candidate && !reign.empty());
  return record(CandidateDemoted{demotion.candidate, reign.size() > 1 ? reign[reign.size() - 2] : 0,
                                 "not confirmed against the baseline in a new session: " + failed.cause});
}

base::Result<void> Executor::perform_one(const Inject& injection) {
  InjectionMade made = injection.made;
  ASSAY_TRY_ASSIGN(const task::Solution original, solution(made.of));
  ASSAY_TRY_ASSIGN(const task::Solution injected, inject(made.kind, made.number, original));
  made.name = injected.name;
  made.identity = task::identify(injected);
  ASSAY_TRY(archive_.record_candidate(injected));
  return record(std::move(made));
}

base::Result<void> Executor::perform_one(const Finish& /*finish*/) {
  return record(CampaignFinished{state_.incumbent_number()});
}

base::Result<void> Executor::perform_one(const Stop& /*stop*/) { return {}; }

base::Result<void> Executor::perform_one(const Propose& propose) {
  std::vector<agent::Proposal> proposals;
  std::string proposer = "supplied";
  if (propose.round == 0) {
    proposals = supplied_proposals(configuration_);
  } else {
    proposer = proposer_.name();
    ASSAY_TRY_ASSIGN(const std::vector<agent::Trial> trials, history());
    AgentRuns runs(configuration_, state_, [this](const Entry& entry) { return record(entry); });
    proposer_.attend(situation_of(configuration_, state_), runs);
    ASSAY_TRY_ASSIGN(proposals, proposer_.propose(trials, configuration_.candidates_per_round));
    if (!proposer_.is_running()) {
      ASSAY_TRY(runs.end_abandoned());
    }
    static_cast<void>(evaluator_.lap());  // Runs of agents say themselves how long they took.
    if (proposals.size() > static_cast<std::size_t>(configuration_.candidates_per_round)) {
      return base::internal_error("proposer.too_many",
                                  fmt::format("{} was asked for {} proposals and made {}", proposer,
                                              configuration_.candidates_per_round, proposals.size()));
    }
  }
  for (const agent::Proposal& proposal : proposals) {
    if (proposal.solution.definition != configuration_.definition.name) {
      return base::input_error(
          "proposer.definition",
          fmt::format("{} proposed \"{}\", a solution of \"{}\"; the campaign is about \"{}\"", proposer,
                      proposal.solution.name, proposal.solution.definition, configuration_.definition.name));
    }
    ASSAY_TRY(archive_.record_candidate(proposal.solution));
  }
  return record_all(round_entries(state_, configuration_, propose.round, proposer, proposals));
}

base::Result<void> Executor::perform_one(const Evaluate& evaluate) {
  ASSAY_TRY(prepare(evaluate.target));
  if (!evaluate.intended) {
    ASSAY_TRY(record(EvaluationIntended{evaluate.target.purpose, evaluate.target.candidate,
                                        compared_with(state_, evaluate.target.purpose), evaluate.target.attempt,
                                        evaluate.target.evaluation, evaluate.most}));
  } else if (is_interrupted(evaluate.target)) {
    // Nobody knows how long the judge ran before it died with its controller.
    return record(EvaluationFailed{evaluate.target.evaluation, kInterrupted, "the controller ended while it ran",
                                   evaluate.most.value_or(Amounts())});
  }
  const auto allowed = allowed_time(configuration_, evaluate.most);
  evaluator_.allow(allowed);
  auto result = attempt(evaluate.target, evaluate.most);
  if (result) {
    attempts_ = 0;
    return {};
  }
  if (result.error().owner != base::Owner::environment) {
    return result;
  }
  const auto lap = evaluator_.lap();
  const bool at_the_budget = result.error().code == kBudgetSpent || (allowed && result.error().code == kJudgeTimedOut &&
                                                                     lap.value_or(*allowed) + kTimeToDie >= *allowed);
  if (state_.pending) {  // Not yet in the journal, as a session is that said nothing.
    const auto recorded =
        record(EvaluationFailed{evaluate.target.evaluation, result.error().code, result.error().text(),
                                at_the_budget ? evaluate.most : cost_of_failure(lap)});
    if (!recorded) {
      result.error().context.push_back("and the journal could not take it: " + recorded.error().text());
      return result;
    }
  }
  if (at_the_budget) {
    attempts_ = 0;  // Whether there is another is the budget's question.
    return {};
  }
  if (++attempts_ < kAttemptsPerRun) {
    return {};
  }
  return base::with_context(
      std::move(result),
      fmt::format("{} attempts failed; mend the cause, then resume campaign {}", attempts_, configuration_.name));
}

base::Result<void> Executor::prepare(const PendingEvaluation& target) {
  std::vector<task::Solution> solutions;
  if (target.purpose == Purpose::baseline && !prepared_baseline_) {
    prepared_baseline_ = true;
    solutions.push_back(configuration_.baseline);
  }
  if (target.purpose == Purpose::gate && prepared_round_ != state_.candidate(target.candidate).round) {
    prepared_round_ = state_.candidate(target.candidate).round;
    ASSAY_TRY_ASSIGN(solutions.emplace_back(), solution(state_.incumbent_number()));
    for (const CandidateState& candidate : state_.candidates) {
      if (!candidate.outcome) {
        ASSAY_TRY_ASSIGN(solutions.emplace_back(), solution(candidate.number));
      }
    }
  }
  if (target.purpose == Purpose::null_gate && prepared_injection_ != target.candidate) {
    prepared_injection_ = target.candidate;
    ASSAY_TRY_ASSIGN(solutions.emplace_back(), subject(target));
  }
  return solutions.empty() ? base::Result<void>{} : evaluator_.prepare(solutions);
}

// On a simulated device the clock died with the judge: it is made again, and measures the same.
bool Executor::is_interrupted(const PendingEvaluation& target) const {
  std::error_code error;
  return !simulated_seed(configuration_.device) &&
         !std::filesystem::exists(archive_.spool() / target.evaluation / task::kManifestFile, error);
}

base::Result<void> Executor::attempt(const PendingEvaluation& target, const std::optional<Amounts>& most) {
  ASSAY_TRY_ASSIGN(task::Solution candidate, subject(target));
  ASSAY_TRY_ASSIGN(task::Solution incumbent, solution(compared_with(state_, target.purpose)));
  task::EvaluationRequest request =
      make_request(configuration_, state_, target, std::move(candidate), std::move(incumbent));
  if (target.purpose == Purpose::gate) {
    ASSAY_TRY_ASSIGN(request.known_code, known_code_.before(target.candidate, state_, archive_));
  }
  ASSAY_TRY_ASSIGN(const os::Path folder, evaluator_.evaluate(request));
  ASSAY_TRY_ASSIGN(const archive::Bundle bundle, archive::read_bundle(folder));
  ASSAY_TRY_ASSIGN(const auto failure, archive::judge_error(bundle));
  if (failure) {
    // Ingesting sets the folder aside, out of the next attempt's way, and returns the judge's error.
    const auto refused = archive_.ingest(folder, configuration_.name, std::nullopt);
    return tl::unexpected(refused ? *failure : refused.error());
  }
  ASSAY_TRY_ASSIGN(const Answer answer, read_answer(request, bundle));
  ASSAY_TRY_ASSIGN(std::vector<Entry> entries, interpret(target, request, answer));
  const Amounts spent = cost_of(configuration_.device, answer.evaluation, answer.samples, evaluator_.lap());
  if (simulated_seed(configuration_.device) && passes(configuration_, most, spent)) {
    // A real judge would have been stopped there.
    ASSAY_TRY(os::remove_tree(folder));
    return base::environment_error(kBudgetSpent,
                                   fmt::format("evaluation {} was stopped where the budget ends", target.evaluation));
  }
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.spent; }) {
          one.spent = spent;
        }
      },
      entries.front());
  ASSAY_TRY(ingest(folder, entries));
  if (const auto* failed = std::get_if<EvaluationFailed>(&entries.front())) {
    return base::environment_error(failed->code, failed->message);
  }
  return {};
}

base::Result<std::vector<Entry>> Executor::interpret(const PendingEvaluation& target,
                                                     const task::EvaluationRequest& request,
                                                     const Answer& answer) const {
  std::vector<Entry> entries;
  ASSAY_TRY_ASSIGN(entries.emplace_back(), entry_of(target, request, answer, configuration_));
  if (std::holds_alternative<EvaluationFailed>(entries.front())) {
    return entries;  // A session that says nothing teaches nothing.
  }
  ASSAY_TRY_ASSIGN(const std::vector<Entry> lessons,
                   lessons_of(state_, target, request, answer.evaluation, answer.samples));
  entries.insert(entries.end(), lessons.begin(), lessons.end());
  if (const auto* baseline = std::get_if<BaselineMeasured>(&entries.front())) {
    const std::vector<Entry> headroom = headroom_of(*baseline, answer.evaluation);
    entries.insert(entries.end(), headroom.begin(), headroom.end());
  }
  return entries;
}

base::Result<void> Executor::ingest(const os::Path& folder, const std::vector<Entry>& entries) {
  const std::string id = state_.pending->evaluation;
  auto ingested = archive_.ingest(folder, configuration_.name, append_of(configuration_, state_, entries));
  if (!ingested) {
    // The transaction may have landed and only the removal of the folder failed; `gc` removes it later.
    const auto stored = archive_.evaluation(id);
    if (!stored || !*stored || (*stored)->id != id) {
      return tl::unexpected(std::move(ingested.error()));
    }
  }
  for (const Entry& entry : entries) {
    ASSAY_TRY(follow(entry));
  }
  return {};
}

base::Result<void> Executor::record(const Entry& entry) { return record_all({entry}); }

base::Result<void> Executor::record_all(const std::vector<Entry>& entries) {
  ASSAY_TRY(archive_.append(append_of(configuration_, state_, entries)));
  for (const Entry& entry : entries) {
    ASSAY_TRY(follow(entry));
  }
  return {};
}

base::Result<void> Executor::follow(const Entry& entry) {
  auto [kind, body] = encode_entry(entry);
  ASSAY_TRY(apply(configuration_, {state_.last_sequence + 1, std::move(kind), std::move(body), {}}, state_));
  if (observer_.on_event) {
    observer_.on_event(state_, narrate(entry, state_));
  }
  return {};
}

base::Result<task::Solution> Executor::solution(int number) const {
  if (number == 0) {
    return configuration_.baseline;
  }
  const CandidateState& candidate = state_.candidate(number);
  if (candidate.round == 0) {
    return configuration_.supplied[static_cast<std::size_t>(number - 1)];
  }
  return stored_solution(archive_, configuration_, candidate.identity, candidate.name,
                         fmt::format("candidate {}", number));
}

base::Result<task::Solution> Executor::subject(const PendingEvaluation& target) const {
  switch (target.purpose) {
    case Purpose::null_gate:
    case Purpose::null_sweep:
    case Purpose::slower_gate: {
      const InjectionMade& made = state_.injection(target.candidate).made;
      return stored_solution(archive_, configuration_, made.identity, made.name,
                             fmt::format("injection {}", made.number));
    }
    case Purpose::baseline:
    case Purpose::gate:
    case Purpose::sweep:
    case Purpose::confirmation:
      break;
  }
  return solution(target.candidate);
}

base::Result<std::vector<agent::Trial>> Executor::history() const {
  std::vector<agent::Trial> trials;
  for (const CandidateState& candidate : state_.candidates) {
    agent::Trial trial;
    trial.number = candidate.number;
    ASSAY_TRY_ASSIGN(trial.solution, solution(candidate.number));
    trial.outcome = candidate.outcome.value_or(task::Outcome::duplicate);
    trial.log_ratio_to_baseline = candidate.log_ratio_to_baseline;
    trial.change = candidate.hypothesis.change;
    trial.cause = candidate.cause;
    ASSAY_TRY(add_lineage(archive_, configuration_, state_, candidate, trial));
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace assay::control
