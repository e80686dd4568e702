#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>

/// What a CUDA solution without host code says of its launches (docs/cuda.md, "The launch plan"). It is as untrusted as
/// the kernels: what is wrong with it is the candidate's fault, found before anything is launched.
namespace assay::task {

/// Bounds of a plan. Shared memory, blocks and clusters are bounded by what any device with CUDA takes; a smaller
/// device, or a kernel that takes more registers, refuses the launch itself.
inline constexpr std::size_t kMostLaunches = 64;
inline constexpr std::size_t kMostLaunchArguments = 64;
inline constexpr std::size_t kLongestKernelName = 900;
inline constexpr std::uint64_t kMostScratchBytes = std::uint64_t{16} << 30U;
inline constexpr std::int64_t kMostSharedBytes = std::int64_t{227} << 10U;

/// The type of a kernel's parameter that is passed by value. Spelled as here; `boolean` is "bool", one byte.
enum class ParameterType : std::uint8_t { boolean, int32, int64, uint32, uint64, float32, float64 };
[[nodiscard]] std::string_view to_string(ParameterType type);
[[nodiscard]] bool is_floating(ParameterType type);
/// In bytes.
[[nodiscard]] std::size_t size_of(ParameterType type);

/// One argument of a launch, in the order of the kernel's parameters. Expressions are integer expressions over the
/// definition's axes and the solution's parameters (task/expression.hpp).
struct InputPointer {
  std::string input;  ///< A tensor among the inputs.
};
struct OutputPointer {
  std::string output;
};
struct ScalarValue {
  std::string input;  ///< A scalar among the inputs.
  ParameterType type = ParameterType::float32;
};
struct PlanValue {
  std::variant<std::string, double> value;  ///< An expression, or a number that is no integer.
  ParameterType type = ParameterType::int32;
};
struct ScratchPointer {
  std::string offset;  ///< An expression: bytes from the start of the scratch memory.
};
using LaunchArgument = std::variant<InputPointer, OutputPointer, ScalarValue, PlanValue, ScratchPointer>;

struct Launch {
  std::string kernel;
  std::vector<std::string> grid;     ///< One to three expressions: blocks along x, y, z.
  std::vector<std::string> block;    ///< Threads.
  std::vector<std::string> cluster;  ///< Blocks of a cluster; empty: none.
  std::string shared_bytes = "0";    ///< Dynamic shared memory of a block.
  bool cooperative = false;
  std::vector<LaunchArgument> arguments;
};

/// Launches run one after the other on one stream.
struct LaunchPlan {
  std::string source;               ///< "launch.json: /run", for messages.
  std::string scratch_bytes = "0";  ///< Of memory that the launches of one call share; what it holds before is unknown.
  std::vector<Launch> launches;
};

/// Reads the plan of a device-only solution: in its entry file, the member that its entry point names. An input error
/// names the file, the place as a JSON pointer, and the remedy.
[[nodiscard]] base::Result<LaunchPlan> read_launch_plan(const Solution& solution);

/// A plan in numbers, for one call.
struct ResolvedPointer {
  std::size_t argument = 0;  ///< Index among the definition's inputs, then its outputs.
};
struct ResolvedScalar {
  std::size_t input = 0;  ///< Index among the inputs; the value is the call's.
  ParameterType type = ParameterType::float32;
};
struct ResolvedValue {
  std::uint64_t bits = 0;  ///< As the type has them, in the low bytes.
  std::size_t size = 0;    ///< Bytes.
};
struct ResolvedScratch {
  std::uint64_t offset = 0;
};
using ResolvedArgument = std::variant<ResolvedPointer, ResolvedScalar, ResolvedValue, ResolvedScratch>;

struct ResolvedLaunch {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};  ///< All 0: none.
  std::uint32_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<ResolvedArgument> arguments;
};
struct ResolvedPlan {
  std::uint64_t scratch_bytes = 0;
  std::vector<ResolvedLaunch> launches;  ///< One for each of the plan's, in order.
};

/// Resolves a plan for one shape: looks names up, evaluates every expression and holds the results to their bounds. An
/// input error names the place in the plan, the values it was evaluated with, and the remedy.
[[nodiscard]] base::Result<ResolvedPlan> resolve_launch_plan(const LaunchPlan& plan, const Definition& definition,
                                                             const AxisValues& axes,
                                                             const Named<std::int64_t>& parameters);

/// Bytes of an integer, a floating-point number or a truth value as a parameter of `type`; nothing if it does not fit.
[[nodiscard]] std::optional<ResolvedValue> parameter_value(std::int64_t value, ParameterType type);
[[nodiscard]] std::optional<ResolvedValue> parameter_value(double value, ParameterType type);

}  // namespace assay::task
