#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <vector>

#include <assay/cli/shared_options.hpp>
#include <assay/service/submissions.hpp>

namespace assay::cli {
namespace {

constexpr int kMostSubmissions = 1000;
constexpr int kUsualSubmissions = 50;

}  // namespace

void declare_mcp(CLI::App& app, Draft& draft) {
  const Slot<McpCommand> slot(draft);
  service::CampaignOptions& options = slot->options;
  options.agent.word = service::kSubmitted;
  options.rounds = kUsualSubmissions;
  options.candidates_per_round = 1;
  CLI::App* command = add_command(
      app, "mcp", "Serve a campaign's tools to a coding agent: MCP over stdin and stdout",
      "  assay mcp --campaign night --definition gdn_decode_qk4_v8_d128_k_last\n"
      "  assay mcp --campaign night\n"
      "  codex mcp add assay -- assay mcp --campaign night --archive /data/archive\n"
      "  claude mcp add assay -- assay mcp --campaign night --archive /data/archive\n\n"
      "A coding agent starts it. Candidates that are submitted through it are judged as those of `assay campaign run`\n"
      "are; nothing here approves, and nothing shows what the judge alone knows (docs/mcp.md). With options of a\n"
      "campaign it is made if there is none of that name. `assay campaign resume NAME` ends it: what was submitted is\n"
      "judged, and the incumbent confirmed.");
  CLI::Option_group* served = command->add_option_group("Served", "One of these:");
  served->add_option("--campaign", options.name, "The campaign's name: 0-9, a-z and -");
  served->add_option("--connect", slot->connect,
                     "Inside the sandbox of an agent: the socket at which its campaign serves the tools");
  served->require_option(1);
  const std::vector<CLI::Option*> given = {
      command->add_option("--definition", options.definition, "What is optimised (default: the dataset's only one)"),
      command->add_option("--baseline", options.baseline,
                          "A file or a solution's name (default: the dataset's baseline)"),
      command->add_option("--policy", options.policy, "quick, standard, release, or a TOML file")
          ->capture_default_str(),
      command->add_option("--device", options.device, "cpu, cuda:NUMBER, or simulated:SEED")->capture_default_str(),
      command->add_option("--submissions", options.rounds, "How many candidates are taken; then the campaign ends")
          ->check(CLI::Range(1, kMostSubmissions))
          ->capture_default_str()};
  add_shared(*command, draft, {Shared::dataset, Shared::archive});
  command->final_callback([slot, chosen = slot.chosen(), given] {
    for (const CLI::Option* option : given) {
      slot->configured = slot->configured || option->count() > 0;
    }
    chosen();
  });
}

}  // namespace assay::cli
