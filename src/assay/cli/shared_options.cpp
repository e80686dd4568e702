#include <assay/cli/shared_options.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace assay::cli {

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& examples) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  return command;
}

void add_shared(CLI::App& command, Draft& draft, std::initializer_list<Shared> shared) {
  for (const Shared one : shared) {
    switch (one) {
      case Shared::json:
        command.add_flag("--json", draft.json, "Print the result as JSON");
        break;
      case Shared::archive:
        command.add_option("--archive", draft.arguments.archive,
                           "Folder of the archive (default: $ASSAY_ARCHIVE, or .assay)");
        break;
      case Shared::dataset:
        command.add_option("--dataset", draft.arguments.dataset,
                           "Folder of the dataset (default: $ASSAY_DATASET, or the nearest datasets/contest)");
        break;
    }
  }
}

}  // namespace assay::cli
