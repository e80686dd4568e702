#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/task/evaluation.hpp>

namespace assay::build {

enum class Severity : std::uint8_t { note, warning, error };

/// One thing that a compiler said.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;       ///< As the compiler names it; empty if it names none.
  std::int32_t line = 0;  ///< From 1; 0: not said.
  std::int32_t column = 0;
  std::string message;  ///< Without the severity, the place and the picture of the line.
  auto operator<=>(const Diagnostic&) const = default;
};

struct Diagnostics {
  std::vector<Diagnostic> messages;  ///< In the order of the log.
  std::vector<task::KernelResources>
      kernels;           ///< One for each that ptxas -v describes; `name` is the symbol (kernel_names.hpp).
  bool complete = true;  ///< False: the log says more than the most that is kept of messages or kernels.
};

inline constexpr std::size_t kMostMessages = 1000;
inline constexpr std::size_t kMostKernels = 4096;

/// Reads the log of nvcc, its front end (cudafe++, cicc), ptxas, NVRTC, g++, clang++ or ld: any text, and never fails.
/// Lines that are none of their forms are passed over. What a log says is the candidate's as much as the compiler's (a
/// source can print lines of its own): it helps an author, and decides nothing.
[[nodiscard]] Diagnostics parse_diagnostics(std::string_view log);

}  // namespace assay::build
