#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

void declare_doctor(CLI::App& app, Draft& draft) {
  const Slot<DoctorCommand> slot(draft);
  CLI::App* command = add_command(app, "doctor", "Tell what this machine can do, and what to do about the rest",
                                  "  assay doctor\n"
                                  "  assay doctor --json\n\n"
                                  "Exit code 3 if something is missing without which nothing can be evaluated.");
  add_shared(*command, draft, {Shared::json, Shared::archive, Shared::dataset});
  command->final_callback(slot.chosen());
}

void declare_validate(CLI::App& app, Draft& draft) {
  const Slot<ValidateCommand> slot(draft);
  CLI::App* command =
      add_command(app, "validate", "Check a document of the FlashInfer-Trace schema",
                  "  assay validate --kind solution kernel.json\n"
                  "  assay validate --kind workload workloads.jsonl --definition definition.json\n"
                  "  cat definition.json | assay validate --kind definition -\n"
                  "  assay validate --kind definition rmsnorm.json --write-as flashinfer-bench --json\n\n"
                  "Both dialects are read: flashinfer-bench's, and FlashInfer's own (init, check, param,\n"
                  "optional, more dtypes and languages). Which one a document is in is told from it, and\n"
                  "said with the reason. Notes tell what keeps a definition from being run, and which\n"
                  "constraints of --definition a workload violates; they refuse nothing.\n\n"
                  "Exit code 2 if the document is refused, or cannot be written in the dialect asked for.");
  command
      ->add_option_function<std::string>(
          "--kind", [slot](const std::string& text) { slot->options.kind = *service::parse_document_kind(text); },
          "What it is: definition, workload, solution or trace")
      ->required()
      ->check(CLI::IsMember({"definition", "workload", "solution", "trace"}));
  const auto add_dialect = [&](const std::string& name, std::optional<task::Dialect>& dialect,
                               const std::string& text) {
    command
        ->add_option_function<std::string>(
            name, [slot, &dialect](const std::string& word) { dialect = task::parse_dialect(word); }, text)
        ->check(CLI::IsMember({"flashinfer-bench", "flashinfer"}));
  };
  add_dialect("--dialect", slot->options.dialect,
              "Read it as flashinfer-bench or flashinfer (default: told from the document)");
  add_dialect("--write-as", slot->options.write_as,
              "Dialect of the normal form that --json prints (default: the document's own)");
  command->add_option("--definition", slot->definition,
                      "Hold workloads or traces against this definition and its constraints");
  command->add_option("file", slot->file, "The document, or - for standard input; JSONL for workloads and traces")
      ->required();
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

// For options that have a clock and a cache.
template <class Options>
void add_timing_options(CLI::App& command, Options& options) {
  command
      .add_option_function<std::string>(
          "--clock", [&options](const std::string& word) { options.clock = base::parse_timing_method(word); },
          "How calls are timed: events, graph or cupti on CUDA, wall elsewhere (docs/clocks.md)")
      ->check(CLI::IsMember(std::vector<std::string>(base::kTimingMethods.begin(), base::kTimingMethods.end())));
  command
      .add_option_function<std::string>(
          "--cache", [&options](const std::string& word) { options.cache = *base::parse_cache_state(word); },
          "What the caches hold when a timed call starts: cold or hot")
      ->check(CLI::IsMember(std::vector<std::string>(base::kCacheStates.begin(), base::kCacheStates.end())));
}

void add_judging_options(CLI::App& command, service::EvaluateOptions& options) {
  command.add_option("--definition", options.definition,
                     "What the kernel implements (default: the dataset's only one)");
  command.add_option("--policy", options.policy, "quick, standard, release, or a TOML file")->capture_default_str();
  command.add_option("--workloads", options.workloads, "gate (representatives), all, or UUIDs with commas")
      ->capture_default_str();
  command.add_option("--device", options.device, "cpu, cuda:NUMBER, or simulated:SEED")->capture_default_str();
  add_timing_options(command, options);
  command
      .add_option_function<std::string>(
          "--compat", [&options](const std::string&) { options.official = true; },
          "Also say what another evaluator would: flashinfer-bench (its own rule, 3 trials a workload; on a GPU its "
          "own timing too, by CUPTI in one process). Decides nothing")
      ->check(CLI::IsMember({"flashinfer-bench"}));
  command
      .add_option(
          "--trials", options.trials,
          "Check so many calls before timing any, on new inputs each: bounds how often it is wrong (3000: 0.1 %), and "
          "replays every input that caught a candidate (default: of a sweep, what the policy asks of a winner)")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag_callback(
      "--sanitize", [&options] { options.sanitize = true; },
      "On a GPU, first run it under compute-sanitizer: memcheck, racecheck, initcheck and synccheck");
  command.add_flag_callback(
      "--again", [&options] { options.reuse = service::Reuse::never; },
      "Judge anew even if the archive has the answer, or the incumbent has the same machine code (docs/identity.md)");
}

void declare_evaluate(CLI::App& app, Draft& draft) {
  const Slot<EvaluateCommand> slot(draft);
  CLI::App* command = add_command(
      app, "evaluate", "Judge one candidate: build it, check it, time it against the incumbent",
      "  assay evaluate kernel.cpp\n"
      "  assay evaluate kernel.cpp --definition gdn_decode_qk4_v8_d128_k_last --workloads all\n"
      "  assay evaluate mine.json --against other.json --policy standard --json\n"
      "  assay evaluate kernel.cpp --compat flashinfer-bench\n"
      "  assay evaluate kernel.cu --device cuda:0 --clock graph\n"
      "  assay evaluate kernel.cu --device cuda:0 --workloads all --trials 3000\n"
      "  assay evaluate examples/gdn_decode/device_only.cu --device cuda:0\n"
      "  assay evaluate examples/public/gemm.cpp --dataset datasets/public --definition gemm_n128_k2048\n\n"
      "Inputs whose safetensors files the dataset has come from these, all others are generated\n"
      "(docs/dataset.md).\n"
      "Assay knows the contest's operators, GEMM and RMSNorm itself. For any other definition it runs the\n"
      "Python reference in a sandbox: ASSAY_PYTHON names the interpreter (docs/any-definition.md).\n"
      "A .cu file without host code is judged device-only, launched by Assay itself, if a launch plan\n"
      "lies beside it as NAME.launch.json (docs/cuda.md).\n"
      "Inputs on which earlier candidates failed are replayed before anything else (assay archive failures).\n"
      "Exit code 1 if the candidate failed: not built, crashed, timed out, or incorrect.");
  command
      ->add_option("candidate", slot->options.candidate,
                   "A C, C++ or CUDA file, a solution as JSON, a solution's name, or an archived candidate's digest")
      ->required();
  command->add_option("--against", slot->options.against,
                      "The incumbent, named like the candidate, or none (default: the dataset's baseline)");
  add_judging_options(*command, slot->options);
  add_shared(*command, draft, {Shared::dataset, Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_compare(CLI::App& app, Draft& draft) {
  const Slot<EvaluateCommand> slot(draft);
  slot->options.workloads = "all";
  slot->options.twins = service::Twins::measure;
  CLI::App* command =
      add_command(app, "compare", "Time one solution against another over all workloads",
                  "  assay compare old.cpp new.cpp\n"
                  "  assay compare gdn_decode_plain_cpu 3fa2c1d0 --policy standard\n\n"
                  "Says how much faster the second is than the first. Two of one machine\n"
                  "code are timed too: what is seen is noise, and neither is better (docs/identity.md).");
  command->add_option("first", slot->options.against, "What is compared with: a file, a name or a digest")->required();
  command->add_option("second", slot->options.candidate, "What is judged: a file, a name or a digest")->required();
  add_judging_options(*command, slot->options);
  add_shared(*command, draft, {Shared::dataset, Shared::archive, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_selftest(CLI::App& app, Draft& draft) {
  const Slot<SelftestCommand> slot(draft);
  CLI::App* command =
      add_command(app, "selftest", "Judge candidates whose answer is known: cheats and honest oddities",
                  "  assay selftest\n"
                  "  assay selftest --only memo\n"
                  "  assay selftest --corpus tests/hostile --runs 10 --json\n"
                  "  assay selftest --ablate\n"
                  "  assay selftest --device cuda:0 --runs 3\n\n"
                  "Exit code 1 unless every candidate gets what its file states (docs/hostile-corpus.md).");
  command
      ->add_option_function<std::vector<std::string>>(
          "--corpus",
          [slot](const std::vector<std::string>& folders) {
            slot->options.corpora.assign(folders.begin(), folders.end());
          },
          "Folder of candidates; may be repeated (default: tests/hostile and tests/honest; on a GPU "
          "tests/hostile_cuda and tests/honest_cuda)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--device", slot->options.device, "cpu, or cuda:NUMBER")->capture_default_str();
  add_timing_options(*command, slot->options);
  command->add_option("--runs", slot->options.runs, "How often each is judged, with other seeds each time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--only", slot->options.only, "Only candidates whose name contains this");
  command->add_flag("--ablate", slot->options.ablate,
                    "Judge each cheat that a probe catches once more without that probe: it must make a difference");
  add_shared(*command, draft, {Shared::dataset, Shared::json});
  command->final_callback(slot.chosen());
}

void declare_check_definition(CLI::App& app, Draft& draft) {
  const Slot<CheckDefinitionCommand> slot(draft);
  CLI::App* command = add_command(
      app, "check-definition", "Put a definition's tolerances to the proof: what can they tell from right?",
      "  assay check-definition gdn_decode_qk4_v8_d128_k_last\n"
      "  assay check-definition gdn_decode_qk4_v8_d128_k_last --workloads all --json\n\n"
      "Zeros, stale or coarser outputs, a dropped tile must all fail, and a change of each input must show\n"
      "(docs/correctness.md). Exit code 1 if something is not told apart.");
  command->add_option("definition", slot->options.definition, "Its name (default: the dataset's only one)");
  command->add_option("--workloads", slot->options.workloads, "gate (representatives), all, or UUIDs with commas")
      ->capture_default_str();
  command->add_option("--seed", slot->options.seed, "Of the generated inputs")->capture_default_str();
  add_shared(*command, draft, {Shared::dataset, Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_judging(CLI::App& app, Draft& draft) {
  declare_doctor(app, draft);
  declare_validate(app, draft);
  declare_evaluate(app, draft);
  declare_compare(app, draft);
  declare_selftest(app, draft);
  declare_check_definition(app, draft);
}

}  // namespace assay::cli
