#include <assay/build/kernel_names.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include <assay/base/text.hpp>
#include <assay/os/process.hpp>

namespace assay::build {

namespace {

constexpr std::chrono::seconds kNamingLimit{2};
constexpr std::uint64_t kNamingMemory = std::uint64_t{512} << 20U;
constexpr std::size_t kMostOutput = std::size_t{4} << 20U;
constexpr std::size_t kMostArguments = std::size_t{512} << 10U;  // Well below what exec takes in all.
constexpr std::size_t kLongestSymbol = std::size_t{16} << 10U;   // And in one.

// c++filt reads options from a word with '@', and splits nothing that is a name to the linker.
bool is_mangled(const std::string& symbol) {
  return symbol.starts_with("_Z") && symbol.size() <= kLongestSymbol &&
         std::all_of(symbol.begin(), symbol.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '_' || c == '.' ||
                  c == '$';
         });
}

// "void scale<4>(float*)" without what it returns: a template's instances say it, plain functions do not.
std::string_view without_return_type(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  return name.starts_with(kVoid) ? name.substr(kVoid.size()) : name;
}

// And without its parameters: up to the bracket that is not inside <> or the name of a namespace without one.
std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name.substr(at).starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
    } else if (name[at] == '(' && depth == 0) {
      return name.substr(0, at);
    }
    depth += name[at] == '<' ? 1 : name[at] == '>' ? -1 : 0;
  }
  return name;
}

}  // namespace

base::Result<std::string> kernel_symbol(const std::string& name, const std::vector<task::KernelResources>& kernels) {
  std::string found;
  for (const task::KernelResources& kernel : kernels) {
    const std::string_view rest = without_return_type(kernel.name);
    if (kernel.symbol == name) {
      return name;
    }
    if (kernel.name != name && rest != name && without_parameters(rest) != name) {
      continue;
    }
    if (!found.empty()) {
      return base::input_error("build.kernel_name",
                               fmt::format("several kernels are called \"{}\": give the one with its parameters, or "
                                           "declare it extern \"C\"",
                                           base::printable(name)));
    }
    found = kernel.symbol;
  }
  return found.empty() ? name : found;
}

base::Result<void> name_kernels(std::vector<task::KernelResources>& kernels, const Toolchain& toolchain) {
  std::vector<task::KernelResources*> asked;
  const std::optional<os::Path> program = os::find_program("c++filt");
  os::ProcessOptions options;
  std::size_t bytes = 0;
  for (task::KernelResources& kernel : kernels) {
    kernel.name = kernel.symbol;
    bytes += kernel.symbol.size() + sizeof(char*);
    if (program && is_mangled(kernel.symbol) && bytes <= kMostArguments) {
      asked.push_back(&kernel);
      options.argv.push_back(kernel.symbol);
    }
  }
  if (asked.empty()) {
    return {};
  }
  options.argv.insert(options.argv.begin(), program->string());
  options.environment = {{"LC_ALL", "C"}};
  options.limits.address_space_bytes = kNamingMemory;
  options.sandbox.emplace();
  options.sandbox->purpose = os::SandboxPurpose::compiler;
  options.sandbox->binds = toolchain.binds;
  options.sandbox->memory_bytes = kNamingMemory;
  options.sandbox->processes = toolchain.processes;
  options.sandbox->cpus = 1;
  ASSAY_TRY_ASSIGN(const os::CommandResult result, os::run_command(options, kNamingLimit, kMostOutput));
  const std::vector<std::string> lines = base::split(result.output, '\n');
  // One line for each, and an empty rest behind the last newline.
  if (!result.status.success() || result.output_truncated || lines.size() != asked.size() + 1) {
    return {};
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i]->name = lines[i].empty() ? asked[i]->symbol : base::printable(lines[i]);
  }
  return {};
}

}  // namespace assay::build
