#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/control/memory_view.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/supervision_report.hpp>

namespace assay::service {
namespace {

base::Json text_or_null(const std::string& text) { return text.empty() ? base::Json(nullptr) : base::Json(text); }

template <class T>
base::Json value_or_null(const std::optional<T>& value) {
  return value ? base::Json(*value) : base::Json(nullptr);
}

base::Json encode_outrun(const std::optional<control::Outrun>& outrun) {
  if (!outrun) {
    return nullptr;
  }
  return {{"by", outrun->by}, {"ground", control::to_string(outrun->ground)}, {"why", outrun->why}};
}

base::Json encode_candidate(const control::CandidateState& candidate) {
  base::Json json;
  json["number"] = candidate.number;
  json["round"] = candidate.round;
  json["digest"] = candidate.identity.content.hex();
  json["name"] = candidate.name;
  json["parent"] = value_or_null(candidate.parent);
  json["parameters"] = base::Json::object();
  for (const auto& [name, value] : candidate.parameters) {
    json["parameters"][name] = value;
  }
  json["hypothesis"] = {{"regime", candidate.hypothesis.regime},
                        {"limiting_resource", candidate.hypothesis.limiting_resource},
                        {"change", candidate.hypothesis.change},
                        {"predicted_effect", candidate.hypothesis.predicted_effect}};
  json["outcome"] = candidate.outcome ? base::Json(task::to_string(*candidate.outcome)) : base::Json(nullptr);
  json["cause"] = candidate.cause;
  json["duplicate_of"] = value_or_null(candidate.duplicate_of);
  json["gate_evaluation"] = text_or_null(candidate.gate_evaluation);
  json["sweep_evaluation"] = text_or_null(candidate.sweep_evaluation);
  json["speedup"] =
      candidate.log_ratio_to_baseline ? base::Json(std::exp(-*candidate.log_ratio_to_baseline)) : base::Json(nullptr);
  json["decision"] = candidate.decision ? promote::encode(*candidate.decision) : base::Json(nullptr);
  json["promoted"] = candidate.promoted;
  json["answered_by"] = text_or_null(candidate.answered_by);
  json["answer"] = text_or_null(candidate.answer);
  json["outrun"] = encode_outrun(candidate.outrun);
  json["demoted"] = value_or_null(candidate.demotion);
  return json;
}

base::Json encode_confirmation(const control::ConfirmationState& confirmation) {
  return {{"candidate", confirmation.candidate},
          {"evaluation", confirmation.evaluation},
          {"outcome", task::to_string(confirmation.outcome)},
          {"cause", confirmation.cause},
          {"holds", confirmation.holds()},
          {"decision", promote::encode(confirmation.decision)}};
}

base::Json encode_injection(const control::InjectionState& injection) {
  base::Json json;
  json["number"] = injection.made.number;
  json["kind"] = control::to_string(injection.made.kind);
  json["round"] = injection.made.round;
  json["of"] = injection.made.of;
  json["name"] = injection.made.name;
  json["digest"] = injection.made.identity.content.hex();
  json["outcome"] = injection.outcome ? base::Json(task::to_string(*injection.outcome)) : base::Json(nullptr);
  json["cause"] = injection.cause;
  json["gate_evaluation"] = text_or_null(injection.gate_evaluation);
  json["sweep_evaluation"] = text_or_null(injection.sweep_evaluation);
  json["speedup"] = injection.log_ratio ? base::Json(std::exp(-injection.log_ratio->mean)) : base::Json(nullptr);
  json["decision"] = injection.decision ? promote::encode(*injection.decision) : base::Json(nullptr);
  json["alarm"] = text_or_null(injection.alarm);
  json["warning"] = text_or_null(injection.warning);
  return json;
}

// The sweep that promoted the incumbent, against the incumbent of that time: what it was chosen by, and no more.
base::Json encode_screening(const control::CampaignState& state) {
  if (!state.incumbent) {
    return nullptr;
  }
  const control::CandidateState& incumbent = state.candidate(*state.incumbent);
  const auto& reign = state.reign;
  return {{"against", reign.size() > 1 ? reign[reign.size() - 2] : 0},
          {"evaluation", text_or_null(incumbent.sweep_evaluation)},
          {"decision", incumbent.decision ? promote::encode(*incumbent.decision) : base::Json(nullptr)}};
}

template <class Items, class Encode>
base::Json encode_each(const Items& items, const Encode& encode_one) {
  base::Json all = base::Json::array();
  for (const auto& item : items) {
    all.push_back(encode_one(item));
  }
  return all;
}

base::Json encode_run(const control::AgentRunState& run) {
  return {{"run", run.id},
          {"agent", run.agent},
          {"outcome", run.outcome ? base::Json(std::string(agent::to_string(*run.outcome))) : base::Json(nullptr)},
          {"cause", text_or_null(run.cause)},
          {"session", text_or_null(run.session)},
          {"model", text_or_null(run.model)}};
}

base::Json encode_agent(const CampaignStatus& status) {
  base::Json outcomes = base::Json::array();
  for (const agent::RunOutcome outcome : status.state.agent_outcomes) {
    outcomes.push_back(std::string(agent::to_string(outcome)));
  }
  base::Json arms = base::Json::object();
  const auto all = status.configuration.agent->arms();
  for (const control::AgentArm& arm : all) {
    const std::string name = control::arm_name(arm, all.size() == 1);
    arms[name] = std::count_if(status.state.runs.begin(), status.state.runs.end(),
                               [&](const control::AgentRunState& run) { return run.agent == name; });
  }
  base::Json json = {{"word", status.configuration.agent->word},
                     {"arms", std::move(arms)},
                     {"runs", status.state.agent_runs},
                     {"outcomes", std::move(outcomes)},
                     {"sessions", encode_each(status.state.runs, encode_run)},
                     {"budget_reached", text_or_null(status.state.budget_reached)},
                     {"ledger", control::encode(status.state.ledger)}};
  if (const auto& roles = status.configuration.agent->full_agent) {
    const auto encode_one = [](const auto& one) { return agent::encode(one); };
    json["full_agent"] = {{"planner", roles->planner},
                          {"summariser", roles->summariser},
                          {"plans", encode_each(status.state.plans, encode_one)},
                          {"summaries", encode_each(status.state.summaries, encode_one)}};
  }
  return json;
}

base::Json encode_spending(const control::CampaignState& state) {
  return {{"ledger", control::encode(state.ledger)},
          {"promotions", encode_each(state.promotion_costs,
                                     [](const control::PromotionCost& one) {
                                       return base::Json{{"candidate", one.candidate},
                                                         {"cost", control::encode(one.cost)}};
                                     })},
          {"since_promotion", control::encode(state.spent_since_promotion())},
          {"budget_reached", text_or_null(state.budget_reached)},
          {"stopped_by_budget", state.stopped_by_budget},
          {"raised", encode_each(state.raises, [](const control::BudgetRaised& one) {
             return base::Json{{"by", one.by}, {"limits", control::encode(one.limits)}};
           })}};
}

}  // namespace

base::Json encode(const CampaignStatus& status) {
  const control::CampaignState& state = status.state;
  base::Json json;
  json["name"] = status.configuration.name;
  json["definition"] = status.configuration.definition.name;
  json["device"] = status.configuration.device;
  json["policy"] = status.configuration.policy.name;
  json["created"] = status.created;
  json["phase"] = control::to_string(state.phase);
  json["baseline"] = status.configuration.baseline.name;
  json["incumbent"] = value_or_null(state.incumbent);
  json["awaiting"] = value_or_null(state.awaiting);
  json["rounds_started"] = state.rounds_started;
  json["failure"] = text_or_null(state.failure);
  json["failed_attempts"] = state.failed_attempts;
  json["last_failure"] = text_or_null(state.last_failure);
  json["baseline_evaluation"] = text_or_null(state.baseline_evaluation);
  json["confirmation_evaluation"] = text_or_null(state.confirmation_evaluation);
  json["confirmation"] = state.confirmation ? promote::encode(*state.confirmation) : base::Json(nullptr);
  if (status.configuration.agent) {
    json["agent"] = encode_agent(status);
  }
  if (!state.memory.hypotheses.empty() || !state.memory.evidence.empty()) {
    json["memory"] = control::view(state.memory, state.incumbent_number());
  }
  if (status.configuration.supervision) {
    json["supervisor"] = encode_supervision(state);
  }
  json["spending"] = encode_spending(state);
  json["screening"] = encode_screening(state);
  json["confirmations"] = encode_each(state.confirmations, encode_confirmation);
  json["alarms"] = state.alarms();
  json["injections"] = encode_each(state.injections, encode_injection);
  json["candidates"] = encode_each(state.candidates, encode_candidate);
  return json;
}

}  // namespace assay::service
