#include <assay/build/arguments.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include <assay/build/flags.hpp>

namespace assay::build {

namespace {

enum class SourceKind : std::uint8_t { c, cxx, cuda, header };

struct Extension {
  std::string_view text;
  SourceKind kind;
  bool cuda_only = false;
};

constexpr std::array<Extension, 12> kExtensions = {{{".c", SourceKind::c},
                                                    {".cpp", SourceKind::cxx},
                                                    {".cc", SourceKind::cxx},
                                                    {".cxx", SourceKind::cxx},
                                                    {".h", SourceKind::header},
                                                    {".hpp", SourceKind::header},
                                                    {".inc", SourceKind::header},
                                                    {".cu", SourceKind::cuda, true},
                                                    {".cuh", SourceKind::header, true},
                                                    {".hh", SourceKind::header, true},
                                                    {".hxx", SourceKind::header, true},
                                                    {".inl", SourceKind::header, true}}};

base::Result<SourceKind> kind_of(const std::string& path, task::Language language) {
  if (const std::optional<std::string> fault = source_argument_fault(path)) {
    return base::input_error("build.source", fmt::format("{}: {}", path, *fault));
  }
  const bool is_cuda = language == task::Language::cuda;
  const std::string extension = os::Path(path).extension().string();
  std::string known;
  for (const Extension& entry : kExtensions) {
    if (entry.cuda_only && !is_cuda) {
      continue;
    }
    if (entry.text == extension) {
      return entry.kind;
    }
    known += fmt::format("{}{}", known.empty() ? "" : " ", entry.text);
  }
  return base::input_error("build.source", fmt::format("{}: a source of a {} solution ends in one of {}", path,
                                                       is_cuda ? "CUDA" : "C++", known));
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
    ASSAY_TRY_ASSIGN(const SourceKind kind, kind_of(source.path, toolchain.language));
    if (kind == SourceKind::header) {
      continue;
    }
    all_cuda = all_cuda && kind == SourceKind::cuda;
    translated.push_back(source.path);
    // nvcc goes by the ending of each file, as -x would hold for all of them.
    if (toolchain.language != task::Language::cuda) {
      list.insert(list.end(), {"-x", kind == SourceKind::c ? "c" : "c++"});
    }
    list.push_back(source.path);
  }
  if (toolchain.form == ObjectForm::cubin) {
    ASSAY_TRY(check_cubin(solution, translated, all_cuda));
  }
  return list;
}

}  // namespace assay::build
