#include <assay/control/supervision.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <assay/supervise/words.hpp>

namespace assay::control {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr int kTriesOfRecovery = 2;  // Since the last promotion; then its cause is passed over.

supervise::AttemptKind kind_of(const CandidateState& candidate) {
  if (candidate.outcome == task::Outcome::duplicate) {
    return supervise::AttemptKind::repeated;
  }
  return task::is_correct(*candidate.outcome) ? supervise::AttemptKind::measured : supervise::AttemptKind::failed;
}

bool is_undecided(const CandidateState& candidate, double minimum_effect) {
  return candidate.outcome == task::Outcome::indistinguishable && candidate.gate_log_ratio &&
         (candidate.gate_log_ratio->upper - candidate.gate_log_ratio->lower) / 2 > minimum_effect;
}

bool search_goes_on(const CampaignState& state, const CampaignConfiguration& configuration) {
  return !state.exhausted && state.rounds_started < configuration.rounds;
}

std::optional<DecisionClosed> due_closing(const CampaignState& state) {
  const DecisionState* open = state.supervision.open_decision(DecisionKind::search);
  if (open == nullptr) {
    return std::nullopt;
  }
  if (state.reign.size() > open->promotions) {
    return DecisionClosed{open->asked.number, Closing::overtaken};
  }
  if (open->asked.deadline && state.current_round() >= *open->asked.deadline) {
    return DecisionClosed{open->asked.number, Closing::deadline};
  }
  return std::nullopt;
}

// Was it said already of this stretch?
bool is_told(const supervise::Finding& finding, const CampaignState& state, const supervise::Settings& settings) {
  return std::any_of(state.supervision.findings.begin(), state.supervision.findings.end(),
                     [&](const FindingState& one) {
                       return one.found.condition == finding.condition && one.promotions == state.reign.size() &&
                              finding.at - one.found.at < settings.window;
                     });
}

std::optional<SupervisorFound> due_finding(const CampaignState& state, const CampaignConfiguration& configuration) {
  const supervise::Settings settings = supervision_settings(state, configuration);
  for (supervise::Finding& finding : supervise::examine(campaign_history(state, configuration), settings)) {
    if (!is_told(finding, state, settings)) {
      return SupervisorFound{state.current_round(),      finding.condition, finding.cause,
                             finding.recovery,           finding.since,     finding.at,
                             std::move(finding.evidence)};
    }
  }
  return std::nullopt;
}

// Routes that a person could close.
bool has_routes(const CampaignState& state) {
  return std::any_of(state.memory.hypotheses.begin(), state.memory.hypotheses.end(), [](const HypothesisState& one) {
    return one.candidate && one.closed_by.empty() && !task::route_key(one.stated.mechanism).empty();
  });
}

// How much at most the best is above the roofline's floor: the mean over the regimes of what was modelled when the baseline was
// measured, less what the incumbent surely gained at the gates since. Nothing where a regime was not modelled, or elsewhere.
std::optional<double> roofline_headroom(const CampaignState& state) {
  double sum = 0;
  for (const promote::Regime& regime : state.regimes) {
    const auto headroom = newest_evidence(state.memory, task::EvidenceKind::headroom, regime.name);
    if (!headroom) {
      return std::nullopt;
    }
    sum += headroom->value;
  }
  const auto gained =
      state.incumbent ? state.candidate(*state.incumbent).log_ratio_to_baseline_upper : std::optional<double>(0);
  if (state.regimes.empty() || !gained) {
    return std::nullopt;
  }
  return sum / static_cast<double>(state.regimes.size()) + *gained;
}

std::optional<DecisionAsked> due_question(const CampaignState& state, const CampaignConfiguration& configuration) {
  const SupervisionState& supervision = state.supervision;
  if (supervision.findings.empty() || supervision.open_decision(DecisionKind::search) != nullptr ||
      !search_goes_on(state, configuration)) {
    return std::nullopt;
  }
  const FindingState& newest = supervision.findings.back();
  const bool asked =
      std::any_of(supervision.decisions.begin(), supervision.decisions.end(), [&](const DecisionState& one) {
        return one.asked.kind == DecisionKind::search && one.asked.round >= newest.found.round;
      });
  if (newest.found.recovery != supervise::Recovery::ask_person || newest.found.round != state.current_round() ||
      asked) {
    return std::nullopt;
  }
  DecisionAsked question;
  question.number = static_cast<int>(supervision.decisions.size()) + 1;
  question.kind = DecisionKind::search;
  question.round = state.current_round();
  question.question =
      fmt::format("{}, {}: {}", supervise::in_words(newest.found.condition),
                  newest.found.cause == supervise::Cause::none ? "for none of the known causes"
                                                               : supervise::in_words(newest.found.cause),
                  newest.found.evidence);
  question.options = {Option::go_on, Option::stop};
  if (configuration.agent) {
    for (const Option option : {Option::switch_model, Option::change_language, Option::give_reference,
                                Option::second_opinion, Option::restart_from}) {
      question.options.push_back(option);
    }
  }
  if (configuration.supervision->habits > 1 && has_routes(state)) {
    question.options.push_back(Option::close_route);
  }
  question.otherwise =
      newest.found.condition == supervise::Condition::diminishing_returns ? Option::go_on : Option::stop;
  question.deadline = state.current_round() + configuration.supervision->deadline_rounds;
  return question;
}

template <class Due>
std::optional<Entry> as_entry(std::optional<Due> due) {
  return due ? std::optional<Entry>(std::move(*due)) : std::nullopt;
}

std::string note_of(const FindingState& finding) {
  return fmt::format("The supervisor after round {}: {}; {}.", finding.found.round,
                     supervise::in_words(finding.found.condition), finding.found.evidence);
}

}  // namespace

std::string_view in_words(Option option) {
  switch (option) {
    case Option::go_on:
      return "go on as before";
    case Option::stop:
      return "propose nothing more, and confirm what there is";
    case Option::switch_model:
      return "let another model propose (--value NAME)";
    case Option::change_language:
      return "ask for another language or framework; --because names it, and is told to whoever proposes";
    case Option::give_reference:
      return "give a reference to study; --because names it, and is told to whoever proposes";
    case Option::second_opinion:
      return "let whoever proposes hear a second opinion, which is what --because says";
    case Option::restart_from:
      return "let whoever proposes start from another candidate (--value NUMBER)";
    case Option::close_route:
      return "close a route: it is not taken again unless what differs is stated (--value NUMBER of its hypothesis)";
    case Option::sweep:
      return "sweep it";
    case Option::skip:
      return "leave it unswept";
  }
  return "";
}

supervise::History campaign_history(const CampaignState& state, const CampaignConfiguration& configuration) {
  supervise::History history;
  const double minimum_effect = configuration.policy.gate.minimum_effect;
  for (const CandidateState& candidate : state.candidates) {
    if (!candidate.outcome || candidate.round == 0) {
      continue;
    }
    supervise::Attempt& attempt = history.attempts.emplace_back();
    attempt.number = candidate.number;
    attempt.code = candidate.identity.normalised.hex();
    attempt.kind = kind_of(candidate);
    attempt.undecided = is_undecided(candidate, minimum_effect);
    if (candidate.log_ratio_to_baseline && task::is_correct(*candidate.outcome)) {
      attempt.level = -*candidate.log_ratio_to_baseline;
    }
    if (candidate.promoted && !candidate.demotion && candidate.decision) {
      attempt.improvement = std::log(candidate.decision->speedup);
    }
  }
  if (configuration.supervision && configuration.supervision->habits > 1) {
    history.headroom = roofline_headroom(state);
  }
  return history;
}

supervise::Settings supervision_settings(const CampaignState& state, const CampaignConfiguration& configuration) {
  supervise::Settings settings;
  if (configuration.supervision) {
    settings.horizon = configuration.supervision->horizon;
    settings.least_probability = configuration.supervision->least_probability;
  }
  for (const supervise::Cause cause : {supervise::Cause::noise_floor, supervise::Cause::invalid_rate,
                                       supervise::Cause::cycling, supervise::Cause::roofline}) {
    const auto tries = std::count_if(state.supervision.findings.begin(), state.supervision.findings.end(),
                                     [&](const FindingState& one) {
                                       return one.found.cause == cause && one.promotions == state.reign.size() &&
                                              one.found.condition == supervise::Condition::plateau;
                                     });
    const bool no_more = cause == supervise::Cause::noise_floor && state.supervision.repeats_factor >= kMostRepeats;
    if (tries >= kTriesOfRecovery || no_more) {
      settings.spent.push_back(cause);
    }
  }
  return settings;
}

std::optional<Entry> due_supervision(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (!configuration.supervision || state.supervision.stopped) {
    return std::nullopt;
  }
  if (auto closing = as_entry(due_closing(state))) {
    return closing;
  }
  if (auto question = as_entry(due_question(state, configuration))) {
    return question;
  }
  return as_entry(due_finding(state, configuration));
}

double most_sweep_seconds(const CampaignState& state, const CampaignConfiguration& configuration) {
  const task::SessionPlan& plan = configuration.policy.sweep;
  const double one_of_each = std::accumulate(state.baseline_ns.begin(), state.baseline_ns.end(), 0.0);
  const double calls = (plan.samples_per_pair + 1.0) * plan.maximum_pairs * (plan.self_comparison ? 4 : 2);
  const double trials = state.baseline_ns.empty() ? 0
                                                  : static_cast<double>(configuration.policy.replay.trials) /
                                                        static_cast<double>(state.baseline_ns.size());
  return one_of_each * (calls + trials) / kNanosecondsPerSecond;
}

SweepPermission sweep_permission(int candidate, const CampaignState& state,
                                 const CampaignConfiguration& configuration) {
  if (!configuration.supervision || !configuration.supervision->ask_above_sweep_seconds) {
    return {};
  }
  const double limit = *configuration.supervision->ask_above_sweep_seconds;
  const double most = most_sweep_seconds(state, configuration);
  if (most <= limit) {
    return {};
  }
  if (const DecisionState* decision = state.supervision.about_sweep(candidate)) {
    return {decision->chosen() == Option::sweep, std::nullopt};
  }
  DecisionAsked question;
  question.number = static_cast<int>(state.supervision.decisions.size()) + 1;
  question.kind = DecisionKind::spend;
  question.round = state.current_round();
  question.candidate = candidate;
  question.question = fmt::format(
      "candidate {} won its gate; the calls of its sweep take up to {:.1f} s by the baseline's times, and more "
      "than {:.1f} s are not spent unasked",
      candidate, most, limit);
  question.options = {Option::sweep, Option::skip};
  question.otherwise = Option::skip;
  return {false, std::move(question)};
}

std::optional<DecisionClosed> overdue_at_resume(const CampaignState& state) {
  const DecisionState* open = state.supervision.open_decision(DecisionKind::spend);
  return open == nullptr ? std::nullopt : std::optional(DecisionClosed{open->asked.number, Closing::deadline});
}

std::vector<std::string> notes_for_proposer(const CampaignState& state) {
  std::vector<std::string> notes;
  for (const SteerState& steer : state.supervision.steers) {
    notes.push_back(fmt::format("{} says: {}", steer.steered.by, steer.steered.text));
  }
  for (const DecisionState& decision : state.supervision.decisions) {
    const bool told = decision.answered && (decision.answered->option == Option::change_language ||
                                            decision.answered->option == Option::give_reference ||
                                            decision.answered->option == Option::second_opinion);
    if (told) {
      notes.push_back(fmt::format("{} decided to {}: {}", decision.answered->by, to_string(decision.answered->option),
                                  decision.answered->why));
    }
  }
  for (const FindingState& finding : state.supervision.findings) {
    if (finding.promotions == state.reign.size()) {  // Older ones are about another incumbent.
      notes.push_back(note_of(finding));
    }
  }
  return notes;
}

bool comes_from_person(const Entry& entry) {
  return std::holds_alternative<DecisionAnswered>(entry) || std::holds_alternative<PersonSteered>(entry);
}

}  // namespace assay::control
