#include <assay/build/arguments.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/build/flags.hpp>
#include <assay/task/source_kind.hpp>

namespace assay::build {

namespace {

base::Result<task::SourceKind> kind_of(const std::string& path, task::Language language) {
  if (const std::optional<std::string> fault = source_argument_fault(path)) {
    return base::input_error("build.source", fmt::format("{}: {}", path, *fault));
  }
  if (const auto kind = task::source_kind(path, language)) {
    return *kind;
  }
  return base::input_error(
      "build.source", fmt::format("{}: a source of a {} solution ends in one of {}", path,
                                  language == task::Language::cuda ? "CUDA" : "C++", task::source_endings(language)));
}

std::vector<std::string> parameter_flags(const task::Solution& solution) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : solution.parameters) {
    flags.push_back(fmt::format("-D{}={}", name, value));
  }
  std::sort(flags.begin(), flags.end());
  return flags;
}

// The launch plan of a device-only solution is for the judge, not for a compiler.
bool is_launch_plan(const task::Solution& solution, const std::string& path) {
  return path == solution.entry_file() && task::tier_of(solution) == task::Tier::device_only;
}

// A cubin has no linker behind it: one source, all of it for the device.
base::Result<void> check_cubin(const task::Solution& solution, const std::vector<std::string>& translated,
                               bool all_cuda) {
  if (translated.size() == 1 && all_cuda) {
    return {};
  }
  return base::input_error(
      "build.source", fmt::format("solution '{}' has {} sources to translate: a device-only candidate has one, a .cu "
                                  "file, and headers",
                                  solution.name, translated.size()));
}

}  // namespace

base::Result<std::vector<std::string>> arguments(const Toolchain& toolchain, const task::Solution& solution) {
  std::vector<std::string> list = toolchain.flags;
  const std::vector<std::string> chosen = parameter_flags(solution);
  ASSAY_TRY(check_flags(chosen, toolchain.language));
  list.insert(list.end(), chosen.begin(), chosen.end());
  std::vector<std::string> translated;
  bool all_cuda = true;
  for (const task::SourceFile& source : solution.sources) {
    if (is_launch_plan(solution, source.path)) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const task::SourceKind kind, kind_of(source.path, toolchain.language));
    if (kind == task::SourceKind::header) {
      continue;
    }
    all_cuda = all_cuda && kind == task::SourceKind::cuda;
    translated.push_back(source.path);
    // nvcc goes by the ending of each file, as -x would hold for all of them.
    if (toolchain.language != task::Language::cuda) {
      list.insert(list.end(), {"-x", kind == task::SourceKind::c ? "c" : "c++"});
    }
    list.push_back(source.path);
  }
  if (toolchain.form == ObjectForm::cubin) {
    ASSAY_TRY(check_cubin(solution, translated, all_cuda));
  }
  return list;
}

}  // namespace assay::build
