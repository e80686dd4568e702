#pragma once

#include <chrono>
#include <string>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/build/binding.hpp>
#include <assay/build/toolchain.hpp>
#include <assay/os/file.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/solution.hpp>

namespace assay::build {

/// What a build left. `record.built` false: the log says why.
struct BuildResult {
  task::BuildRecord record;
  std::string
      log;  ///< What the compiler said, made printable; its first MiB. If there was more the log ends with how much.
  std::string object;  ///< The shared object's or the cubin's bytes; empty if not built.
  bool timed_out = false;
};

/// Builds solutions of one language by one toolchain, each in a private folder, in a contained process with limits on
/// time, memory and output. Results, good and bad, are cached by the key of everything that decides them; a build that
/// was cut short is not. Safe for several processes on one cache, and for several threads.
class Builder {
 public:
  /// `include`: the folder with assay/candidate.h, dlpack/dlpack.h and, for solutions bound by it, TVM-FFI's headers. `machine`: what -march=native depends on.
  Builder(os::Path cache, os::Path include, Toolchain toolchain, std::string machine);

  /// Returns a result for whatever the sources are; an error only for what the sources cannot cause (an environment
  /// error if the toolchain cannot build its trial either), or for a language or a source that this toolchain does not
  /// take. `record.kernels` is what the compiler said of a CUDA solution's kernels: advice, never evidence.
  [[nodiscard]] base::Result<BuildResult> build(const task::Solution& solution, std::chrono::milliseconds limit) const;

  /// Names the build: solution content, flags, toolchain, form, machine, and the public headers' contents.
  [[nodiscard]] base::Result<base::Digest> key(const task::Solution& solution) const;

  [[nodiscard]] const Toolchain& toolchain() const { return toolchain_; }

 private:
  [[nodiscard]] base::Result<void> check_toolchain() const;
  [[nodiscard]] base::Result<BuildResult> compile(const task::Solution& solution,
                                                  std::chrono::milliseconds limit) const;
  [[nodiscard]] base::Result<void> write_inputs(const task::Solution& solution, const os::Path& folder) const;

  os::Path cache_;
  os::Path include_;
  Toolchain toolchain_;
  std::string machine_;
};

}  // namespace assay::build
