#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/executor.hpp>
#include <assay/control/next_action.hpp>
#include <assay/control/supervision.hpp>

namespace assay::control {

base::Result<CampaignConfiguration> load_configuration(const archive::Archive& archive, const std::string& name) {
  ASSAY_TRY_ASSIGN(const auto campaign, archive.campaign(name));
  if (!campaign) {
    return base::input_error("campaign.not_found",
                             fmt::format("there is no campaign \"{}\" in {}: `assay campaign run` begins one",
                                         base::printable(name), archive.root().string()));
  }
  const std::string source = "campaign " + name;
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(campaign->configuration, source));
  ASSAY_TRY_ASSIGN(CampaignConfiguration configuration, decode_configuration(json, source));
  if (configuration.name != name) {
    return base::internal_error(
        "campaign.name", fmt::format("campaign {} is stored with the configuration of {}", name, configuration.name));
  }
  return configuration;
}

base::Result<CampaignState> load_state(const archive::Archive& archive, const CampaignConfiguration& configuration) {
  ASSAY_TRY_ASSIGN(const auto events, archive.events(configuration.name));
  return fold(configuration, events);
}

base::Result<CampaignState> run_campaign(archive::Archive& archive, const std::string& name, Evaluator& evaluator,
                                         agent::Proposer& proposer, const Observer& observer) {
  ASSAY_TRY_ASSIGN(const CampaignConfiguration configuration, load_configuration(archive, name));
  ASSAY_TRY_ASSIGN(CampaignState state, load_state(archive, configuration));
  Executor executor(archive, configuration, std::move(state), evaluator, proposer, observer);
  if (auto overdue = overdue_at_resume(executor.state())) {
    ASSAY_TRY(executor.perform(Note{*overdue}));
  }
  while (true) {
    ASSAY_TRY(executor.take_messages());
    const Action action = next_action(executor.state(), configuration);
    if (std::holds_alternative<Stop>(action)) {
      return executor.state();
    }
    ASSAY_TRY(executor.perform(action));
  }
}

base::Result<void> approve(archive::Archive& archive, const std::string& campaign, bool yes, const std::string& who,
                           const std::string& why, std::int64_t seconds) {
  if (base::trim(who).empty()) {
    return base::input_error("approve.who", "an answer needs a name: say who approves or refuses");
  }
  if (base::trim(who).starts_with("policy ")) {
    return base::input_error("approve.who",
                             fmt::format("\"{}\" reads like a policy, and a person must answer: give a person's name",
                                         base::printable(who)));
  }
  ASSAY_TRY_ASSIGN(const CampaignConfiguration configuration, load_configuration(archive, campaign));
  ASSAY_TRY_ASSIGN(const CampaignState state, load_state(archive, configuration));
  if (state.phase != Phase::awaiting_approval || !state.awaiting) {
    return base::input_error("approve.nothing_waits",
                             fmt::format("no candidate of campaign {} waits for an answer: its phase is {}", campaign,
                                         to_string(state.phase)));
  }
  const Entry entry =
      yes ? Entry(CandidatePromoted{*state.awaiting, who, why}) : Entry(CandidateRefused{*state.awaiting, who, why});
  archive::Append append{campaign, state.last_sequence, {}};
  if (seconds > 0) {  // Before the answer: a promotion's cost holds the attention that it took.
    append.events.push_back(encode_entry(PersonTimeBooked{who, yes ? "approve" : "refuse", seconds}));
  }
  append.events.push_back(encode_entry(entry));
  return archive.append(append);
}

}  // namespace assay::control
