#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/task/evaluation.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

/// What a side did wrong: its outcome, one sentence, and the evidence.
struct Fault {
  task::Side side = task::Side::candidate;
  task::Outcome outcome = task::Outcome::crashed;
  std::string cause;
  std::vector<task::Finding> findings;
  std::optional<task::FailingInput> input = std::nullopt;  ///< What it saw, if it was at a call.
};

/// What the worker was doing.
enum class Activity : std::uint8_t { load, map, call };

/// Turns a worker's failure into an outcome. A fault at an input or just outside an output is a wrong access with a
/// place (`incorrect`), any other signal a crash. `layout` and `workload` are those of the call, if it was one.
[[nodiscard]] Fault diagnose(const worker::Failure& failure, task::Side side, Activity activity,
                             const verify::Layout* layout, std::optional<std::int32_t> workload);

/// Says what an entry point did that reported a failure: what it raised, or returned.
[[nodiscard]] task::Finding entry_failure(const worker::CallReply& reply);

/// Says in a sentence what a device's driver said of a call (`status`, a CUresult that is not success), with what usually
/// lies behind it. `return_code` is the entry point's.
[[nodiscard]] std::string describe_device_failure(std::int32_t status, std::int32_t return_code);
/// Says which launch of a plan, from 1, the driver refused, with its words and what usually lies behind them.
[[nodiscard]] std::string describe_refused_launch(std::uint32_t launch, std::int32_t status);
/// Says why a call could not be captured into a graph, by the driver's word, and what to do.
[[nodiscard]] std::string describe_capture_failure(std::int32_t status);

/// Says why the system's loader refused an object, by its words (which name it by a descriptor of the worker's), and what to
/// do about a symbol that is not there.
[[nodiscard]] std::string describe_refused_object(const std::string& words);

/// The first errors of a compiler's log as findings, at most five; the whole first line if it says nothing in the usual
/// form "file:line:column: error: …". What only the limits of a build explain has a remedy behind it.
[[nodiscard]] std::vector<task::Finding> compiler_findings(const std::string& log, task::Side side);

}  // namespace assay::evaluate
