#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

void declare_check(CLI::App& parent, Draft& draft) {
  const Slot<DatasetCheckCommand> slot(draft);
  CLI::App* command =
      add_command(parent, "check", "Read everything in a dataset and say what is wrong with it",
                  "  assay dataset check\n"
                  "  assay dataset check my-dataset --json\n"
                  "  assay dataset check my-dataset --require-blobs\n\n"
                  "Exit code 2 if something is wrong. A definition may have none of the safetensors files\n"
                  "that its workloads name (its inputs are generated), but not some of them.");
  command->add_option("dataset", draft.arguments.dataset,
                      "Folder of the dataset (default: $ASSAY_DATASET, or the nearest datasets/contest)");
  command->add_flag_callback(
      "--require-blobs", [slot] { slot->blobs = dataset::BlobDemand::required; },
      "Also complain about definitions that have none of their safetensors files");
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

void declare_materialise(CLI::App& parent, Draft& draft) {
  const Slot<MaterialiseCommand> slot(draft);
  CLI::App* command =
      add_command(parent, "materialise", "Write the safetensors files that workloads name, with generated contents",
                  "  assay dataset materialise --dataset datasets/contest --output blobs\n"
                  "  assay dataset materialise --definition gdn_decode_qk4_v8_d128_k_last --workload 901e5104\n\n"
                  "The contents follow from the seed and the workload's uuid. Files that exist stay as they are.");
  command->add_option("--definition", slot->options.definition, "Only this definition (default: all)");
  command->add_option("--workload", slot->options.workload, "Only this workload: a uuid, or the beginning of one");
  command->add_option("--seed", slot->options.seed, "Another seed gives other contents")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--output,-o", slot->options.output,
                      "The folder that the files' paths are relative to (default: the dataset's)");
  command->add_flag_callback(
      "--force", [slot] { slot->options.existing = service::Existing::replace; }, "Write files that exist anew");
  add_shared(*command, draft, {Shared::dataset, Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_dataset(CLI::App& app, Draft& draft) {
  CLI::App* group = add_command(app, "dataset", "Look after a dataset: check, materialise",
                                "  assay dataset check my-dataset\n"
                                "  assay dataset materialise --dataset my-dataset");
  group->require_subcommand(1);
  declare_check(*group, draft);
  declare_materialise(*group, draft);
}

}  // namespace assay::cli
