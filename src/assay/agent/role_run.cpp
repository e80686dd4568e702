#include <assay/agent/role_run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <assay/agent/kept_run.hpp>
#include <assay/agent/run_ending.hpp>
#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{256} << 10U;

// One call of run_role, with all that it was given.
class RoleRunner {
 public:
  RoleRunner(const RoleSettings& settings, const RoleTask& task, const MakeRoleProgram& make_program,
             const RolePlaces& places, RunJournal& journal)
      : settings_(settings),
        task_(task),
        make_program_(make_program),
        places_(places),
        journal_(journal),
        agent_(fmt::format("{} ({})", settings.choice.word, to_string(task.role))) {}

  [[nodiscard]] const std::string& agent() const { return agent_; }

  // Goes on with a run of an earlier controller; nothing where nobody knows what came of it.
  base::Result<std::optional<RoleRun>> take_over(const EarlierRun& earlier) {
    const KeptRun kept(places_.folders, earlier.id);
    if (earlier.outcome && is_environment(*earlier.outcome)) {
      return std::optional<RoleRun>();  // A person has mended the cause since.
    }
    ASSAY_TRY_ASSIGN(const auto ending, kept.ending());
    if (ending) {
      if (!earlier.outcome) {
        ASSAY_TRY(journal_.end(*ending));
      }
      return follow(*ending);
    }
    if (earlier.outcome) {
      return std::optional<RoleRun>();
    }
    if (!kept.begun()) {
      return make(earlier.id);
    }
    ASSAY_TRY_ASSIGN(const AgentProgram program, make_program_(settings_.choice, seen_folder(kept.work())));
    ASSAY_TRY(journal_.end(cut_off(earlier.id, program.dialect, places_.records, journal_)));
    return std::optional<RoleRun>();
  }

  base::Result<std::optional<RoleRun>> make_another() {
    const std::chrono::nanoseconds all = settings_.limits.wall + settings_.limits.grace;
    const std::chrono::nanoseconds allowed = journal_.allowed_wall(all);
    // Less than its end alone needs is nothing: then all is asked for, and refused.
    auto id = journal_.intend({agent_, settings_.most, allowed > settings_.limits.grace ? allowed : all});
    if (!id) {
      return id.error().code == "budget.reached" ? base::Result<std::optional<RoleRun>>(std::nullopt)
                                                 : tl::unexpected(std::move(id.error()));
    }
    ASSAY_TRY(remove_kept_before(places_.folders, *id, journal_.runs_of_round()));
    return make(*id);
  }

 private:
  // Makes the run of this id, from nothing.
  base::Result<std::optional<RoleRun>> make(const std::string& id) {
    const KeptRun kept(places_.folders, id);
    ASSAY_TRY(kept.create());
    ASSAY_TRY(lay_out(kept.work(), task_.prompt, task_.state, task_.candidate));
    ASSAY_TRY(add_files(kept.work(), task_.files));
    if (!task_.schema.empty()) {
      ASSAY_TRY(add_files(kept.work(), {{kSchemaFile, task_.schema}}));
    }
    ASSAY_TRY(kept.begin());
    auto run = start(kept.work(), id);
    RunEnding ending = run ? ended(id, run->summary, own_spend(id, run->summary, places_.records, journal_), run->wall)
                           : not_started(id, run.error());
    if (run && task_.origin != nullptr && !is_environment(ending.outcome)) {
      ending.cause += left_words(read_left_sources(kept.work(), *task_.origin));
    }
    if (run && !run->summary.answer.empty()) {
      ASSAY_TRY(os::write_file_atomic(kept.answer(), run->summary.answer));
    }
    ASSAY_TRY(kept.keep(ending));
    ASSAY_TRY(journal_.end(ending));
    if (!run) {
      return tl::unexpected(std::move(run.error()));
    }
    return follow(ending);
  }

  base::Result<AgentRun> start(const os::Path& folder, const std::string& id) {
    AgentChoice choice = settings_.choice;
    if (!task_.schema.empty()) {
      choice.schema = task_.schema;
    }
    ASSAY_TRY_ASSIGN(const AgentProgram program, make_program_(choice, seen_folder(folder)));
    ASSAY_TRY(os::create_directories(places_.records));
    const RunLimits limits = limits_within(settings_.limits, settings_.most,
                                           journal_.allowed_wall(settings_.limits.wall + settings_.limits.grace));
    return run_agent(program, folder, record_of(places_.records, id), limits, std::nullopt);
  }

  // What follows from a run whose end is in the journal.
  base::Result<std::optional<RoleRun>> follow(const RunEnding& ending) {
    if (is_environment(ending.outcome)) {
      return environment_failure(agent_, ending.outcome, ending.cause);
    }
    const KeptRun kept(places_.folders, ending.id);
    RoleRun result{ending.id, ending.outcome, ending.cause, "", kept.work()};
    // The file first: it is there for every kind of program.
    if (auto left = read_left_file(result.folder, kAnswerFile, kMostAnswerBytes)) {
      result.answer = std::move(*left);
    } else if (auto given = os::read_file(kept.answer())) {
      result.answer = std::move(*given);
    }
    return std::optional(std::move(result));
  }

  const RoleSettings& settings_;
  const RoleTask& task_;
  const MakeRoleProgram& make_program_;
  const RolePlaces& places_;
  RunJournal& journal_;
  std::string agent_;
};

}  // namespace

base::Result<std::optional<RoleRun>> run_role(const RoleSettings& settings, const RoleTask& task,
                                              const MakeRoleProgram& make_program, const RolePlaces& places,
                                              std::vector<EarlierRun>& earlier, RunJournal& journal) {
  RoleRunner runner(settings, task, make_program, places, journal);
  while (true) {
    const auto own = std::find_if(earlier.begin(), earlier.end(),
                                  [&](const EarlierRun& one) { return one.agent == runner.agent(); });
    if (own == earlier.end()) {
      return runner.make_another();
    }
    const EarlierRun taken = *own;
    earlier.erase(own);
    ASSAY_TRY_ASSIGN(auto run, runner.take_over(taken));
    if (run) {
      return std::optional(std::move(*run));
    }
  }
}

}  // namespace assay::agent
