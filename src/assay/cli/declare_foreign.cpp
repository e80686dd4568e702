#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

void declare_audit(CLI::App& app, Draft& draft) {
  const Slot<AuditCommand> slot(draft);
  CLI::App* command =
      add_command(app, "audit", "Judge the promotions in other people's archived optimisation traces",
                  "  assay audit traces\n"
                  "  assay audit traces --json\n"
                  "  assay audit traces --html audit.html\n\n"
                  "The folder holds evaluations.jsonl, and optionally evaluations_extra.jsonl, promotions.jsonl and\n"
                  "unfinished.jsonl (docs/foreign-results.md). Each promotion is the first of: identical,\n"
                  "environment_shift, worse, indistinguishable, suspect_environment, plausible.");
  command->add_option("folder", slot->folder, "The folder with the traces")->required();
  command->add_option("--html", slot->page, "Also write a page with pictures into this file");
  command->add_option("--title", slot->title, "The page's title (default: the folder's name)");
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

void declare_import(CLI::App& app, Draft& draft) {
  const Slot<ImportCommand> slot(draft);
  CLI::App* command = add_command(
      app, "import", "Take other people's results into the archive, as theirs",
      "  assay import traces                   a folder of archived optimisation traces\n"
      "  assay import flashinfer-trace         a folder with solutions/ and traces/\n"
      "  assay import traces/gdn/decode.jsonl  one file of FlashInfer-Bench traces\n"
      "  assay candidates --imported\n\n"
      "Solutions with sources become candidates that were never judged; their results stay foreign results.");
  command->add_option("path", slot->path, "The folder or file")->required();
  add_shared(*command, draft, {Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_foreign(CLI::App& app, Draft& draft) {
  declare_audit(app, draft);
  declare_import(app, draft);
}

}  // namespace assay::cli
