// Goes over everything that every tool says of a campaign in which everything happens, errors too: none of it may hold what the
// judge alone knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include <assay/archive/archive.hpp>
#include <assay/mcp/test_tools.hpp>

namespace assay::mcp {
namespace {

using base::Json;
using ::testing::HasSubstr;
using ::testing::Not;

// What the judge was asked and what it found: its seeds, its workloads, its own sentences.
std::set<std::string> secrets_of(const testing::ToolWorld& world) {
  std::set<std::string> secrets = {"y[1, 0]",       "must be 2",      "failing_input",    "contents",
                                   "alpha",         "stress",         "samples",          "maximum_regression",
                                   "minimum_pairs", "guard_failures", "\"axes\":{\"n\":8"};
  for (const task::EvaluationRequest& request : world.world.record().requests) {
    if (request.seed && *request.seed > 99) {
      secrets.insert(std::to_string(*request.seed));
    }
    for (const task::Workload& workload : request.workloads) {
      secrets.insert(workload.uuid);
    }
    EXPECT_FALSE(request.workloads.empty());
  }
  secrets.insert(world.world.context().places.archive.string());
  return secrets;
}

TEST(Secrets, NoToolTellsWhatTheJudgeAloneKnows) {
  testing::ToolWorld world;
  world.begin();
  for (const char* words :
       {"not_built", "incorrect", "crashed", "timed_out", "cost=50", "cost=50", "cost=200", "cost=49.9", "cost=20"}) {
    static_cast<void>(world.judged(words));
  }
  const std::vector<Json> arguments = {
      Json::object(),
      Json::array(),
      Json(),
      Json("text"),
      Json(7),
      {{"seed", 1}},
      {{"tolerance", 0}},
      {{"job", "night-job-2"}},
      {{"job", "night-job-77"}},
      {{"job", 7}},
      {{"candidate", 0}},
      {{"candidate", 2}},
      {{"candidate", 3}},
      {{"candidate", 5}},
      {{"candidate", 1000000}},
      {{"candidate", "5"}},
      {{"first", 0}, {"second", 5}},
      {{"first", 2}, {"second", 5}},
      {{"first", 5}, {"second", 99}},
      {{"query", "cost"}},
      {{"query", "incorrect"}},
      {{"limit", 100}},
      {{"limit", -1}},
      {{"regime", "all"}, {"limiting_resource", "r"}, {"change", "c"}, {"predicted_effect", "p"}},
      {{"sources", Json::array({{{"path", "../../etc/passwd"}, {"content", ""}}})}},
      {{"sources", testing::ToolWorld::sources("cost=19")}, {"hypothesis", "night-hypothesis-1"}}};
  for (const Json& tool : world.tools->list()) {
    for (const Json& given : arguments) {
      static_cast<void>(world.call(tool["name"], given));
    }
  }
  world.said.push_back(world.tools->instructions());
  world.said.push_back(base::dump_compact(world.tools->list()));
  EXPECT_GT(world.said.size(), 200U);
  // The archive does hold these, so that the test can fail.
  const std::set<std::string> secrets = secrets_of(world);
  EXPECT_GE(secrets.size(), 15U);
  const auto archive = archive::Archive::open_reader(world.world.context().places.archive).value();
  EXPECT_THAT(archive.bundle_file("night-2-gate-1", "evaluation.json").value(), HasSubstr("must be 2"));
  for (const std::string& secret : secrets) {
    for (const std::string& text : world.said) {
      EXPECT_THAT(text, Not(HasSubstr(secret)));
    }
  }
}

TEST(Secrets, ErrorsOfTheHarnessAreToldByTheirCodeAlone) {
  testing::ToolWorld world;
  world.begin();
  static_cast<void>(world.judged("cost=50"));
  ASSERT_TRUE(os::write_file_atomic(world.world.context().places.archive / "submissions/night/job-2.json", "{secret"));
  const ToolResult damaged = world.call("get_result", {{"job", "night-job-2"}});
  EXPECT_TRUE(damaged.failed);
  EXPECT_THAT(damaged.text, HasSubstr("json.syntax"));
  EXPECT_THAT(damaged.text, Not(HasSubstr("secret")));
  while (world.desk->work().busy) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_TRUE(os::remove_tree(world.world.context().places.archive));
  const ToolResult gone = world.call("get_state");
  EXPECT_TRUE(gone.failed);
  EXPECT_THAT(gone.text, Not(HasSubstr("archive/")));
  EXPECT_THAT(gone.text, HasSubstr("no fault of a candidate"));
}

}  // namespace
}  // namespace assay::mcp
