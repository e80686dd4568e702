#include <assay/agent/full_agent.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/agent/agent_proposer.hpp>
#include <assay/agent/role_prompt.hpp>
#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

// nullptr: the baseline.
const Trial* trial_of(const std::vector<Trial>& history, int number) {
  return number == 0 ? nullptr : &history.at(static_cast<std::size_t>(number - 1));
}

void add_sources(const std::string& folder, const std::vector<task::SourceFile>& sources,
                 std::vector<task::SourceFile>& files) {
  for (const task::SourceFile& source : sources) {
    files.push_back({folder + "/" + source.path, source.content});
  }
}

// Candidates that agents made and no summariser was asked about yet.
std::vector<ClaimFacts> facts_to_summarise(const std::vector<Trial>& history, int after,
                                           const task::Solution& baseline) {
  std::vector<ClaimFacts> facts;
  for (const Trial& trial : history) {
    if (trial.number > after && trial.round > 0) {
      facts.push_back(facts_of(trial, trial_of(history, trial.parent.value_or(0)), baseline));
    }
  }
  return facts;
}

std::vector<std::string> faults_of(const RoleRun& run, std::vector<std::string> read) {
  if (run.answer.empty()) {
    read = {kept_statement(fmt::format("no answer: {}: {}", to_string(run.outcome), run.cause))};
  }
  return read;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  all.resize(std::min(all.size(), kMostAnswerFaults));
}

}  // namespace

std::vector<ParentOffer> offers_for(const PopulationRules& rules, const task::Solution& baseline,
                                    const std::vector<Trial>& history, int round) {
  return Population(rules, individuals_of(baseline, history), round).offers();
}

void FullAgent::attend(const Situation& situation, RunJournal& journal) {
  situation_ = situation;
  journal_ = &journal;
}

base::Result<std::vector<Proposal>> FullAgent::propose(const std::vector<Trial>& history, int count) {
  ASSAY_CHECK(journal_ != nullptr);
  situation_.tried = history;
  earlier_ = journal_->earlier();
  ASSAY_TRY_ASSIGN(const Left after_summary, summarise(history));
  if (after_summary == Left::nothing) {
    return std::vector<Proposal>();
  }
  ASSAY_TRY_ASSIGN(const Left after_plan, plan(history, count));
  if (after_plan == Left::nothing) {
    return std::vector<Proposal>();
  }
  return execute(history);
}

base::Result<void> FullAgent::conclude(const std::vector<Trial>& history) {
  ASSAY_CHECK(journal_ != nullptr);
  if (facts_to_summarise(history, situation_.roles.summarised, settings_.baseline).empty()) {
    return {};
  }
  situation_.tried = history;
  earlier_ = journal_->earlier();
  const auto left = summarise(history);
  if (left && *left == Left::budget) {
    return {};
  }
  if (!left && left.error().owner != base::Owner::environment) {
    return tl::unexpected(left.error());
  }
  Summary summary;
  summary.up_to = history.back().number;
  summary.faults = {kept_statement(left ? "the budget does not hold a summariser's run" : left.error().message)};
  return journal_->keep(summary);
}

base::Result<FullAgent::Left> FullAgent::summarise(const std::vector<Trial>& history) {
  const std::vector<ClaimFacts> facts = facts_to_summarise(history, situation_.roles.summarised, settings_.baseline);
  if (facts.empty()) {
    return Left::budget;
  }
  Summary summary;
  summary.up_to = history.back().number;
  RoleTask task{Role::summariser, "", state_json(Role::summariser), {}, {}, summary_schema()};
  for (const ClaimFacts& one : facts) {
    add_sources(fmt::format("candidates/{}/now", one.candidate), one.sources, task.files);
    add_sources(fmt::format("candidates/{}/before", one.candidate), one.parent_sources, task.files);
  }
  std::vector<std::string> last;
  for (int attempt = 0; attempt < kAnswerAttempts && summary.run.empty(); ++attempt) {
    task.prompt = summariser_prompt(situation_, facts, last);
    ASSAY_TRY_ASSIGN(const auto made, run(settings_.summariser, task));
    if (!made) {
      return Left::nothing;
    }
    const ClaimReading reading = read_summary_answer(made->answer, facts);
    last = faults_of(*made, reading.faults);
    append(summary.faults, last);
    if (reading.claims.empty() && !last.empty()) {
      continue;
    }
    summary.run = made->id;
    for (const Claim& claim : reading.claims) {
      const auto about = std::find_if(facts.begin(), facts.end(),
                                      [&](const ClaimFacts& one) { return one.candidate == claim.candidate; });
      summary.claims.push_back(judge_claim(claim, *about));
      if (summary.claims.back().status == ClaimStatus::checked) {
        situation_.roles.lessons.push_back(lesson_of(summary.claims.back()));
      }
    }
  }
  situation_.roles.summarised = summary.up_to;
  ASSAY_TRY(journal_->keep(summary));
  return Left::budget;
}

base::Result<FullAgent::Left> FullAgent::plan(const std::vector<Trial>& history, int count) {
  if (situation_.roles.plan) {
    return Left::budget;
  }
  RoundPlan plan;
  plan.round = situation_.roles.round;
  plan.offers = offers_for(settings_.population, settings_.baseline, history, plan.round);
  PlanRules rules{plan.offers, {}, static_cast<std::size_t>(count)};
  for (const RegimeFact& regime : situation_.regimes) {
    rules.regimes.push_back(regime.name);
  }
  RoleTask task{Role::planner, "", state_json(Role::planner), {}, {}, plan_schema()};
  std::set<int> shown;
  for (const ParentOffer& offer : plan.offers) {
    if (shown.insert(offer.parent).second) {
      const Trial* parent = trial_of(history, offer.parent);
      add_sources(fmt::format("parents/{}", offer.parent),
                  parent == nullptr ? settings_.baseline.sources : parent->solution.sources, task.files);
    }
  }
  std::vector<std::string> last;
  for (int attempt = 0; attempt < kAnswerAttempts && plan.run.empty(); ++attempt) {
    task.prompt = planner_prompt(situation_, plan.offers, rules.most, last);
    ASSAY_TRY_ASSIGN(const auto made, run(settings_.planner, task));
    if (!made) {
      return Left::nothing;
    }
    PlanReading reading = read_plan_answer(made->answer, rules);
    last = faults_of(*made, std::move(reading.faults));
    append(plan.faults, last);
    if (!reading.hypotheses.empty()) {
      plan.run = made->id;
      plan.hypotheses = std::move(reading.hypotheses);
    }
  }
  ASSAY_TRY(journal_->keep(plan));
  situation_.roles.plan = std::move(plan);
  return Left::budget;
}

base::Result<std::vector<Proposal>> FullAgent::execute(const std::vector<Trial>& history) {
  const RoundPlan& plan = *situation_.roles.plan;
  const std::size_t count = plan.hypotheses.empty() ? plan.offers.size() : plan.hypotheses.size();
  std::vector<Proposal> proposals;
  for (std::size_t i = 0; i < count; ++i) {
    const PlannedHypothesis* planned = plan.hypotheses.empty() ? nullptr : &plan.hypotheses[i];
    const int number = planned == nullptr ? plan.offers[i].parent : planned->parent;
    const Trial* parent = trial_of(history, number);
    const task::Solution& origin = parent == nullptr ? settings_.baseline : parent->solution;
    situation_.parent = origin.name;
    situation_.parent_log_ratio = parent == nullptr ? std::optional<double>(0) : parent->log_ratio_to_baseline;
    const RoleTask task{
        Role::executor, executor_prompt(situation_, planned), state_json(Role::executor), origin.sources, {}, "",
        &origin};
    auto made = run(settings_.executor, task);
    if (!made) {
      // What was proposed before is paid: it is judged, and the next round meets the environment again.
      return proposals.empty() ? base::Result<std::vector<Proposal>>(tl::unexpected(std::move(made.error())))
                               : std::move(proposals);
    }
    if (!*made) {
      return proposals;
    }
    auto proposal =
        collect_proposal((*made)->folder, (*made)->id, origin, number == 0 ? std::nullopt : std::optional(number),
                         settings_.executor.choice.word);
    if (proposal) {
      if (planned != nullptr) {
        proposal->hypothesis = stated(*planned);  // What was stated before, not what is said after.
        proposal->stated = number == situation_.incumbent ? std::optional(hypothesis_of(*planned)) : std::nullopt;
      }
      proposals.push_back(std::move(*proposal));
    }
  }
  return proposals;
}

base::Result<std::optional<RoleRun>> FullAgent::run(const RoleSettings& role, const RoleTask& task) {
  return run_role(role, task, make_program_, {settings_.records, settings_.folders}, earlier_, *journal_);
}

std::string FullAgent::state_json(Role role) const {
  base::Json json = encode(situation_);
  json["role"] = std::string(to_string(role));
  json["round"] = situation_.roles.round;
  json["checked"] = situation_.roles.lessons;
  return base::dump_pretty(json);
}

}  // namespace assay::agent
