#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

void declare_candidates(CLI::App& app, Draft& draft) {
  const Slot<CandidatesCommand> slot(draft);
  CLI::App* command = add_command(app, "candidates", "List what was ever tried",
                                  "  assay candidates\n"
                                  "  assay candidates --campaign tune --json\n"
                                  "  assay candidates --imported");
  CLI::Option* campaign =
      command->add_option("--campaign", slot->campaign, "Only those of this campaign, with their numbers");
  command->add_flag("--imported", slot->imported, "What others measured (assay import), instead")->excludes(campaign);
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_show(CLI::App& app, Draft& draft) {
  const Slot<ShowCommand> slot(draft);
  CLI::App* command = add_command(app, "show", "Show everything about a candidate or an evaluation",
                                  "  assay show 3fa2c1d0\n"
                                  "  assay show 3fa2c1d0 --source\n"
                                  "  assay show e-2026 --log candidate-build.log");
  command->add_option("id", slot->id, "Digits of a candidate's digest, or an evaluation's id, or the beginning of it")
      ->required();
  CLI::Option* log = command->add_option_function<std::string>(
      "--log",
      [slot](const std::string& name) {
        slot->what = ShowCommand::What::log;
        slot->log = name;
      },
      "Print one file of the evaluation's bundle; a wrong name lists them");
  command->add_flag_callback(
             "--source", [slot] { slot->what = ShowCommand::What::source; }, "Print the sources")
      ->excludes(log);
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_export(CLI::App& app, Draft& draft) {
  const Slot<ExportCommand> slot(draft);
  CLI::App* command = add_command(app, "export", "Write a solution and its traces in the FlashInfer-Trace layout",
                                  "  assay export tune --output winner\n"
                                  "  assay export 3fa2c1d0 --output candidate");
  command
      ->add_option("subject", slot->subject, "A campaign (its incumbent is taken), or digits of a candidate's digest")
      ->required();
  command->add_option("--output,-o", slot->output, "The folder")->required();
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_care(CLI::App& parent, Draft& draft, const std::string& name, ArchiveCommand::Action action,
                  const std::string& description) {
  const Slot<ArchiveCommand> slot(draft);
  slot->action = action;
  CLI::App* command = add_command(parent, name, description, "  assay archive " + name);
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_failures(CLI::App& parent, Draft& draft) {
  const Slot<ArchiveFailuresCommand> slot(draft);
  CLI::App* command = add_command(
      parent, "failures", "List the inputs on which candidates failed: kept for ever, replayed first",
      "  assay archive failures\n"
      "  assay archive failures --definition gdn_decode_qk4_v8_d128_k_last --json\n\n"
      "Every evaluation that ends in a wrong output, a crash or a late call leaves its input here, and every\n"
      "later candidate for the definition meets it before anything else (docs/statistics.md).");
  command->add_option("--definition", slot->definition, "Only those of this definition");
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_archive(CLI::App& app, Draft& draft) {
  declare_candidates(app, draft);
  declare_show(app, draft);
  declare_export(app, draft);
  CLI::App* care = add_command(app, "archive", "Look after the archive: verify, gc, stats, failures",
                               "  assay archive verify\n"
                               "  assay archive gc\n"
                               "  assay archive stats --json\n"
                               "  assay archive failures");
  care->require_subcommand(1);
  declare_care(*care, draft, "verify", ArchiveCommand::Action::verify,
               "Hold every blob, file and row against its digest; exit code 3 if something is damaged");
  declare_care(*care, draft, "gc", ArchiveCommand::Action::gc, "Remove what nothing refers to");
  declare_care(*care, draft, "stats", ArchiveCommand::Action::stats, "Count what there is and what it weighs");
  declare_failures(*care, draft);
}

}  // namespace assay::cli
