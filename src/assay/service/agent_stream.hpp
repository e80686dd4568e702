#pragma once

#include <optional>
#include <string>

#include <assay/agent/dialect.hpp>
#include <assay/agent/stream_summary.hpp>
#include <assay/base/error.hpp>

namespace assay::service {

/// What is to be read, and what the stream itself cannot tell.
struct AgentStreamOptions {
  agent::Dialect dialect = agent::Dialect::codex;
  std::string file;
  std::string
      after;  ///< The stream of the run before, of the same session or of the one it was forked from; may be empty.
  std::optional<int> exit_code;
  bool answer_wanted = false;
};

/// Reads the recorded stream of an agent's run, of any length. A file that cannot be read is an error; whatever is in it
/// is not.
[[nodiscard]] base::Result<agent::StreamSummary> read_agent_stream(const AgentStreamOptions& options);

}  // namespace assay::service
