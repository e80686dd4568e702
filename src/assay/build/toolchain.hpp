#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace assay::build {

/// A C++ compiler that was found and asked for its version.
struct Toolchain {
  os::Path compiler;
  std::string name;     ///< "g++ 12.2.0"
  std::string version;  ///< The first line of --version, whole: part of every build's key.
};

/// Finds the host compiler: $ASSAY_CXX if set (an error if it does not run), else g++, else clang++. None is an
/// environment error that says what to install.
[[nodiscard]] base::Result<Toolchain> find_toolchain();

/// The flags that every candidate is built with, warnings aside. -march=native: a candidate is built on the machine it
/// is measured on, and the machine is part of the key.
[[nodiscard]] std::vector<std::string> host_flags();

}  // namespace assay::build
