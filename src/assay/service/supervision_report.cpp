#include <assay/service/supervision_report.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include <assay/control/steer_effect.hpp>
#include <assay/supervise/words.hpp>

namespace assay::service {
namespace {

constexpr double kSecondsOfAMinute = 60;

double minutes_of(std::int64_t seconds) { return static_cast<double>(seconds) / kSecondsOfAMinute; }

// A finding ends with the next promotion, or is there to the end.
int until(const control::CampaignState& state, const control::FindingState& finding) {
  if (finding.promotions < state.reign.size()) {
    return std::max(finding.found.at, state.reign[finding.promotions] - 1);
  }
  return state.candidates.empty() ? finding.found.at : state.candidates.back().number;
}

std::string decision_text(const control::DecisionState& decision) {
  if (decision.answered) {
    const control::DecisionAnswered& answered = *decision.answered;
    return fmt::format("{}{}{}", control::to_string(answered.option),
                       answered.value.empty() ? "" : " " + answered.value,
                       answered.why.empty() ? "" : ", because " + answered.why);
  }
  if (decision.closed) {
    return decision.closed->closing == control::Closing::overtaken
               ? "overtaken by an improvement"
               : fmt::format("nobody answered: {}", control::in_words(decision.asked.otherwise));
  }
  return fmt::format("waits; otherwise: {}{}", control::in_words(decision.asked.otherwise),
                     decision.asked.deadline ? fmt::format(", after round {}", *decision.asked.deadline)
                                             : std::string(", when the campaign is continued"));
}

std::string effect_text(const control::SteerEffect& effect) {
  const auto gain = [](const std::optional<double>& log_gain) {
    return log_gain ? fmt::format("{:.1f} %", 100 * std::expm1(*log_gain)) : std::string("none");
  };
  std::string text =
      fmt::format("{} candidates after it; gain per promotion {} before ({}), {} after ({})", effect.candidates_after,
                  gain(effect.gain_before), effect.promotions_before, gain(effect.gain_after), effect.promotions_after);
  if (effect.difference_lower) {
    text += fmt::format("; difference of the logarithms {:.3f} to {:.3f}", *effect.difference_lower,
                        *effect.difference_upper);
  }
  return text + "; " + effect.verdict;
}

template <class T>
base::Json or_null(const std::optional<T>& value) {
  return value ? base::Json(*value) : base::Json(nullptr);
}

base::Json encode_finding(const control::CampaignState& state, const control::FindingState& finding) {
  return {{"round", finding.found.round},
          {"condition", supervise::to_string(finding.found.condition)},
          {"cause", supervise::to_string(finding.found.cause)},
          {"recovery", supervise::to_string(finding.found.recovery)},
          {"since", finding.found.since},
          {"at", finding.found.at},
          {"until", until(state, finding)},
          {"evidence", finding.found.evidence}};
}

base::Json encode_decision(const control::DecisionState& decision) {
  base::Json options = base::Json::array();
  for (const control::Option option : decision.asked.options) {
    options.push_back(control::to_string(option));
  }
  base::Json answer = nullptr;
  if (decision.answered) {
    answer = {{"option", control::to_string(decision.answered->option)},
              {"value", decision.answered->value},
              {"by", decision.answered->by},
              {"minutes", minutes_of(decision.answered->seconds)},
              {"because", decision.answered->why}};
  }
  return {{"number", decision.asked.number},
          {"kind", control::to_string(decision.asked.kind)},
          {"round", decision.asked.round},
          {"question", decision.asked.question},
          {"options", std::move(options)},
          {"default", control::to_string(decision.asked.otherwise)},
          {"deadline_round", or_null(decision.asked.deadline)},
          {"open", decision.open()},
          {"answer", std::move(answer)},
          {"closed", decision.closed ? base::Json(control::to_string(decision.closed->closing)) : base::Json(nullptr)}};
}

base::Json encode_steer(const control::CampaignState& state, const control::SteerState& steer) {
  const control::SteerEffect effect = control::steer_effect(state, steer);
  return {{"by", steer.steered.by},
          {"minutes", minutes_of(steer.steered.seconds)},
          {"text", steer.steered.text},
          {"after_candidate", steer.candidates},
          {"effect",
           {{"promotions_before", effect.promotions_before},
            {"promotions_after", effect.promotions_after},
            {"log_gain_before", or_null(effect.gain_before)},
            {"log_gain_after", or_null(effect.gain_after)},
            {"difference_lower", or_null(effect.difference_lower)},
            {"difference_upper", or_null(effect.difference_upper)},
            {"candidates_after", effect.candidates_after},
            {"verdict", effect.verdict}}}};
}

}  // namespace

void add_supervision(const control::CampaignState& state, report::CampaignReport& report) {
  for (const control::FindingState& finding : state.supervision.findings) {
    const control::SupervisorFound& found = finding.found;
    report.findings.push_back({found.round, found.since, found.at, std::string(supervise::short_words(found.condition)),
                               std::string(supervise::in_words(found.condition)),
                               std::string(supervise::in_words(found.cause)),
                               std::string(supervise::in_words(found.recovery)), found.evidence,
                               found.condition == supervise::Condition::plateau, until(state, finding)});
  }
  for (const control::DecisionState& decision : state.supervision.decisions) {
    report.people.push_back({fmt::format("Decision {}", decision.asked.number), decision.asked.question,
                             decision_text(decision), decision.answered ? decision.answered->by : "",
                             decision.answered ? minutes_of(decision.answered->seconds) : 0});
  }
  for (const control::SteerState& steer : state.supervision.steers) {
    report.people.push_back({"Steer", steer.steered.text, effect_text(control::steer_effect(state, steer)),
                             steer.steered.by, minutes_of(steer.steered.seconds)});
  }
  report.stopped = state.supervision.stopped.value_or("");
}

base::Json encode_supervision(const control::CampaignState& state) {
  base::Json findings = base::Json::array();
  for (const control::FindingState& finding : state.supervision.findings) {
    findings.push_back(encode_finding(state, finding));
  }
  base::Json decisions = base::Json::array();
  for (const control::DecisionState& decision : state.supervision.decisions) {
    decisions.push_back(encode_decision(decision));
  }
  base::Json steers = base::Json::array();
  for (const control::SteerState& steer : state.supervision.steers) {
    steers.push_back(encode_steer(state, steer));
  }
  return {{"findings", std::move(findings)},
          {"decisions", std::move(decisions)},
          {"steers", std::move(steers)},
          {"stopped", or_null(state.supervision.stopped)},
          {"repeats_factor", state.supervision.repeats_factor},
          {"model", or_null(state.supervision.model)},
          {"parent", or_null(state.supervision.parent)}};
}

}  // namespace assay::service
