#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <assay/base/json.hpp>

namespace assay::mcp {

/// What a tool answers.
struct ToolResult {
  /// The answer as JSON, which fits the tool's output schema; of a failure, words for whoever called.
  std::string text;
  bool failed = false;
};

/// What is known of an answer that is not there yet.
struct Look {
  std::optional<ToolResult> result;
  std::string news;  ///< How far it is, in a few words. Told when it changes.
};

/// An answer that takes a while. `look` is asked again and again, and with `time_is_up` at last, when it must have one.
struct Deferred {
  std::chrono::nanoseconds limit{};
  std::function<Look(bool time_is_up)> look;
};

using ToolAnswer = std::variant<ToolResult, Deferred>;

/// Who calls, as the client says: to be written down, never to be believed.
struct Caller {
  std::string name;
};

/// The tools of a server.
class Toolbox {
 public:
  virtual ~Toolbox() = default;
  /// What clients should know before they call anything.
  [[nodiscard]] virtual std::string instructions() const = 0;
  /// The list of tools as MCP has it, always in the same order: name, title, description, inputSchema, outputSchema,
  /// annotations.
  [[nodiscard]] virtual const base::Json& list() const = 0;
  /// Calls a tool of the list. Never takes long: what does is deferred.
  [[nodiscard]] virtual ToolAnswer call(std::string_view name, const base::Json& arguments, const Caller& caller) = 0;
};

}  // namespace assay::mcp
