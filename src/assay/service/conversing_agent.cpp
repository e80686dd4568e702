#include <assay/service/conversing_agent.hpp>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/prompt.hpp>

namespace assay::service {
namespace {

// The folder that is shown in the sandbox: everybody there is nobody, and must be able to enter it.
base::Result<os::Path> shown_folder(const os::Path& private_folder) {
  os::Path folder = private_folder / "shown";
  ASSAY_TRY(os::create_directories(folder));
  std::error_code error;
  using std::filesystem::perms;
  std::filesystem::permissions(folder, perms::owner_all | perms::others_read | perms::others_exec, error);
  if (error) {
    return base::system_error("agent.tools", "cannot show " + folder.string() + " to the agent", error.value());
  }
  return folder;
}

}  // namespace

base::Result<std::unique_ptr<ConversingAgent>> ConversingAgent::create(
    const Context& context, const control::CampaignConfiguration& configuration, agent::AgentSettings settings) {
  const os::Path program = context.places.judge.parent_path() / "assay";
  std::error_code error;
  if (!context.offer_tools || !std::filesystem::exists(program, error)) {
    return base::environment_error("agent.no_tools",
                                   fmt::format("the agent's tools are to be reached by {}, which is not there: the "
                                               "programs belong side by side",
                                               program.string()));
  }
  ASSAY_TRY_ASSIGN(os::TemporaryDirectory folder,
                   os::TemporaryDirectory::create(std::filesystem::temp_directory_path(error), "assay-tools-"));
  std::unique_ptr<ConversingAgent> agent(new ConversingAgent(std::move(folder)));
  agent->stop_ = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!agent->stop_.valid()) {
    return base::system_error("agent.tools", "cannot make an eventfd", errno);
  }
  ASSAY_TRY_ASSIGN(const os::Path shown, shown_folder(agent->folder_.path()));
  const os::Path seen = os::seen_path(shown, kToolFolderInside);
  settings.choice.tools = agent::ToolServer{program,
                                            {"mcp", "--connect", (seen / kToolSocket).string()},
                                            {{shown, kToolFolderInside, os::SandboxBind::Use::read}}};
  settings.limits.stop = agent->stop_.get();
  const agent::AgentChoice choice = settings.choice;
  agent->rounds_ = configuration.rounds;

  ConversingProposer::Ways ways;
  ways.agent = std::make_unique<agent::AgentProposer>(std::move(settings), [choice](const os::Path& inside) {
    return agent::make_agent_program(choice, inside, agent::kToolsPrompt, agent::own_environment());
  });
  ways.stop = [fd = agent->stop_.get()] { static_cast<void>(::eventfd_write(fd, 1)); };
  ways.last_round = [raw = agent.get()] { return raw->rounds_started_ + 1 >= raw->rounds_; };
  agent->proposer_ = std::make_unique<ConversingProposer>(SubmissionStore(context.places.archive, configuration.name),
                                                          configuration.baseline, std::move(ways));
  ASSAY_TRY_ASSIGN(agent->tools_,
                   context.offer_tools(context, configuration.name, *agent->proposer_, shown / kToolSocket));
  return agent;
}

void ConversingAgent::follow(const control::CampaignState& state) {
  rounds_started_ = state.rounds_started;
  const auto judged = std::count_if(state.candidates.begin(), state.candidates.end(),
                                    [](const control::CandidateState& one) { return one.outcome.has_value(); });
  proposer_->note(static_cast<double>(judged), rounds_);
}

}  // namespace assay::service
