#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/process.hpp>
#include <assay/task/definition.hpp>

namespace assay::verify {

/// What a reference may use. It is trusted for its values, not for its behaviour.
struct PythonLimits {
  std::chrono::milliseconds load{60'000};  ///< Until it is loaded; importing torch is most of it.
  std::chrono::milliseconds call{60'000};
  std::uint64_t memory_bytes = std::uint64_t{8} << 30U;
};

/// A process of its own, shut in as candidates are, that has loaded the Python reference of one definition: a private
/// read-only root with the interpreter and the system's folders, no network, no descriptor but its channel, one thread
/// for linear algebra. Tensors go to it and come back over a socket, in frames whose sizes are known before they are
/// read.
///
/// References that import torch get torch tensors of the definition's types. All others get numpy arrays; bfloat16 and
/// smaller types come as float32 there, because numpy lacks them. An output may be of the definition's type, float32 or
/// float64; an integer one of any integer type whose values fit.
class PythonReference {
 public:
  /// Starts the process and loads the reference. A module that is missing is an environment error, a reference that
  /// does not load is an input error; both quote the last line of Python's traceback.
  [[nodiscard]] static base::Result<PythonReference> start(const task::Definition& definition,
                                                           const PythonLimits& limits);

  /// Computes the outputs of one call, as Operator::reference does. Input errors: it raises, returns other outputs than
  /// the definition's, needs more than its time or memory, or ends its process. After an error of the last three kinds
  /// the process is gone, and every further call says so.
  [[nodiscard]] base::Result<void> call(const task::AxisValues& axes, std::span<const operators::ConstArgument> inputs,
                                        std::vector<operators::ExpectedValues>& outputs);

  /// Tells whether the process can still be called.
  [[nodiscard]] bool alive() const { return alive_; }
  /// "python 3.11.2, numpy 1.24.2": what else the values depend on.
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  struct Answer;
  PythonReference(os::Process process, os::Fd channel, os::Fd log, const task::Definition& definition,
                  const PythonLimits& limits);
  [[nodiscard]] base::Result<void> load();
  [[nodiscard]] base::Result<Answer> exchange(std::string_view header,
                                              std::span<const std::span<const std::byte>> parts,
                                              std::size_t most_payload, std::chrono::milliseconds limit);
  [[nodiscard]] tl::unexpected<base::Error> gone(const std::string& what);
  [[nodiscard]] tl::unexpected<base::Error> failed(std::string_view what, const std::string& text,
                                                   const std::string& where, const std::string& module) const;

  os::Process process_;
  os::Fd channel_;
  os::Fd log_;
  task::Definition definition_;
  PythonLimits limits_;
  std::string version_;
  bool alive_ = true;
};

}  // namespace assay::verify
