#include <assay/service/campaign.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include <assay/agent/agent_proposer.hpp>
#include <assay/agent/routed_proposer.hpp>
#include <assay/agent/tuner.hpp>
#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/control/person.hpp>
#include <assay/dataset/given.hpp>
#include <assay/service/agent_arms.hpp>
#include <assay/service/conversing_agent.hpp>
#include <assay/service/judge_evaluator.hpp>
#include <assay/service/judgement.hpp>
#include <assay/service/role_proposer.hpp>
#include <assay/service/solutions.hpp>
#include <assay/service/submissions.hpp>
#include <assay/service/submitted_proposer.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kMostDifferences = 8;
constexpr std::size_t kLongestValue = 60;
constexpr double kMicroDollars = 1e6;
constexpr double kMillisecondsPerSecond = 1000;
constexpr double kSecondsPerMinute = 60;
constexpr double kRoundingSlack = 1e-6;

// Proposes nothing: a campaign may consist of candidates by hand alone.
class NoProposer final : public agent::Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "none"; }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& /*history*/,
                                                                   int /*count*/) override {
    return std::vector<agent::Proposal>();
  }
};

// What an agent is started with, from the campaign's own record of it.
base::Result<agent::AgentSettings> agent_settings(const control::CampaignConfiguration& configuration,
                                                  const control::AgentArm& arm, const os::Path& archive) {
  const control::AgentPlan& plan = *configuration.agent;
  agent::AgentSettings settings;
  settings.choice.word = arm.word;
  settings.choice.model = arm.model;
  settings.name = control::arm_name(arm, plan.others.empty());
  settings.most.tokens.input = plan.tokens_per_run;
  if (plan.micro_dollars_per_run > 0) {
    settings.most.dollars = static_cast<double>(plan.micro_dollars_per_run) / kMicroDollars;
    settings.choice.dollars = settings.most.dollars;
  }
  settings.limits.wall = std::chrono::minutes(plan.minutes_per_run);
  settings.origin = arm.origin.value_or(configuration.baseline);
  settings.keeps_language = arm.origin.has_value();
  settings.records = archive / "agent-runs";
  if (agent::names_http_agent(arm.word)) {
    ASSAY_TRY_ASSIGN(settings.http, agent::make_http_agent(settings.choice, agent::own_environment()));
    if (plan.tokens_per_run > 0) {
      settings.http->most_tokens = plan.tokens_per_run;
    }
  }
  settings.folders = archive / "agent-folders";
  return settings;
}

base::Result<agent::AgentProgram> agent_program(const agent::AgentChoice& choice, const os::Path& folder) {
  return agent::make_agent_program(choice, folder, agent::kShortPrompt, agent::own_environment());
}

// `follow`, if there is one, is told how the campaign stands after each event.
using Follow = std::function<void(const control::CampaignState& state)>;

base::Result<std::unique_ptr<agent::Proposer>> make_proposer(const Context& context,
                                                             const control::CampaignConfiguration& configuration,
                                                             Follow& follow) {
  const os::Path& archive = context.places.archive;
  if (configuration.agent && configuration.agent->word == kSubmitted) {
    return std::make_unique<SubmittedProposer>(SubmissionStore(archive, configuration.name), configuration.baseline,
                                               SubmittedProposer::WhenEmpty::end);
  }
  if (configuration.agent && configuration.agent->full_agent) {
    ASSAY_TRY_ASSIGN(agent::AgentSettings settings,
                     agent_settings(configuration, configuration.agent->arms().front(), archive));
    return make_full_agent(configuration, std::move(settings));
  }
  if (configuration.agent && configuration.agent->tools) {
    ASSAY_TRY_ASSIGN(agent::AgentSettings settings,
                     agent_settings(configuration, configuration.agent->arms().front(), archive));
    ASSAY_TRY_ASSIGN(std::unique_ptr<ConversingAgent> conversing,
                     ConversingAgent::create(context, configuration, std::move(settings)));
    follow = [raw = conversing.get()](const control::CampaignState& state) { raw->follow(state); };
    return std::unique_ptr<agent::Proposer>(std::move(conversing));
  }
  if (configuration.agent) {
    std::vector<std::unique_ptr<agent::Proposer>> arms;
    for (const control::AgentArm& arm : configuration.agent->arms()) {
      ASSAY_TRY_ASSIGN(agent::AgentSettings settings, agent_settings(configuration, arm, archive));
      const agent::AgentChoice choice = settings.choice;
      arms.push_back(std::make_unique<agent::AgentProposer>(
          std::move(settings), [choice](const os::Path& folder) { return agent_program(choice, folder); }));
    }
    if (arms.size() == 1) {
      return std::move(arms.front());
    }
    return std::make_unique<agent::RoutedProposer>(std::move(arms));
  }
  if (!configuration.tunable) {
    return std::make_unique<NoProposer>();
  }
  ASSAY_TRY_ASSIGN(agent::Tuner tuner, agent::Tuner::create(*configuration.tunable, configuration.tuner_seed));
  return std::make_unique<agent::Tuner>(std::move(tuner));
}

// Rounded down: a limit is never passed by rounding.
std::optional<std::int64_t> whole(const std::optional<double>& amount, double unit) {
  return amount ? std::optional(static_cast<std::int64_t>(std::min(std::floor(*amount * unit + kRoundingSlack),
                                                                   static_cast<double>(control::kLargestAmount))))
                : std::nullopt;
}

control::Budget limits_of(const RaisedBudget& given) {
  control::Budget budget;
  if (given.dollars) {
    budget[control::Resource::micro_dollars] = control::to_micro_dollars(*given.dollars);
  }
  budget[control::Resource::tokens] = given.tokens;
  budget[control::Resource::device_ms] = whole(given.device_seconds, kMillisecondsPerSecond);
  budget[control::Resource::wall_ms] = whole(given.minutes, kSecondsPerMinute * kMillisecondsPerSecond);
  budget[control::Resource::human_seconds] = whole(given.human_minutes, kSecondsPerMinute);
  return budget;
}

// Of the campaign itself; what its agent may spend stands with the agent.
control::Budget budget_for(const CampaignOptions& options) {
  return limits_of({std::nullopt,
                    std::nullopt,
                    options.budget_device_seconds,
                    options.budget_minutes,
                    options.budget_human_minutes,
                    {}});
}

// A program that is not there is told before the baseline is measured; a budget without what a run sets aside of it would
// be passed by a run whose account is lost.
base::Result<std::optional<control::AgentPlan>> plan_agent(const dataset::Dataset& dataset,
                                                           const CampaignOptions& options,
                                                           const control::CampaignConfiguration& configuration) {
  const AgentOptions& given = options.agent;
  ASSAY_TRY(check_roles(given));
  if (given.word.empty()) {
    if (given.budget_dollars || given.budget_tokens) {
      return base::input_error("campaign.no_agent",
                               "--budget-dollars and --budget-tokens limit what an agent spends, and "
                               "none proposes: name one with --agent, or leave them out");
    }
    return std::optional<control::AgentPlan>();
  }
  if (!options.tunable.empty()) {
    return base::input_error("campaign.two_proposers", "give --tunable or --agent: one of them proposes");
  }
  std::vector<control::AgentArm> arms;
  if (given.word == kSubmitted) {
    arms.push_back({std::string(kSubmitted), given.model, std::nullopt});
  } else {
    ASSAY_TRY_ASSIGN(arms, plan_arms(dataset, given, configuration));
  }
  if ((given.full_agent || given.tools) && arms.size() > 1) {
    return base::input_error("campaign.one_agent",
                             "--full-agent and --agent-tools take one --agent: leave the others out");
  }
  if (given.full_agent && given.tools) {
    return base::input_error("campaign.full_agent_tools",
                             "three roles take no tools yet: leave --agent-tools or --full-agent out");
  }
  if (given.tools && !agent::parse_dialect(given.word)) {
    return base::input_error("agent.no_tools",
                             "only codex and claude can be given tools: no other program has sockets");
  }
  if ((given.budget_dollars && given.dollars <= 0) || (given.budget_tokens && given.tokens <= 0)) {
    return base::input_error(
        "campaign.no_reservation",
        "a budget needs to know what one run may cost: give --run-dollars with --budget-dollars, and "
        "--run-tokens with --budget-tokens");
  }
  control::AgentPlan plan;
  plan.word = arms.front().word;
  plan.model = arms.front().model;
  plan.origin = arms.front().origin;
  plan.others.assign(std::next(arms.begin()), arms.end());
  plan.tools = given.tools;
  plan.minutes_per_run = given.minutes;
  plan.micro_dollars_per_run = control::to_micro_dollars(given.dollars);
  plan.tokens_per_run = given.tokens;
  plan.budget = limits_of({given.budget_dollars, given.budget_tokens, {}, {}, {}, {}});
  if (given.full_agent) {
    ASSAY_TRY_ASSIGN(plan.full_agent, plan_roles(given));
  }
  return std::optional(std::move(plan));
}

base::Result<control::CampaignConfiguration> configure(const Context& context, const CampaignOptions& options) {
  ASSAY_TRY(check_device(options.device));
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  control::CampaignConfiguration configuration;
  configuration.name = options.name;
  configuration.device = options.device;
  ASSAY_TRY_ASSIGN(configuration.definition, resolve_definition(dataset, options.definition));
  ASSAY_TRY_ASSIGN(configuration.workloads, dataset.workloads(configuration.definition.name));
  ASSAY_TRY(dataset::find_given(dataset.root(), configuration.definition, configuration.workloads));
  if (options.baseline.empty()) {
    ASSAY_TRY_ASSIGN(auto baseline, default_incumbent(dataset, configuration.definition, options.device));
    if (!baseline) {
      return base::input_error(
          "campaign.no_baseline",
          fmt::format("the dataset has no solution of {} by the author \"baseline\"; name one with "
                      "--baseline",
                      configuration.definition.name));
    }
    configuration.baseline = std::move(*baseline);
  } else {
    ASSAY_TRY_ASSIGN(configuration.baseline,
                     resolve_solution(dataset, nullptr, options.baseline, configuration.definition));
  }
  for (const std::string& also : options.also) {
    ASSAY_TRY_ASSIGN(configuration.supplied.emplace_back(),
                     resolve_solution(dataset, nullptr, also, configuration.definition));
  }
  ASSAY_TRY_ASSIGN(configuration.agent, plan_agent(dataset, options, configuration));
  configuration.budget = budget_for(options);
  if (!options.tunable.empty()) {
    ASSAY_TRY_ASSIGN(configuration.tunable,
                     resolve_solution(dataset, nullptr, options.tunable, configuration.definition));
    if (!configuration.tunable->tuning) {
      return base::input_error(
          "campaign.not_tunable",
          fmt::format("{} declares no tunable parameters (/assay/tuning); the tuner cannot search it",
                      configuration.tunable->name));
    }
  } else if (options.also.empty() && !configuration.agent) {
    return base::input_error("campaign.nothing_to_try",
                             "a campaign needs candidates: name a solution to tune with --tunable, an agent "
                             "with --agent, or files with --also");
  }
  configuration.tuner_seed = options.seed;
  configuration.rounds = options.rounds;
  configuration.candidates_per_round = options.candidates_per_round;
  if (options.supervised) {
    configuration.supervision.emplace().ask_above_sweep_seconds = options.ask_above_sweep_seconds;
  }
  ASSAY_TRY_ASSIGN(configuration.policy, resolve_policy(options.policy));
  ASSAY_TRY(task::check_timing(configuration.policy.sweep, configuration.device));
  // The round trip refuses what could not be read back, and makes both sides of a later comparison alike.
  return control::decode_configuration(control::encode(configuration), "the campaign's configuration");
}

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

// A person may have chosen another model since.
control::CampaignConfiguration with_chosen_model(const CampaignStatus& status) {
  control::CampaignConfiguration configuration = status.configuration;
  if (configuration.agent && status.state.supervision.model) {
    configuration.agent->model = *status.state.supervision.model;
  }
  return configuration;
}

// With `given` rather than the campaign's own proposer, unless it is null.
base::Result<CampaignStatus> drive(const Context& context, archive::Archive& archive, const archive::Campaign& campaign,
                                   const CampaignProgress& progress, agent::Proposer* given = nullptr) {
  ASSAY_TRY_ASSIGN(CampaignStatus status, read_status(archive, campaign));
  ASSAY_TRY(check_conditions(context, archive, status));
  std::unique_ptr<agent::Proposer> own;
  Follow follow;
  if (given == nullptr) {
    ASSAY_TRY_ASSIGN(own, make_proposer(context, with_chosen_model(status), follow));
  }
  agent::Proposer& proposer = given == nullptr ? *own : *given;
  Meter meter(status.configuration, progress);
  Context watched = context;
  watched.on_progress = [&meter](const execute::Progress& step) { meter.step(step); };
  JudgeEvaluator evaluator(watched, archive, status.configuration);
  control::Observer observer;
  observer.on_event = [&meter, &follow](const control::CampaignState& state, const std::string& line) {
    meter.event(state, line);
    if (follow) {
      follow(state);
    }
  };
  if (follow) {
    follow(status.state);
  }
  ASSAY_TRY_ASSIGN(status.state, control::run_campaign(archive, campaign.name, evaluator, proposer, observer));
  return status;
}

std::string brief(const base::Json& value) {
  std::string text = base::dump_compact(value);
  if (text.size() > kLongestValue) {
    text = fmt::format("a value of {} characters", text.size());
  }
  return text;
}

void collect_differences(const base::Json& stored, const base::Json& given, const std::string& pointer,
                         std::vector<std::string>& found) {
  if (stored == given || found.size() >= kMostDifferences) {
    return;
  }
  if (stored.is_object() && given.is_object()) {
    for (const auto& [key, value] : stored.items()) {
      const std::string below = pointer + "/" + base::pointer_token(key);
      if (!given.contains(key)) {
        found.push_back(fmt::format("{} was {} and is now absent", below, brief(value)));
      } else {
        collect_differences(value, given[key], below, found);
      }
    }
    for (const auto& [key, value] : given.items()) {
      if (!stored.contains(key)) {
        found.push_back(fmt::format("{}/{} was absent and is now {}", pointer, base::pointer_token(key), brief(value)));
      }
    }
    return;
  }
  if (stored.is_array() && given.is_array() && stored.size() == given.size()) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      collect_differences(stored[i], given[i], fmt::format("{}/{}", pointer, i), found);
    }
    return;
  }
  if (stored.is_array() && given.is_array()) {
    found.push_back(fmt::format("{} had {} entries and now has {}", pointer, stored.size(), given.size()));
    return;
  }
  found.push_back(fmt::format("{} was {} and is now {}", pointer, brief(stored), brief(given)));
}

}  // namespace

std::vector<std::string> differences(const base::Json& stored, const base::Json& given) {
  std::vector<std::string> found;
  collect_differences(stored, given, "", found);
  return found;
}

namespace {

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
