#include <assay/build/toolchain.hpp>

#include <fmt/core.h>

#include <cstdlib>

#include <assay/base/text.hpp>
#include <assay/os/process.hpp>

namespace assay::build {

namespace {

constexpr std::chrono::seconds kVersionLimit{10};
constexpr std::uint64_t kCompilerMemory = std::uint64_t{4} << 30U;
constexpr const char* kCompilerRemedy = "install a working C++ compiler";

base::Result<std::string> first_line_of(const os::Path& compiler, const std::string& option) {
  ASSAY_TRY_ASSIGN(const std::string output, ask_compiler(compiler, option, kCompilerRemedy));
  return base::split(output, '\n').front();
}

base::Result<Toolchain> ask(const os::Path& compiler) {
  Toolchain toolchain;
  toolchain.compiler = compiler;
  ASSAY_TRY_ASSIGN(toolchain.version, first_line_of(compiler, "--version"));
  ASSAY_TRY_ASSIGN(const std::string number, first_line_of(compiler, "-dumpfullversion"));
  toolchain.name = fmt::format("{} {}", compiler.filename().string(), base::trim(number));
  toolchain.flags = host_flags();
  toolchain.binds = os::toolchain_binds(compiler);
  toolchain.memory_bytes = kCompilerMemory;
  toolchain.processes = 64;
  return toolchain;
}

}  // namespace

base::Result<std::string> ask_compiler(const os::Path& compiler, const std::string& option, const std::string& remedy) {
  os::ProcessOptions options;
  options.argv = {compiler.string(), option};
  options.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C"}};
  ASSAY_TRY_ASSIGN(const os::CommandResult result, os::run_command(options, kVersionLimit, 4096));
  if (result.timed_out || !result.status.success()) {
    return base::environment_error("build.compiler", fmt::format("{} {} failed ({}): {}", compiler.string(), option,
                                                                 result.status.text(), remedy));
  }
  return result.output;
}

base::Result<Toolchain> find_toolchain() {
  if (const char* chosen = std::getenv("ASSAY_CXX"); chosen != nullptr && *chosen != '\0') {
    const std::optional<os::Path> path = os::find_program(chosen);
    if (!path) {
      return base::environment_error(
          "build.compiler", fmt::format("ASSAY_CXX is '{}', which is not a program: correct or unset it", chosen));
    }
    return ask(*path);
  }
  for (const char* name : {"g++", "clang++"}) {
    if (const std::optional<os::Path> path = os::find_program(name)) {
      return ask(*path);
    }
  }
  return base::environment_error("build.compiler", "no C++ compiler was found on PATH: install g++ or set ASSAY_CXX");
}

std::vector<std::string> host_flags() {
  return {"-std=c++20", "-O3", "-march=native", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-g0"};
}

}  // namespace assay::build
