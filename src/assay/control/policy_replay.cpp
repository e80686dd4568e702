#include <assay/control/policy_replay.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include <assay/agent/tuner.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/executor.hpp>
#include <assay/control/next_action.hpp>
#include <assay/control/recorded_campaign.hpp>
#include <assay/control/recorded_evaluator.hpp>
#include <assay/control/recorded_proposer.hpp>
#include <assay/control/rejudging_evaluator.hpp>
#include <assay/control/requests.hpp>

namespace assay::control {
namespace {

bool is_decided_by_policy(Purpose purpose) {
  return purpose == Purpose::sweep || purpose == Purpose::confirmation || purpose == Purpose::null_sweep;
}

base::Result<std::string> decided(const Judgement& judgement, Purpose purpose, const promote::Policy& policy) {
  if (!is_decided_by_policy(purpose)) {
    return std::string(task::to_string(judgement.evaluation.outcome));
  }
  ASSAY_TRY_ASSIGN(const promote::Decision decision,
                   promote::decide(judgement.request, judgement.evaluation, judgement.samples, policy));
  return std::string(promote::to_string(decision.verdict));
}

bool of_an_injection(Purpose purpose) {
  return purpose == Purpose::null_gate || purpose == Purpose::null_sweep || purpose == Purpose::slower_gate;
}

std::string subject_words(const CampaignState& state, const EvaluationIntended& entry) {
  if (of_an_injection(entry.purpose)) {
    return fmt::format("injection {}", entry.candidate);
  }
  return entry.candidate == 0
             ? std::string("the baseline")
             : fmt::format("candidate {} ({})", entry.candidate, state.candidate(entry.candidate).name);
}

// Each decision by itself: the other policy's plan at that place of the journal, over the samples that there are.
base::Result<std::vector<DecisionUnderPolicy>> decide_each(const archive::Archive& archive,
                                                           const RecordedCampaign& recorded,
                                                           const CampaignConfiguration& other) {
  std::vector<DecisionUnderPolicy> decisions;
  CampaignState state;
  for (std::size_t i = 0; i < recorded.events.size(); ++i) {
    const auto* intent = recorded.entries[i] ? std::get_if<EvaluationIntended>(&*recorded.entries[i]) : nullptr;
    const auto end = intent == nullptr ? recorded.ends.end() : recorded.ends.find(intent->evaluation);
    if (end != recorded.ends.end() && !end->second.failure && intent->purpose != Purpose::baseline) {
      DecisionUnderPolicy decision;
      decision.sequence = recorded.events[i].sequence;
      decision.evaluation = intent->evaluation;
      decision.purpose = to_string(intent->purpose);
      decision.subject = subject_words(state, *intent);
      ASSAY_TRY_ASSIGN(const Judgement measured, read_judgement(archive, intent->evaluation));
      ASSAY_TRY_ASSIGN(decision.recorded, decided(measured, intent->purpose, recorded.configuration.policy));
      const PendingEvaluation target{intent->purpose, intent->candidate, intent->attempt, intent->evaluation};
      task::EvaluationRequest asked =
          make_request(other, state, target, measured.request.candidate, *measured.request.incumbent);
      asked.workloads = measured.request.workloads;
      asked.known_code = measured.request.known_code;
      auto judged = rejudge(measured, asked);
      if (!judged && judged.error().code != kUnmeasured) {
        return tl::unexpected(std::move(judged.error()));
      }
      if (judged) {
        ASSAY_TRY_ASSIGN(decision.other, decided(*judged, intent->purpose, other.policy));
      } else {
        decision.unmeasured = judged.error().message;
      }
      decisions.push_back(std::move(decision));
    }
    ASSAY_TRY(apply(recorded.configuration, recorded.events[i], state));
  }
  return decisions;
}

// The campaign from its beginning under the other policy.
class OtherCampaign {
 public:
  OtherCampaign(const archive::Archive& archive, const RecordedCampaign& recorded,
                const CampaignConfiguration& configuration, archive::Archive& scratch)
      : archive_(archive),
        recorded_(recorded),
        configuration_(configuration),
        scratch_(scratch),
        evaluator_(archive, configuration.name, scratch.spool()),
        proposer_(archive, recorded) {}

  base::Result<CampaignState> run(std::optional<std::string>& stopped) {
    if (is_tuned(recorded_)) {
      ASSAY_TRY_ASSIGN(agent::Tuner tuner, agent::Tuner::create(*configuration_.tunable, configuration_.tuner_seed));
      tuner_ = std::make_unique<agent::Tuner>(std::move(tuner));
    }
    while (true) {
      const Action action = next_action(state_, configuration_);
      if (std::holds_alternative<Stop>(action)) {
        if (const DecisionState* open = state_.supervision.open_decision(DecisionKind::spend);
            open != nullptr && state_.phase == Phase::searching) {
          stopped = fmt::format("a person would be asked, who was not: {}", open->asked.question);
          return std::move(state_);
        }
        if (state_.phase != Phase::awaiting_approval) {
          return std::move(state_);
        }
        ASSAY_TRY_ASSIGN(const bool answered, answer());
        if (!answered) {
          stopped = fmt::format("candidate {} would wait for a person, who was not asked", *state_.awaiting);
          return std::move(state_);
        }
        continue;
      }
      proposer_.stand_at(state_.rounds_started + 1);
      agent::Proposer& proposer = tuner_ ? static_cast<agent::Proposer&>(*tuner_) : proposer_;
      const Observer nobody;
      Executor executor(scratch_, configuration_, state_, evaluator_, proposer, nobody);
      const auto performed = executor.perform(action);
      state_ = executor.state();
      if (!performed) {
        if (performed.error().code != kUnmeasured && performed.error().code != kBeyondTheRecord) {
          return tl::unexpected(performed.error());
        }
        stopped = performed.error().message;
        return std::move(state_);
      }
    }
  }

 private:
  // What a person said of the same candidate.
  base::Result<bool> answer() {
    const base::Digest content = state_.candidate(*state_.awaiting).identity.content;
    CampaignState then;
    for (std::size_t i = 0; i < recorded_.events.size(); ++i) {
      const std::optional<Entry>& entry = recorded_.entries[i];
      const auto* promoted = entry ? std::get_if<CandidatePromoted>(&*entry) : nullptr;
      const auto* refused = entry ? std::get_if<CandidateRefused>(&*entry) : nullptr;
      const int number = promoted != nullptr ? promoted->candidate : refused != nullptr ? refused->candidate : 0;
      if (number != 0 && then.candidate(number).identity.content == content) {
        const Entry same = promoted != nullptr ? Entry(CandidatePromoted{*state_.awaiting, promoted->by, promoted->why})
                                               : Entry(CandidateRefused{*state_.awaiting, refused->by, refused->why});
        ASSAY_TRY(scratch_.append({configuration_.name, state_.last_sequence, {encode_entry(same)}}));
        ASSAY_TRY_ASSIGN(state_, load_state(scratch_, configuration_));
        return true;
      }
      ASSAY_TRY(apply(recorded_.configuration, recorded_.events[i], then));
    }
    return false;
  }

  const archive::Archive& archive_;
  const RecordedCampaign& recorded_;
  const CampaignConfiguration& configuration_;
  archive::Archive& scratch_;
  RejudgingEvaluator evaluator_;
  RecordedProposer proposer_;
  std::unique_ptr<agent::Tuner> tuner_;
  CampaignState state_;
};

std::string fate(const CandidateState& candidate) {
  std::string words = candidate.outcome ? std::string(task::to_string(*candidate.outcome)) : "not judged";
  words += candidate.outrun ? ", not swept" : "";
  words += candidate.decision && !candidate.promoted ? ", swept and not promoted" : "";
  words += candidate.promoted ? ", promoted" : "";
  return words + (candidate.demotion ? ", demoted" : "");
}

const CandidateState* same_candidate(const CampaignState& state, const CandidateState& wanted) {
  // The same bytes may have been proposed twice.
  const auto number = static_cast<std::size_t>(wanted.number);
  if (number <= state.candidates.size() && state.candidate(wanted.number).identity.content == wanted.identity.content) {
    return &state.candidate(wanted.number);
  }
  const auto found = std::find_if(state.candidates.begin(), state.candidates.end(), [&](const CandidateState& one) {
    return one.identity.content == wanted.identity.content && one.round == wanted.round;
  });
  return found == state.candidates.end() ? nullptr : &*found;
}

std::vector<CandidateUnderPolicy> side_by_side(const CampaignState& recorded, const CampaignState& other) {
  std::vector<CandidateUnderPolicy> rows;
  for (const CandidateState& one : recorded.candidates) {
    const CandidateState* same = same_candidate(other, one);
    rows.push_back({one.number, one.name, fate(one), same == nullptr ? std::string() : fate(*same)});
  }
  for (const CandidateState& one : other.candidates) {
    if (same_candidate(recorded, one) == nullptr) {
      rows.push_back({one.number, one.name, std::string(), fate(one)});
    }
  }
  return rows;
}

std::string incumbent_name(const CampaignConfiguration& configuration, const CampaignState& state) {
  return state.incumbent ? state.candidate(*state.incumbent).name : configuration.baseline.name + " (baseline)";
}

}  // namespace

base::Result<PolicyReplay> replay_under_policy(const archive::Archive& archive, const std::string& campaign,
                                               const promote::Policy& policy, const os::Path& scratch) {
  ASSAY_TRY_ASSIGN(const RecordedCampaign recorded, read_recorded_campaign(archive, campaign));
  ASSAY_TRY_ASSIGN(const CampaignState as_recorded, fold(recorded.configuration, recorded.events));
  CampaignConfiguration configuration = recorded.configuration;
  configuration.policy = policy;
  configuration.policy.injections = recorded.configuration.policy.injections;
  configuration.budget = {};
  if (configuration.agent) {
    configuration.agent->budget = {};
  }
  ASSAY_TRY_ASSIGN(archive::Archive own, archive::Archive::open_writer(scratch / "archive"));
  ASSAY_TRY(
      own.create_campaign({campaign, configuration.definition.name, base::dump_compact(encode(configuration)), {}}));
  PolicyReplay replay;
  replay.campaign = campaign;
  replay.policy = policy.name;
  replay.recorded_policy = recorded.configuration.policy.name;
  ASSAY_TRY_ASSIGN(replay.decisions, decide_each(archive, recorded, configuration));
  OtherCampaign other(archive, recorded, configuration, own);
  ASSAY_TRY_ASSIGN(const CampaignState state, other.run(replay.stopped));
  replay.candidates = side_by_side(as_recorded, state);
  replay.recorded_incumbent = incumbent_name(recorded.configuration, as_recorded);
  replay.incumbent = incumbent_name(configuration, state);
  replay.phase = to_string(state.phase);
  return replay;
}

base::Json encode(const PolicyReplay& replay) {
  const auto text = [](const std::string& value) { return value.empty() ? base::Json() : base::Json(value); };
  base::Json decisions = base::Json::array();
  for (const DecisionUnderPolicy& one : replay.decisions) {
    decisions.push_back({{"sequence", one.sequence},
                         {"evaluation", one.evaluation},
                         {"purpose", one.purpose},
                         {"subject", one.subject},
                         {"recorded", one.recorded},
                         {"other", text(one.other)},
                         {"unmeasured", text(one.unmeasured)}});
  }
  base::Json candidates = base::Json::array();
  for (const CandidateUnderPolicy& one : replay.candidates) {
    candidates.push_back(
        {{"number", one.number}, {"name", one.name}, {"recorded", text(one.recorded)}, {"other", text(one.other)}});
  }
  return {{"campaign", replay.campaign},
          {"policy", replay.policy},
          {"recorded_policy", replay.recorded_policy},
          {"decisions", std::move(decisions)},
          {"candidates", std::move(candidates)},
          {"recorded_incumbent", replay.recorded_incumbent},
          {"incumbent", replay.incumbent},
          {"phase", replay.phase},
          {"stopped", replay.stopped ? base::Json(*replay.stopped) : base::Json()}};
}

}  // namespace assay::control
