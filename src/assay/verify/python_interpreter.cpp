#include <assay/verify/python_interpreter.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include <assay/os/process.hpp>

namespace assay::verify {
namespace {

constexpr const char* kUsual = "/usr/bin/python3";

bool is_program(const os::Path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// The folder that has bin/ and lib/, of a virtual environment or of an interpreter of its own.
void add_tree(std::vector<os::SandboxBind>& binds, const os::Path& program) {
  const os::Path tree = program.parent_path().parent_path();
  std::error_code ignored;
  const bool worth_it =
      std::filesystem::exists(tree / "pyvenv.cfg", ignored) || std::filesystem::is_directory(tree / "lib", ignored);
  if (worth_it && tree != "/" && !tree.string().starts_with("/usr")) {
    binds.push_back({tree, tree, os::SandboxBind::Use::execute});
  }
}

}  // namespace

base::Result<PythonInterpreter> find_python() {
  PythonInterpreter python;
  if (const char* named = std::getenv("ASSAY_PYTHON"); named != nullptr && *named != '\0') {
    python.program = named;
    if (!python.program.is_absolute() || !is_program(python.program)) {
      return base::environment_error(
          "python.missing",
          fmt::format("ASSAY_PYTHON names no program: give the absolute path of a python3, not '{}'", named));
    }
  } else if (is_program(kUsual)) {
    python.program = kUsual;
  } else if (const std::optional<os::Path> found = os::find_program("python3")) {
    python.program = *found;
  } else {
    return base::environment_error("python.missing",
                                   "the definition's reference is Python, and there is no python3 here: install it "
                                   "(package python3), or name one with ASSAY_PYTHON");
  }
  python.binds = os::toolchain_binds(kUsual);
  add_tree(python.binds, python.program);
  std::error_code error;
  const os::Path real = std::filesystem::canonical(python.program, error);
  if (!error) {
    add_tree(python.binds, real);
  }
  return python;
}

}  // namespace assay::verify
