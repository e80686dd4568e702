#include <assay/agent/agent_proposer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
  const Trial* best =
      starting_trial(history, situation_->start_from,
                     settings_.keeps_language ? std::optional(settings_.origin.spec.language) : std::nullopt);
  const task::Solution& parent = best == nullptr ? settings_.origin : best->solution;
  Situation situation = *situation_;
  situation.parent = parent.name;
  situation.parent_log_ratio = best == nullptr ? std::optional<double>(0) : best->log_ratio_to_baseline;
  if (settings_.keeps_language) {
    situation.interface = fmt::format("They stay in {}, and keep their entry point, {}.",
                                      task::to_string(parent.spec.language), parent.spec.entry_point);
    // How fast what it begins with is, nobody has measured.
    situation.parent_log_ratio = best == nullptr ? std::nullopt : best->log_ratio_to_baseline;
  }
  situation.tried = history;

  std::vector<Proposal> proposals;
  for (int i = 0; i < count; ++i) {
    auto id = journal_->intend({name(), settings_.most, settings_.limits.wall});
    if (!id) {
      // Whoever may not spend any more has nothing left to propose.
      return id.error().code == "budget.reached" ? base::Result<std::vector<Proposal>>(std::move(proposals))
                                                 : tl::unexpected(std::move(id.error()));
    }
    std::error_code ignored;
    ASSAY_TRY_ASSIGN(const os::TemporaryDirectory home,
                     os::TemporaryDirectory::create(std::filesystem::temp_directory_path(ignored), "assay-agent-"));
    const os::Path folder = home.path() / "work";
    ASSAY_TRY(os::create_directories(folder));
    ASSAY_TRY(lay_out(folder, render_prompt(situation), base::dump_pretty(encode(situation)), parent.sources));
    auto run = run_once(folder, *id);
    if (!run) {
      // Nothing was asked of a model: it could not be started.
      ASSAY_TRY(journal_->end({*id, RunOutcome::not_started, run.error().text(), "", "", {Certainty::exact, {}}, {}}));
      return tl::unexpected(std::move(run.error()));
    }
    const StreamSummary& summary = run->summary;
    ASSAY_TRY(
        journal_->end({*id, summary.outcome, summary.cause, summary.session, summary.model, summary.spend, run->wall}));
    if (is_environment(summary.outcome)) {
      if (!proposals.empty()) {
        return proposals;
      }
      return base::environment_error(
          "agent." + std::string(to_string(summary.outcome)),
          fmt::format("{} could not do its work: {}: {}", name(), summary.cause, remedy(summary.outcome)));
    }
    ASSAY_TRY_ASSIGN(
        auto proposal,
        collect_proposal(folder, *id, parent, best == nullptr ? std::nullopt : std::optional(best->number), name()));
    if (proposal) {
      proposals.push_back(std::move(*proposal));
    }
  }
  return proposals;
}

base::Result<AgentRun> AgentProposer::run_once(const os::Path& folder, const std::string& id) const {
  ASSAY_TRY(os::create_directories(settings_.records));
  if (settings_.http) {
    return run_http_agent(*settings_.http, folder, settings_.records / (id + ".jsonl"), settings_.limits);
  }
  ASSAY_TRY_ASSIGN(const AgentProgram program, make_program_(seen_folder(folder)));
  return run_agent(program, folder, settings_.records / (id + ".jsonl"), settings_.limits, std::nullopt);
}

base::Result<std::optional<Proposal>> collect_proposal(const os::Path& folder, const std::string& id,
                                                       const task::Solution& parent, std::optional<int> number,
                                                       const std::string& author) {
  ASSAY_TRY_ASSIGN(LeftSources left, read_left_sources(folder));
  const std::string entry = parent.entry_file();
  const bool has_entry = std::any_of(left.sources.begin(), left.sources.end(),
                                     [&](const task::SourceFile& source) { return source.path == entry; });
  if (!left.fault.empty() || !has_entry) {
    return std::optional<Proposal>();
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
  return std::optional(std::move(proposal));
}

}  // namespace assay::agent
