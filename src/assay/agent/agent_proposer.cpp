#include <assay/agent/agent_proposer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/agent/kept_run.hpp>
#include <assay/agent/run_ending.hpp>
#include <assay/agent/stated_hypothesis.hpp>
#include <assay/agent/working_folder.hpp>

namespace assay::agent {

const Trial* fastest_trial(const std::vector<Trial>& history, std::optional<task::Language> language) {
  const Trial* best = nullptr;
  for (const Trial& trial : history) {
    const bool counts = task::is_correct(trial.outcome) && trial.log_ratio_to_baseline.value_or(0) < 0 &&
                        (!language || trial.solution.spec.language == *language);
    if (counts && (best == nullptr || *trial.log_ratio_to_baseline < *best->log_ratio_to_baseline)) {
      best = &trial;
    }
  }
  return best;
}

const Trial* starting_trial(const std::vector<Trial>& history, std::optional<int> wanted,
                            std::optional<task::Language> language) {
  const auto found = std::find_if(history.begin(), history.end(), [&](const Trial& trial) {
    return wanted == trial.number && task::is_correct(trial.outcome) &&
           (!language || trial.solution.spec.language == *language);
  });
  return found == history.end() ? fastest_trial(history, language) : &*found;
}

void AgentProposer::attend(const Situation& situation, RunJournal& journal) {
  situation_ = situation;
  journal_ = &journal;
}

base::Result<std::vector<Proposal>> AgentProposer::propose(const std::vector<Trial>& history, int count) {
  ASSAY_CHECK(journal_ != nullptr && situation_);
  Round round;
  round.best = starting_trial(history, situation_->start_from,
                              settings_.keeps_language ? std::optional(settings_.origin.spec.language) : std::nullopt);
  round.parent = round.best == nullptr ? &settings_.origin : &round.best->solution;
  round.situation = *situation_;
  round.situation.parent = round.parent->name;
  round.situation.parent_log_ratio =
      round.best == nullptr ? std::optional<double>(0) : round.best->log_ratio_to_baseline;
  if (settings_.keeps_language) {
    round.situation.interface =
        fmt::format("They stay in {}, and keep their entry point, {}.", task::to_string(round.parent->spec.language),
                    round.parent->spec.entry_point);
    // How fast what it begins with is, nobody has measured.
    round.situation.parent_log_ratio = round.best == nullptr ? std::nullopt : round.best->log_ratio_to_baseline;
  }
  round.situation.tried = history;
  round.situation.tools = settings_.choice.tools.has_value();

  for (const EarlierRun& earlier : journal_->earlier()) {
    ASSAY_TRY_ASSIGN(const Next next, take_over(earlier, round));
    if (next == Next::enough) {
      return std::move(round.proposals);
    }
  }
  bool tidied = false;
  while (round.runs < count) {
    const std::chrono::nanoseconds allowed = allowed_wall();
    // Less than its end alone needs is nothing: then all is asked for, and refused.
    const auto wall = allowed > settings_.limits.grace ? allowed : settings_.limits.wall + settings_.limits.grace;
    auto id = journal_->intend({name(), settings_.most, wall});
    if (!id) {
      // Whoever may not spend any more has nothing left to propose.
      return id.error().code == "budget.reached" ? base::Result<std::vector<Proposal>>(std::move(round.proposals))
                                                 : tl::unexpected(std::move(id.error()));
    }
    if (!tidied) {  // Folders of this round stay until its proposals are written down.
      ASSAY_TRY(remove_kept_before(settings_.folders, *id, journal_->runs_of_round()));
      tidied = true;
    }
    ASSAY_TRY_ASSIGN(const Next next, make(*id, round));
    if (next == Next::enough) {
      break;
    }
  }
  return std::move(round.proposals);
}

// Until it is dead: whoever is interrupted at the limit has a while for its account.
std::chrono::nanoseconds AgentProposer::allowed_wall() const {
  return journal_->allowed_wall(settings_.limits.wall + settings_.limits.grace);
}

base::Result<AgentProposer::Next> AgentProposer::take_over(const EarlierRun& earlier, Round& round) {
  const KeptRun kept(settings_.folders, earlier.id);
  if (earlier.outcome) {
    if (is_environment(*earlier.outcome)) {
      // The round ended with it, if anything had been proposed; else a person has mended the cause since.
      return round.proposals.empty() ? Next::go_on : Next::enough;
    }
    ASSAY_TRY_ASSIGN(const auto ending, kept.ending());
    return ending ? follow(earlier.id, ending->outcome, ending->cause, round) : base::Result<Next>(Next::go_on);
  }
  ASSAY_TRY_ASSIGN(const auto ending, kept.ending());
  if (ending) {
    ASSAY_TRY(journal_->end(*ending));
    return follow(earlier.id, ending->outcome, ending->cause, round);
  }
  if (!kept.begun()) {
    return make(earlier.id, round);
  }
  ASSAY_TRY(end_interrupted(earlier.id));
  return Next::go_on;
}

base::Result<AgentProposer::Next> AgentProposer::make(const std::string& id, Round& round) {
  const KeptRun kept(settings_.folders, id);
  ASSAY_TRY(kept.create());
  ASSAY_TRY(lay_out(kept.work(), render_prompt(round.situation), base::dump_pretty(encode(round.situation)),
                    round.parent->sources));
  ASSAY_TRY(kept.begin());
  auto run = run_once(kept.work(), id, *round.parent);
  RunEnding ending = run ? ended(id, run->summary, own_spend(id, run->summary, settings_.records, *journal_), run->wall)
                         : not_started(id, run.error());
  if (run && !is_environment(ending.outcome)) {
    ending.cause += left_words(read_left_sources(kept.work(), *round.parent));
  }
  ASSAY_TRY(kept.keep(ending));
  ASSAY_TRY(journal_->end(ending));
  if (!run) {
    return tl::unexpected(std::move(run.error()));
  }
  return follow(id, ending.outcome, ending.cause, round);
}

base::Result<AgentProposer::Next> AgentProposer::follow(const std::string& id, RunOutcome outcome,
                                                        const std::string& cause, Round& round) const {
  if (is_environment(outcome)) {
    if (!round.proposals.empty()) {
      return Next::enough;
    }
    return environment_failure(name(), outcome, cause);
  }
  ++round.runs;
  auto proposal = collect_proposal(KeptRun(settings_.folders, id).work(), id, *round.parent,
                                   round.best == nullptr ? std::nullopt : std::optional(round.best->number), name());
  if (proposal) {
    round.proposals.push_back(std::move(*proposal));
  }
  return Next::go_on;
}

base::Result<void> AgentProposer::end_interrupted(const std::string& id) {
  std::optional<Dialect> dialect;
  if (!settings_.http) {
    ASSAY_TRY_ASSIGN(const AgentProgram program, make_program_(seen_folder(settings_.folders)));
    dialect = program.dialect;
  }
  return journal_->end(cut_off(id, dialect, settings_.records, *journal_));
}

base::Result<AgentRun> AgentProposer::run_once(const os::Path& folder, const std::string& id,
                                               const task::Solution& parent) const {
  ASSAY_TRY(os::create_directories(settings_.records));
  const RunLimits limits = limits_within(settings_.limits, settings_.most, allowed_wall());
  const os::Path record = record_of(settings_.records, id);
  if (settings_.http) {
    return run_http_agent(*settings_.http, parent, folder, record, limits);
  }
  ASSAY_TRY_ASSIGN(const AgentProgram program, make_program_(seen_folder(folder)));
  return run_agent(program, folder, record, limits, std::nullopt);
}

std::optional<Proposal> collect_proposal(const os::Path& folder, const std::string& id, const task::Solution& parent,
                                         std::optional<int> number, const std::string& author) {
  LeftSources left = read_left_sources(folder, parent);
  if (!left.fault.empty()) {
    return std::nullopt;
  }
  Proposal proposal;
  proposal.solution = parent;
  proposal.solution.name = id;
  proposal.solution.author = author;
  proposal.solution.description.reset();
  proposal.solution.sources = std::move(left.sources);
  proposal.hypothesis = read_hypothesis(folder);
  proposal.stated = read_stated_hypothesis(folder);
  proposal.parent = number;
  return proposal;
}

}  // namespace assay::agent
