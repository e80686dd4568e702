#include <assay/service/campaign_comparison.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/os/file.hpp>
#include <assay/report/wording.hpp>
#include <assay/service/campaign_report.hpp>
#include <assay/service/judgement.hpp>

namespace assay::service {
namespace {

using control::Resource;

struct NamedResource {
  Resource resource;
  const char* name;
};
constexpr std::array<NamedResource, control::kResources> kResourcesShown = {
    NamedResource{Resource::micro_dollars, "dollars"}, NamedResource{Resource::tokens, "tokens"},
    NamedResource{Resource::wall_ms, "time of agents and judges"}, NamedResource{Resource::device_ms, "device time"},
    NamedResource{Resource::human_seconds, "time of people"}};

constexpr double kMicro = 1e6;
constexpr double kMilli = 1e3;
constexpr int kFirstYearOfTm = 1900;

// "2026-11-29T17:39:39Z", as base::utc_now() writes it.
base::Result<std::int64_t> unix_seconds(const std::string& utc) {
  std::tm parts{};
  if (std::sscanf(utc.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
    return base::internal_error("comparison.time", fmt::format("a journal event has the time \"{}\"", utc));
  }
  parts.tm_year -= kFirstYearOfTm;
  parts.tm_mon -= 1;
  return static_cast<std::int64_t>(::timegm(&parts));
}

double on_axis(const control::Amounts& spent, std::optional<Resource> axis, std::int64_t elapsed) {
  if (!axis) {
    return static_cast<double>(elapsed);
  }
  const auto amount = static_cast<double>(spent[*axis]);
  return *axis == Resource::micro_dollars ? amount / kMicro : *axis == Resource::tokens ? amount : amount / kMilli;
}

std::string axis_name(std::optional<Resource> axis) {
  if (!axis) {
    return "seconds that went by";
  }
  return *axis == Resource::micro_dollars ? "dollars spent by agents"
         : *axis == Resource::tokens      ? "tokens spent by agents"
                                          : "seconds of agents and judges";
}

std::string cost_between(const control::Amounts& before, const control::Amounts& now) {
  std::vector<std::string> parts;
  for (const NamedResource& one : kResourcesShown) {
    if (const std::int64_t amount = now[one.resource] - before[one.resource]; amount > 0) {
      parts.push_back(control::amount_text(one.resource, amount));
    }
  }
  return parts.empty() ? "nothing that is booked" : base::join(parts, ", ");
}

std::string mode_of(const control::CampaignConfiguration& configuration) {
  if (!configuration.agent) {
    return configuration.tunable ? "the tuner" : "by hand";
  }
  const control::AgentPlan& plan = *configuration.agent;
  return plan.full_agent ? fmt::format("full agent: {} plans, {} carries out, {} summarises", plan.full_agent->planner,
                                       plan.word, plan.full_agent->summariser)
                         : "one agent: " + plan.word;
}

void count_candidates(const control::CampaignState& state, report::ComparedCampaign& side) {
  side.candidates = static_cast<int>(state.candidates.size());
  for (const control::CandidateState& one : state.candidates) {
    if (one.outcome == task::Outcome::duplicate) {
      ++side.duplicates;
    } else if (one.outcome) {
      ++side.judged;
      side.invalid += task::is_correct(*one.outcome) ? 0 : 1;
    }
  }
}

std::vector<report::SpentLine> spent_lines(const control::Ledger& ledger) {
  std::vector<report::SpentLine> lines;
  for (const NamedResource& one : kResourcesShown) {
    const std::int64_t amount = ledger.spent()[one.resource];
    const auto limit = ledger.budget()[one.resource];
    if (amount > 0 || limit) {
      lines.push_back({one.name, control::amount_text(one.resource, amount),
                       limit ? "of " + control::amount_text(one.resource, *limit) : "no limit"});
    }
  }
  return lines;
}

// 1 where the baseline stays: nothing is measured of it against itself, and it is itself.
std::optional<report::Ratio> confirmed_of(const control::CampaignState& state) {
  if (state.phase != control::Phase::finished) {
    return std::nullopt;
  }
  if (!state.incumbent) {
    return report::Ratio{};
  }
  return state.confirmation
             ? std::optional(report::Ratio{state.confirmation->speedup, state.confirmation->speedup_lower,
                                           state.confirmation->speedup_upper})
             : std::nullopt;
}

base::Result<void> check_same_task(const control::CampaignConfiguration& a, const control::CampaignConfiguration& b) {
  const auto same_workload = [](const task::Workload& x, const task::Workload& y) { return x.uuid == y.uuid; };
  std::vector<std::string> different;
  if (a.definition.name != b.definition.name) {
    different.emplace_back("definition");
  }
  if (a.device != b.device) {
    different.emplace_back("device");
  }
  if (task::identify(a.baseline) != task::identify(b.baseline)) {
    different.emplace_back("baseline");
  }
  if (!std::equal(a.workloads.begin(), a.workloads.end(), b.workloads.begin(), b.workloads.end(), same_workload)) {
    different.emplace_back("workloads");
  }
  if (different.empty()) {
    return {};
  }
  return base::input_error(
      "comparison.other_task",
      fmt::format("campaigns {} and {} differ in {}: their speedups are not over the same; compare "
                  "campaigns of one task",
                  a.name, b.name, base::join(different, ", ")));
}

bool has_limit(const control::Budget& budget) {
  return std::any_of(budget.limits.begin(), budget.limits.end(), [](const auto& limit) { return limit.has_value(); });
}

std::string budget_sentence(const control::Budget& a, const control::Budget& b) {
  if (!has_limit(a) && !has_limit(b)) {
    return "Neither had a budget: only gain over spend compares them, not their ends.";
  }
  if (!(a == b)) {
    return "Their budgets differ: only gain over spend compares them, not their ends.";
  }
  std::vector<std::string> limits;
  for (const NamedResource& one : kResourcesShown) {
    if (const auto limit = a[one.resource]) {
      limits.push_back(control::amount_text(one.resource, *limit));
    }
  }
  return fmt::format("Both had the same budget: {}.", base::join(limits, ", "));
}

// What speaks against holding the two confirmations beside each other.
base::Result<std::vector<std::string>> differing_conditions(const archive::Archive& archive,
                                                            const control::CampaignState& a,
                                                            const control::CampaignState& b) {
  const auto environment = [&](const control::CampaignState& state) -> base::Result<task::Named<std::string>> {
    const std::string& id =
        state.confirmation_evaluation.empty() ? state.baseline_evaluation : state.confirmation_evaluation;
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(id));
    return evaluation ? evaluation->environment : task::Named<std::string>();
  };
  ASSAY_TRY_ASSIGN(const auto first, environment(a));
  ASSAY_TRY_ASSIGN(const auto second, environment(b));
  if (same_conditions(first, second)) {
    return std::vector<std::string>();
  }
  std::vector<std::string> differences = condition_differences(first, second);
  if (differences.empty()) {
    differences.emplace_back("a machine that does not describe itself");
  }
  return differences;
}

base::Json encode_side(const report::ComparedCampaign& side) {
  base::Json promotions = base::Json::array();
  for (const report::ComparedPromotion& one : side.promotions) {
    promotions.push_back({{"candidate", one.candidate},
                          {"name", one.name},
                          {"elapsed_seconds", one.elapsed_seconds},
                          {"spend", one.spend},
                          {"cost", one.cost},
                          {"speedup", one.speedup},
                          {"demoted", one.demoted}});
  }
  base::Json spent = base::Json::object();
  for (const report::SpentLine& line : side.spent) {
    spent[line.resource] = {{"spent", line.spent}, {"limit", line.limit}};
  }
  base::Json confirmed;
  if (side.confirmed) {
    confirmed = {side.confirmed->estimate, side.confirmed->lower, side.confirmed->upper};
  }
  return {{"name", side.name},
          {"mode", side.mode},
          {"state", side.state},
          {"runs", side.runs},
          {"candidates", side.candidates},
          {"duplicates", side.duplicates},
          {"judged", side.judged},
          {"invalid", side.invalid},
          {"promotions", std::move(promotions)},
          {"spent", std::move(spent)},
          {"spend", side.end},
          {"elapsed_seconds", side.elapsed_seconds},
          {"confirmed", std::move(confirmed)}};
}

}  // namespace

std::optional<Resource> common_axis(const control::Ledger& first, const control::Ledger& second) {
  for (const Resource resource : {Resource::micro_dollars, Resource::tokens, Resource::wall_ms}) {
    if (first.spent()[resource] > 0 && second.spent()[resource] > 0) {
      return resource;
    }
  }
  return std::nullopt;
}

base::Result<report::ComparedCampaign> compared_campaign(const CampaignStatus& status,
                                                         const std::vector<archive::Event>& events,
                                                         std::optional<Resource> axis) {
  report::ComparedCampaign side;
  side.name = status.configuration.name;
  side.mode = mode_of(status.configuration);
  side.state = control::to_string(status.state.phase);
  std::replace(side.state.begin(), side.state.end(), '_', ' ');
  side.runs = status.state.agent_runs;
  count_candidates(status.state, side);
  side.spent = spent_lines(status.state.ledger);
  side.confirmed = confirmed_of(status.state);
  control::CampaignState state;
  control::Amounts before;
  std::int64_t began = 0;
  for (const archive::Event& event : events) {
    ASSAY_TRY(control::apply(status.configuration, event, state));
    ASSAY_TRY_ASSIGN(const std::int64_t now, unix_seconds(event.at));
    began = event.sequence == 1 ? now : began;
    side.elapsed_seconds = std::max(side.elapsed_seconds, now - began);  // A clock may be set back.
    if (event.kind != control::CandidatePromoted::kKind) {
      continue;
    }
    report::ComparedPromotion promotion;
    const control::CandidateState& candidate = state.candidate(*state.incumbent);
    promotion.candidate = candidate.number;
    promotion.name = candidate.name;
    promotion.elapsed_seconds = side.elapsed_seconds;
    promotion.spend = on_axis(state.ledger.spent(), axis, side.elapsed_seconds);
    promotion.cost = cost_between(before, state.ledger.spent());
    for (const int number : state.reign) {
      const auto& decision = state.candidate(number).decision;
      promotion.speedup *= decision ? decision->speedup : 1;
    }
    promotion.demoted = status.state.candidate(candidate.number).demotion.has_value();
    before = state.ledger.spent();
    side.promotions.push_back(std::move(promotion));
  }
  side.end = on_axis(state.ledger.spent(), axis, side.elapsed_seconds);
  return side;
}

EndVerdict judge_ends(const report::ComparedCampaign& first, const report::ComparedCampaign& second,
                      const std::vector<std::string>& other_conditions) {
  for (const report::ComparedCampaign* side : {&first, &second}) {
    if (!side->confirmed) {
      return {false, fmt::format("Not decidable: {} is {}, and its incumbent is not confirmed against the baseline.",
                                 side->name, side->state)};
    }
  }
  const std::string a = report::with_interval(*first.confirmed);
  const std::string b = report::with_interval(*second.confirmed);
  if (!other_conditions.empty()) {
    return {false, fmt::format("Not decidable: {} ({}) and {} ({}) were confirmed under other conditions: {}.",
                               first.name, a, second.name, b, base::join(other_conditions, "; "))};
  }
  const bool first_wins = first.confirmed->lower > second.confirmed->upper;
  const bool second_wins = second.confirmed->lower > first.confirmed->upper;
  if (!first_wins && !second_wins) {
    return {false, fmt::format("Not decidable: the confirmed speedups of {} ({}) and {} ({}) are not apart.",
                               first.name, a, second.name, b)};
  }
  return {true, fmt::format("Decided: {} ended faster. Its confirmed speedup over the baseline, {}, lies wholly above "
                            "that of {}, {}.",
                            first_wins ? first.name : second.name, first_wins ? a : b,
                            first_wins ? second.name : first.name, first_wins ? b : a)};
}

base::Result<report::CampaignComparison> compare_campaigns(const Context& context, const std::string& first,
                                                           const std::string& second) {
  if (first == second) {
    return base::input_error("comparison.same", fmt::format("{} is one campaign: name two", first));
  }
  ASSAY_TRY_ASSIGN(const CampaignStatus a, campaign_status(context, first));
  ASSAY_TRY_ASSIGN(const CampaignStatus b, campaign_status(context, second));
  ASSAY_TRY(check_same_task(a.configuration, b.configuration));
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  const std::optional<Resource> axis = common_axis(a.state.ledger, b.state.ledger);
  report::CampaignComparison comparison;
  comparison.definition = a.configuration.definition.name;
  comparison.device = a.configuration.device;
  comparison.baseline = a.configuration.baseline.name;
  comparison.axis = axis_name(axis);
  for (auto [status, side] : {std::pair(&a, &comparison.first), std::pair(&b, &comparison.second)}) {
    ASSAY_TRY_ASSIGN(const auto events, archive.events(status->configuration.name));
    ASSAY_TRY_ASSIGN(*side, compared_campaign(*status, events, axis));
  }
  ASSAY_TRY_ASSIGN(const auto conditions, differing_conditions(archive, a.state, b.state));
  EndVerdict verdict = judge_ends(comparison.first, comparison.second, conditions);
  comparison.decided = verdict.decided;
  comparison.statement = std::move(verdict.statement);
  // What each may spend now: a person may have raised it.
  const auto budget_now = [](const CampaignStatus& status) {
    return status.state.last_sequence == 0 ? control::budget_of(status.configuration) : status.state.ledger.budget();
  };
  const control::Budget budget = budget_now(a);
  comparison.equal_budgets = has_limit(budget) && budget == budget_now(b);
  comparison.sentences.push_back(budget_sentence(budget, budget_now(b)));
  if (promote::encode(a.configuration.policy) != promote::encode(b.configuration.policy)) {
    comparison.sentences.push_back(
        fmt::format("Their policies differ: {} and {}.", a.configuration.policy.name, b.configuration.policy.name));
  }
  comparison.sentences.emplace_back(
      "Each is one campaign: this says which of the two ended faster, not which way of working is better; that takes "
      "several campaigns of each, with different seeds.");
  comparison.sentences.emplace_back(
      "The two were confirmed in different sessions, each against the baseline. To hold them against each other in one "
      "session: assay compare, with the digests of both incumbents.");
  comparison.generated = base::utc_now();
  comparison.version = version();
  return comparison;
}

base::Json encode(const report::CampaignComparison& comparison) {
  return {{"definition", comparison.definition},       {"device", comparison.device},
          {"baseline", comparison.baseline},           {"axis", comparison.axis},
          {"equal_budgets", comparison.equal_budgets}, {"decided", comparison.decided},
          {"statement", comparison.statement},         {"sentences", comparison.sentences},
          {"first", encode_side(comparison.first)},    {"second", encode_side(comparison.second)}};
}

base::Result<void> write_comparison(const report::CampaignComparison& comparison, const os::Path& file) {
  if (file.has_parent_path()) {
    ASSAY_TRY(os::create_directories(file.parent_path()));
  }
  return os::write_file_atomic(file, report::render_comparison(comparison));
}

}  // namespace assay::service
