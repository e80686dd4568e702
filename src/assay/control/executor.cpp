#include <assay/control/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

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
#include <assay/control/results.hpp>
#include <assay/control/situation.hpp>
#include <assay/control/stored_solution.hpp>
#include <assay/promote/decision.hpp>
#include <assay/task/bundle.hpp>

namespace assay::control {
namespace {

constexpr const char* kInterrupted = "controller.ended";
constexpr const char* kBudgetSpent = "budget.spent";
constexpr const char* kJudgeTimedOut = "judge.timed_out";
constexpr std::chrono::seconds kTimeToDie{2};

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

base::Result<void> Executor::perform_one(const Conclude& /*conclude*/) {
  const int up_to = state_.candidates.back().number;
  ASSAY_TRY_ASSIGN(const std::vector<agent::Trial> trials, history());
  AgentRuns runs(configuration_, state_, [this](const Entry& entry) { return record(entry); });
  proposer_.attend(situation_of(configuration_, state_), runs);
  ASSAY_TRY(proposer_.conclude(trials));
  ASSAY_TRY(runs.end_abandoned());
  static_cast<void>(evaluator_.lap());
  if (!state_.summaries.empty() && state_.summaries.back().up_to == up_to) {
    return {};
  }
  return runs.keep(agent::Summary{"", up_to, {}, {"whoever proposes here summarises nothing"}});
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
  ASSAY_TRY_ASSIGN(const JudgesAnswer answer, read_answer(request, bundle));
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
                                                     const JudgesAnswer& answer) const {
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
  if (!evidence_) {
    std::erase_if(entries, [](const Entry& entry) { return std::holds_alternative<EvidenceRecorded>(entry); });
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
