#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/agent_run.hpp>
#include <assay/base/error.hpp>

namespace assay::agent {

/// A server of tools (MCP) that an agent starts inside of its sandbox.
struct ToolServer {
  os::Path program;                    ///< Lies at the same place inside.
  std::vector<std::string> arguments;  ///< As seen inside.
  std::vector<os::SandboxBind> binds;  ///< What it needs beside the program.
};

/// Which agent proposes, and how it is to be started.
struct AgentChoice {
  std::string word;               ///< "codex", "claude", "http:URL", or "command:PROGRAM".
  std::string model;              ///< Empty: the program's default.
  std::optional<double> dollars;  ///< The most that one run may cost, where the program keeps to one (Claude).
  /// JSON Schema of the answer that it must give; it lies in kSchemaFile too. Absent: none is wanted.
  std::optional<std::string> schema = std::nullopt;
  std::optional<ToolServer> tools = std::nullopt;  ///< Of `codex` and `claude` alone: no other program has sockets.
};

/// Reads a variable of our own environment; absent: it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Makes the command line and the environment of an agent. `prompt` is a short text that names the file with the rest;
/// `folder` is where the program will see its working folder. A word that is not known, or a program that is not there, is
/// an input error. Of `environment` only PATH is looked at, and for `codex` and `claude` what holds their keys and
/// addresses: these the agent can read, as its program must.
[[nodiscard]] base::Result<AgentProgram> make_agent_program(const AgentChoice& choice, const os::Path& folder,
                                                            const std::string& prompt, const Environment& environment);

/// Our own environment.
[[nodiscard]] Environment own_environment();

}  // namespace assay::agent
