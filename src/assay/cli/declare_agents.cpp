#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <assay/agent/dialect.hpp>
#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

constexpr int kLargestExitCode = 255;

void declare_parse(CLI::App& parent, Draft& draft) {
  const Slot<AgentParseCommand> slot(draft);
  CLI::App* command = add_command(
      parent, "parse", "Say what a recorded run of an agent was: outcome, spend, session, files",
      "  assay agent parse --as codex run.jsonl --exit-code 0\n"
      "  assay agent parse --as claude second.jsonl --after first.jsonl --json\n\n"
      "Both programs report totals of a session: --after names the run before, which is then not counted again.");
  command
      ->add_option_function<std::string>(
          "--as", [slot](const std::string& word) { slot->options.dialect = *agent::parse_dialect(word); },
          "Who wrote it: codex (exec --json) or claude (--print, stream-json)")
      ->check(CLI::IsMember({"codex", "claude"}))
      ->required();
  command->add_option("file", slot->options.file, "The stream: what the program wrote on stdout")->required();
  command->add_option("--after", slot->options.after, "The stream of the run that this one resumed or forked");
  command->add_option("--exit-code", slot->options.exit_code, "How the program ended; 128 + n after signal n")
      ->check(CLI::Range(0, kLargestExitCode));
  command->add_flag("--answer-wanted", slot->options.answer_wanted, "A structured answer had been asked for");
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_agents(CLI::App& app, Draft& draft) {
  CLI::App* agent = add_command(app, "agent", "What coding agents did: parse",
                                "  assay agent parse --as codex run.jsonl --exit-code 0");
  agent->require_subcommand(1);
  declare_parse(*agent, draft);
}

}  // namespace assay::cli
