#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/mcp/campaign_tools.hpp>
#include <assay/service/rehearsal.hpp>
#include <assay/service/submission_desk.hpp>

/// What the tests of the tools share: a campaign with a rehearsed judge.
namespace assay::mcp::testing {

/// Says where a value does not fit a schema of ours; empty if it does. Knows what our schemas use.
inline std::string misfit(const base::Json& schema, const base::Json& value, const std::string& place = "") {
  const base::Json types = schema["type"].is_array() ? schema["type"] : base::Json::array({schema["type"]});
  const auto is = [&](const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
           : type == "boolean" ? value.is_boolean()
                               : type == "null" && value.is_null();
  };
  if (std::none_of(types.begin(), types.end(), is)) {
    return place + " is no " + types.dump();
  }
  std::string wrong;
  if (value.is_object() && schema.contains("properties")) {
    for (const base::Json& name : schema["required"]) {
      wrong = !value.contains(name.get<std::string>()) ? place + " lacks " + name.get<std::string>() : wrong;
    }
    for (const auto& [name, inner] : value.items()) {
      const std::string below = place + "/" + name;
      wrong = !wrong.empty()                         ? wrong
              : !schema["properties"].contains(name) ? below + " is not in the schema"
                                                     : misfit(schema["properties"][name], inner, below);
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const base::Json& item : value) {
      wrong = wrong.empty() ? misfit(schema["items"], item, place + "/-") : wrong;
    }
  }
  return wrong;
}

/// A campaign that takes submissions, its desk and its tools. Everything that the tools say is kept.
class ToolWorld {
 public:
  explicit ToolWorld(int submissions = 20, const std::string& policy = "quick") {
    options.name = "night";
    options.agent.word = service::kSubmitted;
    options.rounds = submissions;
    options.candidates_per_round = 1;
    options.policy = policy;
  }

  void begin() {
    const auto created = service::create_campaign(world.context(), options);
    ASSERT_TRUE(created) << created.error().text();
    desk = std::make_unique<service::SubmissionDesk>(world.context(), "night");
    tools = std::make_unique<CampaignTools>(world.context(), "night", *desk);
  }

  ToolResult call(const std::string& name, const base::Json& arguments = base::Json::object()) {
    ToolAnswer answer = tools->call(name, arguments, {"test 1"});
    ToolResult result;
    if (auto* deferred = std::get_if<Deferred>(&answer)) {
      Look look;
      while (!(look = deferred->look(false)).result) {
        said.push_back(look.news);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      result = std::move(*look.result);
    } else {
      result = std::get<ToolResult>(std::move(answer));
    }
    said.push_back(result.text);
    return result;
  }

  /// The answer of a call that must not fail, held against the tool's output schema.
  base::Json ask(const std::string& name, const base::Json& arguments = base::Json::object()) {
    const ToolResult result = call(name, arguments);
    EXPECT_FALSE(result.failed) << name << ": " << result.text;
    const base::Json json = result.failed ? base::Json() : base::Json::parse(result.text);
    for (const base::Json& tool : tools->list()) {
      if (tool["name"] == name && !result.failed) {
        EXPECT_EQ(misfit(tool["outputSchema"], json), "") << name << ": " << result.text;
      }
    }
    return json;
  }

  static base::Json sources(const std::string& words) {
    return base::Json::array(
        {{{"path", "kernel.cpp"}, {"content", "ASSAY_KERNEL(run) { return \"" + words + "\"[0]; }\n"}}});
  }

  /// Submits, waits, and returns what wait_for_job said at last.
  base::Json judged(const std::string& words) {
    const base::Json submitted = ask("submit_candidate", {{"sources", sources(words)}, {"change", "says " + words}});
    return submitted.is_null() ? submitted : ask("wait_for_job", {{"job", submitted["job"]}});
  }

  service::rehearsal::World world;
  service::CampaignOptions options;
  std::unique_ptr<service::SubmissionDesk> desk;
  std::unique_ptr<CampaignTools> tools;
  std::vector<std::string> said;
};

}  // namespace assay::mcp::testing
