#include <assay/agent/role_run.hpp>

#include <fmt/format.h>

#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{256} << 10U;

base::Result<AgentRun> start_role(const RoleSettings& settings, const RoleTask& task,
                                  const MakeRoleProgram& make_program, const os::Path& folder, const os::Path& record) {
  AgentChoice choice = settings.choice;
  if (!task.schema.empty()) {
    choice.schema = task.schema;
  }
  ASSAY_TRY_ASSIGN(const AgentProgram program, make_program(choice, seen_folder(folder)));
  ASSAY_TRY(os::create_directories(record.parent_path()));
  return run_agent(program, folder, record, settings.limits, std::nullopt);
}

}  // namespace

base::Result<std::optional<RoleRun>> run_role(const RoleSettings& settings, const RoleTask& task,
                                              const MakeRoleProgram& make_program, const os::Path& records,
                                              RunJournal& journal) {
  const std::string agent = fmt::format("{} ({})", settings.choice.word, to_string(task.role));
  auto id = journal.intend({agent, settings.most, settings.limits.wall});
  if (!id) {
    return id.error().code == "budget.reached" ? base::Result<std::optional<RoleRun>>(std::nullopt)
                                               : tl::unexpected(std::move(id.error()));
  }
  std::error_code ignored;
  ASSAY_TRY_ASSIGN(os::TemporaryDirectory home,
                   os::TemporaryDirectory::create(std::filesystem::temp_directory_path(ignored), "assay-role-"));
  RoleRun result{std::move(*id), RunOutcome::truncated, "", "", std::move(home)};
  const os::Path folder = result.folder();
  ASSAY_TRY(os::create_directories(folder));
  ASSAY_TRY(lay_out(folder, task.prompt, task.state, task.candidate));
  ASSAY_TRY(add_files(folder, task.files));
  if (!task.schema.empty()) {
    ASSAY_TRY(add_files(folder, {{kSchemaFile, task.schema}}));
  }
  auto run = start_role(settings, task, make_program, folder, records / (result.id + ".jsonl"));
  if (!run) {
    // Nothing was asked of a model: it could not be started.
    ASSAY_TRY(
        journal.end({result.id, RunOutcome::not_started, run.error().text(), "", "", {Certainty::exact, {}}, {}}));
    return tl::unexpected(std::move(run.error()));
  }
  const StreamSummary& summary = run->summary;
  ASSAY_TRY(journal.end(
      {result.id, summary.outcome, summary.cause, summary.session, summary.model, summary.spend, run->wall}));
  if (is_environment(summary.outcome)) {
    return base::environment_error(
        "agent." + std::string(to_string(summary.outcome)),
        fmt::format("{} could not do its work: {}: {}", agent, summary.cause, remedy(summary.outcome)));
  }
  result.outcome = summary.outcome;
  result.cause = summary.cause;
  // The file first: it is there for every kind of program.
  result.answer = read_left_file(folder, kAnswerFile, kMostAnswerBytes).value_or(summary.answer);
  return std::optional(std::move(result));
}

}  // namespace assay::agent
