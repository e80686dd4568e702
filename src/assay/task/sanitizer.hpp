#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace assay::task {

class Node;

/// The tools of compute-sanitizer, under which a candidate can be run before it is timed. Persisted by name, which is the
/// tool's own; never renamed.
enum class Sanitizer : std::uint8_t {
  memcheck,   ///< Accesses outside an allocation, misaligned ones.
  racecheck,  ///< Races in shared memory.
  initcheck,  ///< Reads of global memory that nobody wrote.
  synccheck,  ///< Barriers that not all threads reach.
};

[[nodiscard]] std::string_view to_string(Sanitizer sanitizer);
/// All names, in the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> sanitizer_names();

/// Reads a list of names without repetitions.
[[nodiscard]] std::vector<Sanitizer> read_sanitizers(const Node& node);

/// What running one tool may take: it makes kernels some tens of times slower, and starts with a copy of each kernel.
inline constexpr int kSanitizedCalls = 3;
inline constexpr std::chrono::seconds kSanitizerStart{90};
inline constexpr std::chrono::seconds kSanitizerEnd{60};
/// One call under a tool, or the loading of an object.
[[nodiscard]] std::chrono::milliseconds sanitized_limit(std::chrono::milliseconds limit);

}  // namespace assay::task
