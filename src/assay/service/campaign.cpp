#include <assay/service/campaign.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/control/person.hpp>
#include <assay/service/campaign_configuration.hpp>
#include <assay/service/campaign_differences.hpp>
#include <assay/service/campaign_proposer.hpp>
#include <assay/service/judge_evaluator.hpp>
#include <assay/service/judgement.hpp>
#include <assay/service/submissions.hpp>

namespace assay::service {
namespace {

base::Result<CampaignStatus> read_status(const archive::Archive& archive, const archive::Campaign& campaign) {
  const std::string source = "configuration of campaign " + campaign.name;
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(campaign.configuration, source));
  CampaignStatus status;
  ASSAY_TRY_ASSIGN(status.configuration, control::decode_configuration(json, source));
  ASSAY_TRY_ASSIGN(const auto events, archive.events(campaign.name));
  ASSAY_TRY_ASSIGN(status.state, control::fold(status.configuration, events));
  status.created = campaign.created;
  return status;
}

base::Result<archive::Campaign> existing_campaign(const archive::Archive& archive, const std::string& name) {
  ASSAY_TRY_ASSIGN(auto campaign, archive.campaign(name));
  if (campaign) {
    return std::move(*campaign);
  }
  ASSAY_TRY_ASSIGN(const auto all, archive.campaigns());
  std::vector<std::string> names;
  for (const archive::Campaign& other : all) {
    names.push_back(other.name);
  }
  return base::input_error(
      "campaign.unknown",
      fmt::format("there is no campaign \"{}\" in {}; {}", base::printable(name), archive.root().string(),
                  names.empty() ? "start one with `assay campaign run`" : "there is " + base::join(names, ", ")));
}

// Joins what the controller says (events) and what the judge says (its steps) into one measure of progress: judgements
// done of those planned, and the running one's share.
class Meter {
 public:
  Meter(const control::CampaignConfiguration& configuration, const CampaignProgress& progress)
      : progress_(progress),
        total_(2 + static_cast<int>(configuration.supplied.size()) +
               (configuration.tunable || configuration.agent ? configuration.rounds * configuration.candidates_per_round
                                                             : 0)) {}

  void event(const control::CampaignState& state, const std::string& line) {
    const auto judged = std::count_if(state.candidates.begin(), state.candidates.end(),
                                      [](const control::CandidateState& c) { return c.outcome.has_value(); });
    done_ = static_cast<double>(judged) + (state.baseline_ns.empty() ? 0 : 1) + (state.confirmation ? 1 : 0);
    report(0, line, true);
  }
  void step(const execute::Progress& step) {
    const double share = step.total > 0 ? std::clamp(step.done / step.total, 0.0, 1.0) : 0;
    report(std::min(share, 0.99), step.what, false);
  }

 private:
  void report(double share, const std::string& what, bool is_event) const {
    if (progress_) {
      progress_(std::min(done_ + share, static_cast<double>(total_)), total_, what, is_event);
    }
  }

  const CampaignProgress& progress_;
  int total_;
  double done_ = 0;
};

// Everything that a campaign decides is held against what it measured first. Under other conditions nothing more is added.
base::Result<void> check_conditions(const Context& context, const archive::Archive& archive,
                                    const CampaignStatus& status) {
  const control::Phase phase = status.state.phase;
  if (status.state.baseline_evaluation.empty() || phase == control::Phase::finished ||
      phase == control::Phase::failed) {
    return {};
  }
  ASSAY_TRY_ASSIGN(const auto baseline, archive.evaluation(status.state.baseline_evaluation));
  if (!baseline) {
    return base::environment_error("archive.damaged",
                                   fmt::format("evaluation {} is not in the archive: run `assay archive verify`",
                                               status.state.baseline_evaluation));
  }
  ASSAY_TRY_ASSIGN(const task::Named<std::string> now, context.fingerprint(status.configuration.device));
  if (!same_conditions(baseline->environment, now)) {
    const std::vector<std::string> differences = condition_differences(baseline->environment, now);
    return base::environment_error(
        "campaign.conditions",
        fmt::format(
            "campaign \"{}\" was begun under other conditions, and times of different conditions are not "
            "compared: {}; go on where it was begun, or run another campaign here (--also takes its candidates)",
            status.configuration.name,
            differences.empty() ? "this machine does not describe itself" : base::join(differences, "; ")));
  }
  return {};
}

// With `given` rather than the campaign's own proposer, unless it is null.
base::Result<CampaignStatus> drive(const Context& context, archive::Archive& archive, const archive::Campaign& campaign,
                                   const CampaignProgress& progress, agent::Proposer* given = nullptr) {
  ASSAY_TRY_ASSIGN(CampaignStatus status, read_status(archive, campaign));
  ASSAY_TRY(check_conditions(context, archive, status));
  std::unique_ptr<CampaignProposer> own;
  if (given == nullptr) {
    ASSAY_TRY_ASSIGN(own, CampaignProposer::create(context, status.configuration, status.state));
  }
  agent::Proposer& proposer = given == nullptr ? *own : *given;
  Meter meter(status.configuration, progress);
  Context watched = context;
  watched.on_progress = [&meter](const execute::Progress& step) { meter.step(step); };
  JudgeEvaluator evaluator(watched, archive, status.configuration);
  control::Observer observer;
  observer.on_event = [&meter, &own](const control::CampaignState& state, const std::string& line) {
    meter.event(state, line);
    if (own) {
      own->follow(state);
    }
  };
  ASSAY_TRY_ASSIGN(status.state, control::run_campaign(archive, campaign.name, evaluator, proposer, observer));
  return status;
}

// Refuses a campaign that was made with other options.
base::Result<void> check_same(const archive::Campaign& campaign, const base::Json& given) {
  ASSAY_TRY_ASSIGN(const base::Json stored, base::parse_json(campaign.configuration, "campaign " + campaign.name));
  const std::vector<std::string> different = differences(stored, given);
  if (different.empty()) {
    return {};
  }
  return base::input_error("campaign.differs",
                           fmt::format("campaign \"{}\" exists with another configuration: {}; choose another --name, "
                                       "or continue it as it is with `assay campaign resume {}`",
                                       campaign.name, base::join(different, "; "), campaign.name));
}

// The same configuration with the limits that are stored.
control::CampaignConfiguration with_stored_limits(control::CampaignConfiguration given,
                                                  const control::CampaignConfiguration& stored) {
  given.budget = stored.budget;
  if (given.agent && stored.agent) {
    given.agent->budget = stored.agent->budget;
  }
  return given;
}

base::Result<void> raise_limits(archive::Archive& archive, const control::CampaignConfiguration& configuration,
                                const control::Budget& wanted, const std::string& by) {
  ASSAY_TRY_ASSIGN(const control::CampaignState state, control::load_state(archive, configuration));
  if (state.last_sequence == 0) {
    return base::input_error(
        "budget.not_begun",
        fmt::format("campaign {} has not begun: run it as it is, then raise what it reaches", configuration.name));
  }
  ASSAY_TRY_ASSIGN(const auto raised, control::raise_entry(configuration, state, wanted, by));
  return raised ? archive.append({configuration.name, state.last_sequence, {control::encode_entry(*raised)}})
                : base::Result<void>();
}

// Finds the campaign that the options make, or creates it.
base::Result<archive::Campaign> found_or_created(archive::Archive& archive,
                                                 const control::CampaignConfiguration& configuration) {
  const base::Json given = control::encode(configuration);
  ASSAY_TRY_ASSIGN(auto campaign, archive.campaign(configuration.name));
  if (campaign) {
    ASSAY_TRY(check_same(*campaign, given));
    return std::move(*campaign);
  }
  archive::Campaign created{configuration.name, configuration.definition.name, base::dump_compact(given),
                            base::utc_now()};
  ASSAY_TRY(archive.create_campaign(created));
  return created;
}

// The same; limits that are larger now than the campaign's are raised by `by`.
base::Result<archive::Campaign> found_or_raised(archive::Archive& archive,
                                                const control::CampaignConfiguration& configuration,
                                                const std::string& by) {
  ASSAY_TRY_ASSIGN(const auto campaign, archive.campaign(configuration.name));
  if (!campaign) {
    return found_or_created(archive, configuration);
  }
  ASSAY_TRY_ASSIGN(const control::CampaignConfiguration stored,
                   control::load_configuration(archive, configuration.name));
  ASSAY_TRY_ASSIGN(archive::Campaign found, found_or_created(archive, with_stored_limits(configuration, stored)));
  const control::Budget wanted = control::budget_of(configuration);
  if (wanted == control::budget_of(stored)) {
    return found;  // As it was begun; what was raised since stays.
  }
  ASSAY_TRY_ASSIGN(const control::CampaignState state, control::load_state(archive, stored));
  for (std::size_t i = 0; i < control::kResources; ++i) {
    const auto resource = static_cast<control::Resource>(i);
    if (state.ledger.budget()[resource] && !wanted[resource]) {
      return base::input_error(
          "budget.removed",
          fmt::format("campaign {} may spend {}, and a limit is not taken away: give it, or a larger one, or continue "
                      "with `assay campaign resume {}`",
                      found.name, control::amount_text(resource, *state.ledger.budget()[resource]), found.name));
    }
  }
  ASSAY_TRY(raise_limits(archive, stored, wanted, by));
  return found;
}

}  // namespace

base::Result<CampaignStatus> run_campaign(const Context& context, const CampaignOptions& options,
                                          const CampaignProgress& progress) {
  if (options.agent.word == kSubmitted) {
    return base::input_error("campaign.submitted",
                             "such a campaign is begun by whoever takes the submissions: `assay "
                             "mcp --campaign NAME`");
  }
  ASSAY_TRY_ASSIGN(const control::CampaignConfiguration configuration, configure(context, options));
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  ASSAY_TRY_ASSIGN(const archive::Campaign campaign, found_or_raised(archive, configuration, options.by));
  return drive(context, archive, campaign, progress);
}

base::Result<void> create_campaign(const Context& context, const CampaignOptions& options) {
  ASSAY_TRY_ASSIGN(const control::CampaignConfiguration configuration, configure(context, options));
  // One that is there already is found although another program may be writing.
  if (auto reader = archive::Archive::open_reader(context.places.archive)) {
    ASSAY_TRY_ASSIGN(const auto campaign, reader->campaign(configuration.name));
    if (campaign) {
      return check_same(*campaign, control::encode(configuration));
    }
  }
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  ASSAY_TRY(found_or_created(archive, configuration));
  return {};
}

base::Result<CampaignStatus> continue_campaign(const Context& context, const std::string& name,
                                               agent::Proposer& proposer, const CampaignProgress& progress) {
  ASSAY_TRY(archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  ASSAY_TRY_ASSIGN(const archive::Campaign campaign, existing_campaign(archive, name));
  return drive(context, archive, campaign, progress, &proposer);
}

base::Result<CampaignStatus> resume_campaign(const Context& context, const std::string& name,
                                             const CampaignProgress& progress, const RaisedBudget& raised) {
  // Through a reader first: a mistyped path must not become an empty archive.
  ASSAY_TRY(archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  ASSAY_TRY_ASSIGN(const archive::Campaign campaign, existing_campaign(archive, name));
  if (const control::Budget wanted = limits_of(raised); wanted != control::Budget()) {
    ASSAY_TRY_ASSIGN(const control::CampaignConfiguration configuration, control::load_configuration(archive, name));
    ASSAY_TRY(raise_limits(archive, configuration, wanted, raised.by));
  }
  return drive(context, archive, campaign, progress);
}

base::Result<CampaignStatus> campaign_status(const Context& context, const std::string& name) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(const archive::Campaign campaign, existing_campaign(archive, name));
  return read_status(archive, campaign);
}

base::Result<std::vector<CampaignStatus>> all_campaigns(const Context& context) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(const auto campaigns, archive.campaigns());
  std::vector<CampaignStatus> result;
  for (const archive::Campaign& campaign : campaigns) {
    ASSAY_TRY_ASSIGN(result.emplace_back(), read_status(archive, campaign));
  }
  return result;
}

base::Result<CampaignStatus> approve_campaign(const Context& context, const std::string& name, Answer answer,
                                              const std::string& who, const std::string& why, std::int64_t seconds) {
  ASSAY_TRY(archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  ASSAY_TRY_ASSIGN(const archive::Campaign campaign, existing_campaign(archive, name));
  ASSAY_TRY(control::approve(archive, name, answer == Answer::approve, who, why, seconds));
  return read_status(archive, campaign);
}

}  // namespace assay::service
