#include <assay/dataset/source_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>

namespace assay::dataset {

namespace {

constexpr std::string_view kMacro = "ASSAY_KERNEL";
constexpr std::string_view kTvmFfiMacro = "TVM_FFI_DLL_EXPORT_TYPED_FUNC";
constexpr std::uint64_t kLargestSource = std::uint64_t{16} << 20U;
constexpr std::array<std::string_view, 5> kExtensions = {".c", ".cc", ".cpp", ".cxx", ".cu"};

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads "( name )" at the start of `text`, or "( name ," with ',' as `last`; empty if something else stands there.
std::string_view macro_argument(std::string_view text, char last) {
  text = base::trim(text);
  if (!text.starts_with('(')) {
    return {};
  }
  text = base::trim(text.substr(1));
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  return base::trim(text.substr(name.size())).starts_with(last) ? name : std::string_view();
}

void add_entry_points(std::string_view code, std::string_view macro, char last, std::vector<std::string>& names) {
  for (std::size_t at = code.find(macro); at != std::string_view::npos; at = code.find(macro, at + 1)) {
    const std::string_view name = macro_argument(code.substr(at + macro.size()), last);
    const bool own_word = at == 0 || !is_word(code[at - 1]);
    if (own_word && !name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(name);
    }
  }
}

os::Path plan_beside(const os::Path& path) {
  os::Path plan = path;
  return plan.replace_extension(".launch.json");
}

base::Result<std::string> choose_entry_point(const os::Path& path, const std::string& source) {
  const std::vector<std::string> names = entry_points(source);
  if (names.empty() && path.extension() == ".cu") {
    return base::input_error(
        "source.no_entry_point",
        fmt::format("{}: missing entry point: include <assay/candidate.h> and define ASSAY_KERNEL(run) {{ … }}, or "
                    "include <tvm/ffi/tvm_ffi.h> and write TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, …), or, for kernels "
                    "without host code, put a launch plan beside it as {} (docs/cuda.md)",
                    path.string(), plan_beside(path).filename().string()));
  }
  if (names.empty()) {
    return base::input_error("source.no_entry_point",
                             fmt::format("{}: missing entry point: include <assay/candidate.h> and define "
                                         "ASSAY_KERNEL(run) {{ … }}, or include <tvm/ffi/tvm_ffi.h> and write "
                                         "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, …)",
                                         path.string()));
  }
  if (std::find(names.begin(), names.end(), "run") != names.end()) {
    return std::string("run");
  }
  if (names.size() > 1) {
    return base::input_error("source.entry_point",
                             fmt::format("{}: has {} entry points ({}): name the one to judge \"run\"", path.string(),
                                         names.size(), base::join(names, ", ")));
  }
  return names.front();
}

// Holds a packed solution to the rules for written ones, so that it means the same in every document it enters. Bytes
// that are not UTF-8 would be replaced on the way.
base::Result<task::Solution> checked(const os::Path& path, task::Solution solution) {
  ASSAY_TRY_ASSIGN(task::Solution read, task::load_solution(base::dump_compact(task::encode(solution)), path.string()));
  const bool is_same = std::equal(
      read.sources.begin(), read.sources.end(), solution.sources.begin(), solution.sources.end(),
      [](const task::SourceFile& left, const task::SourceFile& right) { return left.content == right.content; });
  if (!is_same || read.name != solution.name) {
    return base::input_error("source.encoding",
                             fmt::format("{}: the file or its name is not UTF-8: convert it", path.string()));
  }
  return read;
}

// The member of a launch plan that is meant.
base::Result<std::string> choose_plan(const os::Path& path, const std::string& text) {
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, path.string()));
  if (json.is_object() && json.contains("run")) {
    return std::string("run");
  }
  if (!json.is_object() || json.size() != 1) {
    return base::input_error("source.entry_point",
                             fmt::format("{}: a launch plan is an object with one member, or with one called \"run\": "
                                         "name the plan to judge so",
                                         path.string()));
  }
  return json.begin().key();
}

base::Result<task::Solution> pack_kernels(const os::Path& path, std::string content, const os::Path& plan,
                                          std::string_view definition) {
  constexpr const char* kPackedPlan = "launch.json";
  ASSAY_TRY_ASSIGN(std::string text, os::read_file(plan, kLargestSource));
  ASSAY_TRY_ASSIGN(const std::string name, choose_plan(plan, text));
  task::Solution solution;
  solution.name = path.stem().string();
  solution.definition = definition;
  solution.author = "local";
  solution.spec.language = task::Language::cuda;
  solution.spec.target_hardware = {"cuda"};
  solution.spec.entry_point = fmt::format("{}::{}", kPackedPlan, name);
  solution.sources.push_back({"kernel.cu", std::move(content)});
  solution.sources.push_back({kPackedPlan, std::move(text)});
  return checked(path, std::move(solution));
}

}  // namespace

std::vector<std::string> entry_points(std::string_view source) {
  std::vector<std::string> names;
  const std::string code = task::plain_code(source);
  add_entry_points(code, kMacro, ')', names);
  if (names.empty()) {
    add_entry_points(code, kTvmFfiMacro, ',', names);
  }
  return names;
}

base::Result<task::Solution> pack_source(const os::Path& path, std::string_view definition) {
  ASSAY_TRY_ASSIGN(std::string content, os::read_file(path, kLargestSource));
  const os::Path plan = plan_beside(path);
  std::error_code error;
  const bool has_plan = path.extension() == ".cu" && std::filesystem::is_regular_file(plan, error);
  if (has_plan && entry_points(content).empty()) {
    return pack_kernels(path, std::move(content), plan, definition);
  }
  if (has_plan) {
    return base::input_error("source.entry_point", fmt::format("{}: has an entry point, and a launch plan beside it "
                                                               "({}): remove one of them",
                                                               path.string(), plan.string()));
  }
  ASSAY_TRY_ASSIGN(const std::string symbol, choose_entry_point(path, content));
  task::Solution solution;
  solution.name = path.stem().string();
  solution.definition = definition;
  solution.author = "local";
  const bool cuda = path.extension() == ".cu";
  solution.spec.language = cuda ? task::Language::cuda : task::Language::cpp;
  solution.spec.target_hardware = {cuda ? "cuda" : "cpu"};
  // Not the file's own name: that is part of a candidate's identity, and a renamed copy must be recognised.
  const std::string packed = "kernel" + path.extension().string();
  solution.spec.entry_point = packed + "::" + symbol;
  solution.sources.push_back({packed, std::move(content)});
  return checked(path, std::move(solution));
}

base::Result<task::Solution> load_solution_path(const os::Path& path, std::string_view definition) {
  const std::string extension = path.extension().string();
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end()) {
    return pack_source(path, definition);
  }
  if (extension != ".json") {
    return base::input_error("source.kind",
                             fmt::format("{}: is neither a solution (.json) nor C, C++ or CUDA source ({}): give "
                                         "one of these",
                                         path.string(), fmt::join(kExtensions, ", ")));
  }
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(path));
  ASSAY_TRY_ASSIGN(task::Solution solution, task::load_solution(text, path.string()));
  if (solution.definition != definition) {
    return base::input_error(
        "source.definition",
        fmt::format("{}: /definition: is \"{}\", but \"{}\" was asked for: give a solution of that "
                    "definition",
                    path.string(), solution.definition, definition));
  }
  return solution;
}

}  // namespace assay::dataset
