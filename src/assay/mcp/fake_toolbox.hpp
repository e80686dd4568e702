#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/mcp/toolbox.hpp>

/// For tests only.
namespace assay::mcp::testing {

/// Has the tool of the server that the dialogues were recorded with: `evaluate_candidate`. It answers "bad" with a failure,
/// "slow" never, and everything else after it was looked at `looks` times.
class FakeToolbox final : public Toolbox {
 public:
  [[nodiscard]] std::string instructions() const override {
    return "Evaluate candidates only through evaluate_candidate.";
  }
  [[nodiscard]] const base::Json& list() const override { return tools; }
  [[nodiscard]] ToolAnswer call(std::string_view /*name*/, const base::Json& arguments, const Caller& caller) override {
    callers.push_back(caller.name);
    const std::string path = arguments.is_object() ? arguments.value("path", "") : "";
    if (path == "bad") {
      return ToolResult{"no such file: bad", true};
    }
    return Deferred{std::chrono::seconds(limit_seconds),
                    [this, path, seen = std::make_shared<int>(0)](bool time_is_up) -> Look {
                      ++*seen;
                      if (time_is_up) {
                        return {ToolResult{R"({"status":"LATE"})", false}, ""};
                      }
                      if (path == "slow" || *seen <= looks) {
                        return {std::nullopt, "trial " + std::to_string(*seen)};
                      }
                      return {ToolResult{R"({"status":"PASSED","mean_ms":0.0062})", false}, ""};
                    }};
  }

  int looks = 2;
  int limit_seconds = 50;
  std::vector<std::string> callers;
  base::Json tools = base::Json::parse(
      R"([{"name":"evaluate_candidate","title":"Evaluate candidate","description":"Compile, check and time a candidate",
           "inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],
                          "additionalProperties":false},
           "outputSchema":{"type":"object","properties":{"status":{"type":"string"},"mean_ms":{"type":"number"}},
                           "required":["status"]},
           "annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}])");
};

}  // namespace assay::mcp::testing
