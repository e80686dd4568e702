#include <assay/control/person.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/control/next_action.hpp>

namespace assay::control {
namespace {

std::string option_names(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option option : options) {
    names.emplace_back(to_string(option));
  }
  return base::join(names, ", ");
}

base::Result<void> check_name(const std::string& by) {
  if (base::trim(by).empty()) {
    return base::input_error("person.name", "a word of a person needs a name: say whose it is with --by NAME");
  }
  return {};
}

base::Result<void> check_goes_on(const CampaignConfiguration& configuration, const CampaignState& state) {
  if (state.phase == Phase::finished || state.phase == Phase::failed) {
    return base::input_error("person.too_late", fmt::format("campaign {} is {}: nothing is changed by it any more",
                                                            configuration.name, to_string(state.phase)));
  }
  return {};
}

base::Result<void> check_value(Option option, const std::string& value, const CampaignState& state) {
  if (option == Option::switch_model && base::trim(value).empty()) {
    return base::input_error("inbox.value", "switch_model needs the model: give --value NAME");
  }
  if (option == Option::restart_from) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 1 ||
        static_cast<std::size_t>(number) > state.candidates.size()) {
      return base::input_error("inbox.value",
                               fmt::format("restart_from needs a candidate: give --value with a number of 1 "
                                           "to {}",
                                           state.candidates.size()));
    }
    const auto& outcome = state.candidate(number).outcome;
    if (!outcome || !task::is_correct(*outcome)) {
      return base::input_error("inbox.value",
                               fmt::format("candidate {} is not correct, and nothing can start from it: name "
                                           "another one",
                                           number));
    }
    return {};
  }
  if (option == Option::close_route) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value.empty() || error != std::errc() || end != value.data() + value.size()) {
      return base::input_error("inbox.value",
                               "close_route needs a hypothesis: give --value with its number (assay campaign status "
                               "--json lists them as /memory/hypotheses)");
    }
    Memory tried = state.memory;
    return close_route(number, "a person", "", tried);
  }
  if (option != Option::switch_model && !value.empty()) {
    return base::input_error("inbox.value", fmt::format("{} takes no --value", to_string(option)));
  }
  return {};
}

// Whether anything but another confirmation would follow.
bool would_go_on(const CampaignConfiguration& configuration, const CampaignState& state, const BudgetRaised& raised) {
  CampaignState after = state;
  auto [kind, body] = encode_entry(raised);
  if (!apply(configuration, {state.last_sequence + 1, std::move(kind), std::move(body), {}}, after)) {
    return false;
  }
  const Action next = next_action(after, configuration);
  const auto* evaluate = std::get_if<Evaluate>(&next);
  const bool only_confirms = evaluate != nullptr && evaluate->target.purpose == Purpose::confirmation;
  return state.phase != Phase::finished ||
         (!only_confirms && !std::holds_alternative<Finish>(next) && !std::holds_alternative<Conclude>(next));
}

}  // namespace

base::Result<Entry> answer_entry(const CampaignConfiguration& configuration, const CampaignState& state, int decision,
                                 const PersonAnswer& answer) {
  ASSAY_TRY(check_name(answer.by));
  ASSAY_TRY(check_goes_on(configuration, state));
  const auto& decisions = state.supervision.decisions;
  if (decision < 1 || static_cast<std::size_t>(decision) > decisions.size()) {
    return base::input_error(
        "inbox.unknown",
        fmt::format("campaign {} asked no decision {}: `assay inbox` lists what waits", configuration.name, decision));
  }
  const DecisionState& asked = decisions[static_cast<std::size_t>(decision - 1)];
  if (!asked.open()) {
    return base::input_error("inbox.closed",
                             fmt::format("decision {} of campaign {} waits no more: {}", decision, configuration.name,
                                         asked.answered ? "it was answered by " + asked.answered->by
                                         : asked.closed->closing == Closing::overtaken ? "an improvement came first"
                                                                                       : "its deadline has passed"));
  }
  const auto found = std::find(kOptions.begin(), kOptions.end(), answer.option);
  const auto option = static_cast<Option>(found - kOptions.begin());
  const auto& options = asked.asked.options;
  if (found == kOptions.end() || std::find(options.begin(), options.end(), option) == options.end()) {
    return base::input_error("inbox.option",
                             fmt::format("\"{}\" is no option of decision {}: choose one of {}",
                                         base::printable(answer.option), decision, option_names(options)));
  }
  ASSAY_TRY(check_value(option, answer.value, state));
  const bool is_told =
      option == Option::change_language || option == Option::give_reference || option == Option::second_opinion;
  if (is_told && base::trim(answer.why).empty()) {
    return base::input_error(
        "inbox.because",
        fmt::format("{} is told to whoever proposes: say what, with --because TEXT", to_string(option)));
  }
  return Entry(DecisionAnswered{decision, option, answer.value, answer.by, answer.seconds, answer.why});
}

base::Result<std::optional<Entry>> raise_entry(const CampaignConfiguration& configuration, const CampaignState& state,
                                               const Budget& wanted, const std::string& by) {
  BudgetRaised raised{std::string(base::trim(by)), {}};
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    const auto had = state.ledger.budget()[resource];
    if (!wanted[resource] || wanted[resource] == had) {
      continue;
    }
    if (!had || *wanted[resource] < *had) {
      return base::input_error(
          "budget.lowered",
          fmt::format("campaign {} may spend {}, and {} is less: a limit is only ever raised; leave it out to go on "
                      "as it is",
                      configuration.name, had ? amount_text(resource, *had) : "without a limit",
                      amount_text(resource, *wanted[resource])));
    }
    raised.limits[resource] = wanted[resource];
  }
  if (raised.limits == Budget()) {
    return std::optional<Entry>();
  }
  ASSAY_TRY(check_name(raised.by));
  const bool ended = state.phase == Phase::failed || (state.phase == Phase::finished && state.budget_reached.empty());
  if (ended || !would_go_on(configuration, state, raised)) {
    return base::input_error(
        "budget.too_late",
        fmt::format(
            "campaign {} is {}, and no limit would let it go on: run another one, whose --baseline is what this "
            "one found (assay export)",
            configuration.name, to_string(state.phase)));
  }
  return std::optional<Entry>(std::move(raised));
}

base::Result<Entry> steer_entry(const CampaignConfiguration& configuration, const CampaignState& state,
                                const std::string& by, std::int64_t seconds, const std::string& text) {
  ASSAY_TRY(check_name(by));
  ASSAY_TRY(check_goes_on(configuration, state));
  if (base::trim(text).empty()) {
    return base::input_error("steer.text", "a steer needs words: say what whoever proposes should know");
  }
  return Entry(PersonSteered{fmt::format("{:016x}", base::entropy_seed()), by, seconds, text});
}

}  // namespace assay::control
