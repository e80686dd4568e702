#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

constexpr int kMostRounds = 1000;
constexpr int kMostRunMinutes = 1440;
constexpr double kMostPersonMinutes = 10'000;

// The first of several is the one that a campaign with one agent has.
void split(const std::vector<std::string>& given, std::string& first, std::vector<std::string>& others) {
  first = given.front();
  others.assign(given.begin() + 1, given.end());
}

void declare_agents_of_run(CLI::App& command, const Slot<CampaignRunCommand>& slot) {
  command
      .add_option_function<std::vector<std::string>>(
          "--agent",
          [slot](const std::vector<std::string>& given) {
            split(given, slot->options.agent.word, slot->options.agent.others);
          },
          "An agent that proposes: codex, claude, http:URL, or command:PROGRAM (docs/agents.md). Several: each run "
          "goes "
          "to the one with the most gain for its cost (docs/memory.md)")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--agent-model,--model",
          [slot](const std::vector<std::string>& given) {
            split(given, slot->options.agent.model, slot->options.agent.models);
          },
          "Its model (default: its own); of several agents in their order")
      ->allow_extra_args(false);
  command.add_option("--language", slot->options.agent.languages, "A language that each agent is tried in; several")
      ->allow_extra_args(false);
}

// Where limits are written that are given.
struct Limits {
  std::optional<double>& dollars;
  std::optional<std::int64_t>& tokens;
  std::optional<double>& device_seconds;
  std::optional<double>& minutes;
  std::optional<double>& human_minutes;
  std::string& by;
};

void declare_limits(CLI::App& command, const Limits& limits, const std::string& by) {
  const auto add = [&](const char* name, auto& value, const char* description) {
    command.add_option(name, value, description)->check(CLI::NonNegativeNumber);
  };
  add("--budget-dollars", limits.dollars,
      "No run begins that could pass it; of a program that tells no dollars, each run counts as --run-dollars");
  add("--budget-tokens", limits.tokens, "The same in tokens");
  add("--budget-device-seconds", limits.device_seconds,
      "Of the device that evaluations may take in all; one is stopped where they end");
  add("--budget-minutes", limits.minutes, "That runs and evaluations may take in all, over all resumes");
  add("--budget-human-minutes", limits.human_minutes,
      "Of people's attention (approve --minutes); then nothing more is judged");
  command.add_option("--by", limits.by, by);
}

void declare_run(CLI::App& parent, Draft& draft) {
  const Slot<CampaignRunCommand> slot(draft);
  service::CampaignOptions& options = slot->options;
  CLI::App* command = add_command(
      parent, "run", "Start a campaign, or continue the one of that name",
      "  assay campaign run tune --definition gdn_decode_qk4_v8_d128_k_last --tunable gdn_decode_tunable_cpu\n"
      "  assay campaign run tune --baseline plain.cpp --tunable tunable.json --also bad/*.cpp --rounds 2 "
      "--report r.html\n"
      "  assay campaign run rehearsal --tunable tunable.json --device simulated:7\n"
      "  assay campaign run night --agent claude --rounds 5 --per-round 1 --run-dollars 2 --budget-dollars 10\n"
      "  assay campaign run roles --full-agent --agent codex --planner claude --per-round 2 --run-dollars 1\n"
      "  assay campaign run short --tunable tunable.json --budget-device-seconds 60 --budget-minutes 5\n\n"
      "A finished campaign answers from the archive. It may be interrupted at any moment and continued.\n"
      "What is reported is measured in a new session at the end; a winner that is not better there is demoted. Exit\n"
      "code 3 also where the rules would have promoted a copy of the incumbent (null injections: assay policy "
      "explain).");
  command->add_option("name,--name", options.name, "Its name: 0-9, a-z and -")->required();
  command->add_option("--definition", options.definition, "What is optimised (default: the dataset's only one)");
  command->add_option("--baseline", options.baseline, "A file or a solution's name (default: the dataset's baseline)");
  command->add_option("--tunable", options.tunable, "A solution with tunable parameters, for the tuner to search");
  declare_agents_of_run(*command, slot);
  command->add_flag("--full-agent", options.agent.full_agent,
                    "Three roles: a planner states hypotheses, the agent carries them out, a summariser's claims about "
                    "them are checked (docs/full-agent.md)");
  command->add_option("--planner", options.agent.planner, "Who plans, as for --agent (default: the agent)");
  command->add_option("--summariser", options.agent.summariser, "Who summarises, as for --agent (default: the agent)");
  command->add_flag("--agent-tools", options.agent.tools,
                    "Codex or Claude Code may submit candidates during its run, each a round (docs/mcp.md)");
  command->add_option("--run-minutes", options.agent.minutes, "What one run of it may take")
      ->check(CLI::Range(1, kMostRunMinutes))
      ->capture_default_str();
  command
      ->add_option("--run-dollars", options.agent.dollars,
                   "Set aside for one run, and booked where its account is lost")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--run-tokens", options.agent.tokens, "The same in tokens")->check(CLI::NonNegativeNumber);
  declare_limits(*command,
                 {options.agent.budget_dollars, options.agent.budget_tokens, options.budget_device_seconds,
                  options.budget_minutes, options.budget_human_minutes, options.by},
                 "Who raises the limits of a campaign that is there already (default: $USER)");
  command->add_option("--also", options.also, "Candidates by hand, judged first")->expected(-1);
  command->add_option("--rounds", options.rounds, "Rounds of proposals")
      ->check(CLI::Range(0, kMostRounds))
      ->capture_default_str();
  command->add_option("--per-round", options.candidates_per_round, "Candidates in a round")
      ->check(CLI::Range(1, kMostRounds))
      ->capture_default_str();
  command->add_option("--policy", options.policy, "quick, standard, release, or a TOML file")->capture_default_str();
  command->add_option("--device", options.device, "cpu, cuda:NUMBER, or simulated:SEED")->capture_default_str();
  command->add_option("--seed", options.seed, "Of the tuner's choices")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag_callback(
      "--no-supervisor", [slot] { slot->options.supervised = false; },
      "Look for no plateaus, stalls and cycles, and ask nobody (docs/supervisor.md)");
  command
      ->add_option("--ask-above-sweep-seconds", options.ask_above_sweep_seconds,
                   "Wait for a person before a sweep whose calls may take longer")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--report", slot->report, "Where the report is written (default: in the archive's folder)");
  add_shared(*command, draft, {Shared::dataset, Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_resume(CLI::App& parent, Draft& draft) {
  const Slot<CampaignResumeCommand> slot(draft);
  CLI::App* command =
      add_command(parent, "resume", "Continue a campaign that was interrupted or approved",
                  "  assay campaign resume tune\n"
                  "  assay campaign resume night --budget-dollars 80 --by Ada\n\n"
                  "A limit that is given is raised, which the journal keeps with who did; none is lowered.\n"
                  "A campaign that a limit had ended goes on with its rounds.");
  command->add_option("name,--name", slot->name, "The campaign")->required();
  declare_limits(*command,
                 {slot->raised.dollars, slot->raised.tokens, slot->raised.device_seconds, slot->raised.minutes,
                  slot->raised.human_minutes, slot->raised.by},
                 "Who raises them (default: $USER)");
  command->add_option("--report", slot->report, "Where the report is written (default: in the archive's folder)");
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_status(CLI::App& parent, Draft& draft) {
  const Slot<CampaignStatusCommand> slot(draft);
  CLI::App* command = add_command(parent, "status", "Tell how a campaign stands, or list all",
                                  "  assay campaign status\n"
                                  "  assay campaign status tune --json");
  command->add_option("name,--name", slot->name, "The campaign (default: all)");
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_campaign_comparison(CLI::App& parent, Draft& draft) {
  const Slot<CampaignCompareCommand> slot(draft);
  CLI::App* command = add_command(
      parent, "compare", "Hold two campaigns of one task beside each other: gain over spend, and which ended faster",
      "  assay campaign compare assisted roles\n"
      "  assay campaign compare assisted roles --output comparison.html\n\n"
      "Run both with the same budget, for example one with --agent claude and one with --full-agent too.");
  command->add_option("first", slot->first, "A campaign")->required();
  command->add_option("second", slot->second, "Another one, of the same definition, device and baseline")->required();
  command->add_option("--output,-o", slot->output, "Where the page is written (default: nowhere)");
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_approve(CLI::App& app, Draft& draft) {
  const Slot<ApproveCommand> slot(draft);
  CLI::App* command = add_command(app, "approve", "Let the winner that waits become the incumbent, or refuse it",
                                  "  assay approve tune --why \"read the source; it is sound\"\n"
                                  "  assay approve tune --refuse --why \"uses too many threads\" --minutes 4\n\n"
                                  "Then continue with: assay campaign resume tune");
  command->add_option("campaign", slot->campaign, "The campaign")->required();
  command->add_flag_callback(
      "--refuse", [slot] { slot->answer = service::Answer::refuse; }, "Keep the incumbent instead");
  command->add_option("--why", slot->why, "The reason, for the journal");
  command->add_option("--who", slot->who, "Who decides (default: $USER)");
  command->add_option("--minutes", slot->minutes, "Of your attention that it took: the ledger books them")
      ->check(CLI::Range(0.0, kMostPersonMinutes));
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_policy(CLI::App& app, Draft& draft) {
  CLI::App* policy = add_command(app, "policy", "What a policy is: explain", "  assay policy explain release");
  policy->require_subcommand(1);
  const Slot<PolicyExplainCommand> slot(draft);
  CLI::App* command = add_command(*policy, "explain", "Say what a policy will do, what it leans on, and what it costs",
                                  "  assay policy explain quick\n"
                                  "  assay policy explain policies/release.toml --json");
  command->add_option("policy", slot->policy, "quick, standard, release, or a TOML file")->required();
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

void declare_report(CLI::App& app, Draft& draft) {
  const Slot<ReportCommand> slot(draft);
  CLI::App* command = add_command(app, "report", "Write the report of a campaign as one HTML file",
                                  "  assay report tune --output report.html");
  command->add_option("campaign", slot->campaign, "The campaign")->required();
  command->add_option("--output,-o", slot->output, "The file")->required();
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_replay_journal(CLI::App& app, Draft& draft) {
  const Slot<ReplayJournalCommand> slot(draft);
  CLI::App* command = add_command(app, "replay-journal",
                                  "Decide a campaign again from its raw samples; exit code 1 if anything differs",
                                  "  assay replay-journal tune\n"
                                  "  assay replay-journal tune --policy standard\n\n"
                                  "Runs nothing and changes nothing. With another policy it says what would have been "
                                  "decided otherwise, and where a\n"
                                  "decision would have needed a measurement that does not exist (docs/campaigns.md).");
  command->add_option("campaign", slot->campaign, "The campaign")->required();
  command->add_option("--policy", slot->policy, "Decide by another one: quick, standard, release, or a TOML file");
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_certificate(CLI::App& app, Draft& draft) {
  const Slot<CertificateCommand> slot(draft);
  CLI::App* command = add_command(app, "certificate", "Write what proves a promotion, for whoever has only that",
                                  "  assay certificate tune --output tune-certificate\n"
                                  "  assay certificate tune --candidate 3 --output third\n\n"
                                  "Whoever has the folder checks it with: assay verify-certificate tune-certificate");
  command->add_option("campaign", slot->campaign, "The campaign")->required();
  command->add_option("--candidate", slot->candidate, "Number of a promoted candidate (default: the last promoted)")
      ->check(CLI::PositiveNumber);
  command->add_option("--output,-o", slot->output, "The folder, which must not exist yet")->required();
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_verify_certificate(CLI::App& app, Draft& draft) {
  const Slot<VerifyCertificateCommand> slot(draft);
  CLI::App* command = add_command(
      app, "verify-certificate", "Recompute a certificate from its raw samples; exit code 1 if anything differs",
      "  assay verify-certificate tune-certificate\n"
      "  assay verify-certificate tune-certificate/certificate.json --json\n"
      "  assay verify-certificate tune-certificate --against .assay\n\n"
      "Needs neither archive nor dataset, and runs nothing of the candidate. Exit code 2: it is no certificate.");
  command->add_option("certificate", slot->path, "The folder, or its certificate.json")->required();
  command->add_option("--against", slot->against, "Also hold its links against the chain of this archive");
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_campaigns(CLI::App& app, Draft& draft) {
  CLI::App* campaign = add_command(
      app, "campaign", "Search for a better solution: run, resume, status, compare",
      "  assay campaign run tune --definition gdn_decode_qk4_v8_d128_k_last --tunable gdn_decode_tunable_cpu\n"
      "  assay campaign status\n"
      "  assay campaign resume tune");
  campaign->require_subcommand(1);
  declare_run(*campaign, draft);
  declare_resume(*campaign, draft);
  declare_status(*campaign, draft);
  declare_campaign_comparison(*campaign, draft);
  declare_policy(app, draft);
  declare_approve(app, draft);
  declare_report(app, draft);
  declare_replay_journal(app, draft);
  declare_certificate(app, draft);
  declare_verify_certificate(app, draft);
}

}  // namespace assay::cli
