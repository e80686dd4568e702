#include <assay/evaluate/program.hpp>

#include <unistd.h>

#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/build/binding.hpp>
#include <assay/evaluate/bundle_writer.hpp>
#include <assay/evaluate/check_definition.hpp>
#include <assay/evaluate/describe_machine.hpp>
#include <assay/evaluate/judge.hpp>
#include <assay/evaluate/materialise.hpp>
#include <assay/os/file.hpp>
#include <assay/os/process.hpp>

#include <nlohmann/json.hpp>

namespace assay::evaluate {

namespace {

constexpr const char* kUsage =
    "usage: assay-judge REQUEST.json --bundle FOLDER --cache FOLDER [--progress-fd N]\n"
    "       assay-judge --describe [--device NAME]\n"
    "\n"
    "Judges one request (schemas/request.schema.json) and leaves a result bundle in FOLDER, which must not exist.\n"
    "The bundle of a materialise request holds tensors in place of a verdict, that of a check_definition request what\n"
    "the tolerances can separate.\n"
    "--describe prints what this machine can do, as JSON.\n"
    "Exit code: 0 a complete bundle was left, 2 bad request, 3 the environment failed, 70 a bug in Assay.\n";

struct Options {
  os::Path request;
  os::Path bundle;
  os::Path cache;
  int progress_fd = -1;
  bool describe = false;
  std::string device = "cpu";
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--describe") {
      options.describe = true;
    } else if (argument == "--json") {
      continue;  // the only format there is
    } else if (argument == "--device" && has_value) {
      options.device = argv[++i];
    } else if (argument == "--bundle" && has_value) {
      options.bundle = argv[++i];
    } else if (argument == "--cache" && has_value) {
      options.cache = argv[++i];
    } else if (argument == "--progress-fd" && has_value) {
      const std::string_view digits = argv[++i];
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), options.progress_fd);
      if (error != std::errc() || end != digits.data() + digits.size()) {
        return std::nullopt;
      }
    } else if (!argument.starts_with('-') && options.request.empty()) {
      options.request = argument;
    } else {
      return std::nullopt;
    }
  }
  const bool complete = !options.request.empty() && !options.bundle.empty() && !options.cache.empty();
  return options.describe || complete ? std::optional(options) : std::nullopt;
}

int fail(const base::Error& error) {
  fmt::print(stderr, "assay-judge: {} error: {}\n", base::to_string(error.owner), error.text());
  return base::exit_code(error.owner);
}

base::Result<JudgeSettings> settings_for(const Options& options) {
  ASSAY_TRY_ASSIGN(const os::Path beside, os::executable_directory());
  JudgeSettings settings;
  settings.worker = beside / "assay-worker";
  settings.nvrtc = beside / "assay-nvrtc";
  settings.include = beside.parent_path() / "include";
  settings.tvm_ffi = build::tvm_ffi_library(beside);
  if (!options.cache.empty()) {
    settings.cache = std::filesystem::absolute(options.cache);
  }
  if (options.progress_fd >= 0) {
    settings.on_progress = [fd = options.progress_fd](double done, double total, std::string_view what) {
      const std::string line = fmt::format("{:.4f} {:.4f} {}\n", done, total, what);
      // A reader that went away or is slow must not hold up a measurement.
      static_cast<void>(!write(fd, line.data(), line.size()));
    };
  }
  return settings;
}

int judge_file(const Options& options) {
  const base::Result<std::string> text = os::read_file(options.request);
  if (!text) {
    return fail(text.error());
  }
  const base::Result<base::Json> json = base::parse_json(*text, options.request.string());
  if (!json) {
    return fail(json.error());
  }
  const base::Result<task::EvaluationRequest> request = task::decode_request(*json, options.request.string());
  if (!request) {
    return fail(request.error());
  }
  const base::Result<JudgeSettings> settings = settings_for(options);
  if (!settings) {
    return fail(settings.error());
  }
  if (!task::has_candidate(request->stage)) {
    const base::Result<void> written = request->stage == task::Stage::materialise
                                           ? materialise(*request, options.bundle, *settings)
                                           : check_definition(*request, options.bundle, *settings);
    if (!written) {
      // If this cannot be written either, the error below is all there is.
      static_cast<void>(write_error_bundle(options.bundle, *request, written.error()));
      return fail(written.error());
    }
    return 0;
  }
  const base::Result<Judged> judged = judge_request(*request, *settings);
  const base::Result<void> written = judged ? write_bundle(options.bundle, *request, *judged)
                                            : write_error_bundle(options.bundle, *request, judged.error());
  if (!judged) {
    return fail(judged.error());
  }
  return written ? 0 : fail(written.error());
}

int describe(const Options& options) {
  const base::Result<JudgeSettings> settings = settings_for(options);
  if (!settings) {
    return fail(settings.error());
  }
  const base::Result<base::Json> machine = describe_machine(options.device, *settings);
  if (!machine) {
    return fail(machine.error());
  }
  fmt::print("{}\n", base::dump_pretty(*machine));
  return 0;
}

}  // namespace

int run_judge(int argc, char** argv) {
  os::harden_this_process();
  const std::optional<Options> options = parse(argc, argv);
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return base::exit_code(base::Owner::input);
  }
  if (options->describe) {
    return describe(*options);
  }
  return judge_file(*options);
}

}  // namespace assay::evaluate
