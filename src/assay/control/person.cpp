#include <assay/control/person.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>

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
  if (option != Option::switch_model && !value.empty()) {
    return base::input_error("inbox.value", fmt::format("{} takes no --value", to_string(option)));
  }
  return {};
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
