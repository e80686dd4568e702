#include <assay/build/binding.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace assay::build {

namespace {

constexpr const char* kRemedy =
    "run ./dev setup, which takes TVM-FFI from the package apache-tvm-ffi, and build again; or carry "
    "include/tvm and bin/libtvm_ffi.so beside the programs";
constexpr std::size_t kMostSymbol = 1024;

bool is_compiled(const task::Solution& solution) {
  return solution.spec.language == task::Language::cpp || solution.spec.language == task::Language::cuda;
}

}  // namespace

std::string exported_symbol(const task::Solution& solution) { return "assay_kernel_" + solution.entry_symbol(); }

std::string tvm_ffi_symbol(const task::Solution& solution) { return "__tvm_ffi_" + solution.entry_symbol(); }

bool may_use_tvm_ffi(const task::Solution& solution) {
  if (!is_compiled(solution)) {
    return false;
  }
  if (solution.spec.binding) {
    return *solution.spec.binding == task::Binding::tvm_ffi;
  }
  return std::any_of(solution.sources.begin(), solution.sources.end(), [](const task::SourceFile& source) {
    return source.content.find("tvm/ffi/") != std::string::npos;
  });
}

base::Result<void> check_binding(const task::Solution& solution) {
  if (!is_compiled(solution)) {
    return {};
  }
  if (solution.spec.binding == task::Binding::torch) {
    return base::input_error(
        "build.binding", fmt::format("solution '{}' has the binding \"torch\", which Assay does not call: bind it by "
                                     "tvm-ffi or <assay/candidate.h> (/spec/binding)",
                                     solution.name));
  }
  if (solution.entry_symbol().size() > kMostSymbol) {
    return base::input_error(
        "build.entry_point",
        fmt::format("the entry point of solution '{}' has a name of more than {} bytes", solution.name, kMostSymbol));
  }
  if (may_use_tvm_ffi(solution) && !solution.spec.destination_passing_style) {
    return base::input_error(
        "build.destination_passing_style",
        fmt::format("solution '{}' returns its results; Assay calls tvm-ffi functions that write to outputs which "
                    "follow the inputs: change it so, and set /spec/destination_passing_style to true",
                    solution.name));
  }
  return {};
}

os::Path tvm_ffi_headers(const os::Path& include) { return include / "tvm"; }

os::Path tvm_ffi_library(const os::Path& programs) { return programs / "libtvm_ffi.so"; }

base::Result<std::string> tvm_ffi_header_texts(const os::Path& include) {
  const os::Path folder = tvm_ffi_headers(include);
  std::vector<os::Path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error)) {
      files.push_back(entry->path());
    }
  }
  if (error || files.empty()) {
    return base::environment_error(
        "build.tvm_ffi",
        fmt::format("a solution needs the headers of TVM-FFI, which are not in {}: {}", folder.string(), kRemedy));
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const os::Path& file : files) {
    ASSAY_TRY_ASSIGN(const std::string content, os::read_file(file));
    all += fmt::format("{} {}\n{}", file.lexically_relative(folder).string(), content.size(), content);
  }
  return all;
}

}  // namespace assay::build
