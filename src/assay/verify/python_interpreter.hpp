#pragma once

#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/os/sandbox/options.hpp>

namespace assay::verify {

/// A Python that runs references, and what it needs to see of the host.
struct PythonInterpreter {
  os::Path program;
  std::vector<os::SandboxBind> binds;
};

/// Finds the interpreter: what ASSAY_PYTHON names (a path; a virtual environment's is fine), else /usr/bin/python3,
/// else python3 on PATH. An environment error if there is none, or if ASSAY_PYTHON names none.
[[nodiscard]] base::Result<PythonInterpreter> find_python();

}  // namespace assay::verify
