#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/os/sandbox/options.hpp>
#include <assay/task/solution.hpp>

namespace assay::build {

/// What a build makes of a solution.
enum class ObjectForm : std::uint8_t {
  shared_object,  ///< Host code, and for CUDA the device's code inside it: the tier host+device.
  cubin,          ///< The device's code alone, of one source: the tier device-only.
};

/// A compiler that was found and asked for its version, and how it is told to build: everything in which one differs
/// from another, so that a Builder need not know which it drives.
struct Toolchain {
  os::Path compiler;
  std::string name;     ///< "g++ 12.2.0"
  std::string version;  ///< All that it says of itself, and of the host compiler that it calls: part of every key.
  task::Language language = task::Language::cpp;
  ObjectForm form = ObjectForm::shared_object;
  std::string architecture;            ///< "sm_90a"; empty for the host's.
  std::vector<std::string> flags;      ///< Those that every candidate is built with: part of the key and the record.
  std::vector<std::string> locations;  ///< Flags that name places on this machine: part of neither.
  std::vector<os::SandboxBind> binds;  ///< What the sandbox must show for it to run.
  std::uint64_t memory_bytes = 0;      ///< That one compilation may take.
  std::uint64_t processes = 0;         ///< Of one compilation at a time, threads too.
  bool keeps_code = false;             ///< Leaves PTX and cubin of a single source behind if told to, as nvcc does.
  /// The least source that it must be able to build, or empty. If a candidate does not build and this does not either,
  /// the toolchain is broken, not the candidate: nvcc is several programs that must suit each other.
  std::string trial;
};

/// Finds the host compiler: $ASSAY_CXX if set (an error if it does not run), else g++, else clang++. None is an
/// environment error that says what to install.
[[nodiscard]] base::Result<Toolchain> find_toolchain();

/// The flags that every C++ candidate is built with, warnings aside. -march=native: a candidate is built on the machine
/// it is measured on, and the machine is part of the key.
[[nodiscard]] std::vector<std::string> host_flags();

/// Runs a compiler of ours with one option and returns what it says. An environment error if it fails; `remedy` ends
/// its message.
[[nodiscard]] base::Result<std::string> ask_compiler(const os::Path& compiler, const std::string& option,
                                                     const std::string& remedy);

}  // namespace assay::build
