#include <assay/mcp/campaign_tools.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/mcp/test_tools.hpp>

namespace assay::mcp {
namespace {

using base::Json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CampaignToolsTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.begin(); }
  testing::ToolWorld world_;
};

TEST_F(CampaignToolsTest, ASubmissionIsAnsweredWithAJobAndJudgedAndPromoted) {
  const Json submitted = world_.ask("submit_candidate", {{"sources", testing::ToolWorld::sources("cost=10")}});
  EXPECT_EQ(submitted["job"], "night-job-1");
  EXPECT_EQ(submitted["submissions_left"], 19);
  const Json found = world_.ask("wait_for_job", {{"job", "night-job-1"}, {"max_seconds", 50}});
  EXPECT_EQ(found["stage"], "judged");
  EXPECT_EQ(found["judged"], true);
  EXPECT_EQ(found["result"]["promoted"], true);
  EXPECT_NEAR(found["result"]["effect"]["estimate"], 10, 1e-6);
  EXPECT_EQ(found["sweep"]["verdict"], "promote");
  EXPECT_EQ(world_.ask("get_result", {{"candidate", 1}})["result"], found["result"]);
  EXPECT_EQ(world_.ask("get_result", {{"job", "night-job-1"}}), found);
  const Json state = world_.ask("get_state");
  EXPECT_EQ(state["incumbent"], 1);
  EXPECT_EQ(state["phase"], "searching");
  EXPECT_THAT(state["waiting"], IsEmpty());
  EXPECT_GE(state["regimes"].size(), 1U);
}

TEST_F(CampaignToolsTest, TheTaskSaysWhatACandidateMustBe) {
  const Json task = world_.ask("get_task");
  EXPECT_EQ(task["definition"]["name"], "scale");
  EXPECT_EQ(task["entry_point"], "kernel.cpp::run");
  EXPECT_THAT(task["begin_with"]["sources"][0]["content"].get<std::string>(), HasSubstr("ASSAY_KERNEL"));
}

TEST_F(CampaignToolsTest, FailuresAreExplainedAndListedTheNewestFirst) {
  const Json built = world_.judged("not_built");
  EXPECT_EQ(built["result"]["outcome"], "not_built");
  ASSERT_GE(built["compiler_errors"].size(), 1U);
  EXPECT_THAT(built["compiler_errors"][0].get<std::string>(), HasSubstr("expected ';'"));
  EXPECT_THAT(world_.judged("incorrect")["result"]["explanation"].get<std::string>(),
              HasSubstr("y does not agree with the reference"));
  EXPECT_EQ(world_.judged("cost=50")["result"]["promoted"], true);
  EXPECT_EQ(world_.judged("cost=100 ")["result"]["outcome"], "not_better");
  const Json failed = world_.ask("list_failed_routes");
  ASSERT_THAT(failed["candidates"], SizeIs(3));
  EXPECT_EQ(failed["candidates"][0]["candidate"], 4);
  EXPECT_NEAR(failed["candidates"][0]["effect"]["estimate"], 1, 1e-6) << "as fast as the baseline";
  EXPECT_EQ(world_.ask("list_failed_routes", {{"limit", 1}})["more"], 2);
}

TEST_F(CampaignToolsTest, ARepetitionIsTold) {
  static_cast<void>(world_.judged("cost=50"));
  const Json again = world_.judged("cost=50");
  EXPECT_EQ(again["result"]["outcome"], "duplicate");
  EXPECT_EQ(again["result"]["duplicate_of"], 1);
}

TEST_F(CampaignToolsTest, HistoryIsSearchedByWords) {
  static_cast<void>(world_.judged("cost=50"));
  static_cast<void>(world_.judged("incorrect"));
  EXPECT_THAT(world_.ask("search_history", {{"query", "SAYS cost"}})["candidates"], SizeIs(1));
  EXPECT_THAT(world_.ask("search_history", {{"query", "says"}})["candidates"], SizeIs(2));
  EXPECT_THAT(world_.ask("search_history", {{"query", "nobody said this"}})["candidates"], IsEmpty());
}

TEST_F(CampaignToolsTest, AHypothesisIsStatedFirstAndNamedWithTheCandidate) {
  static_cast<void>(world_.judged("cost=50"));
  const Json stated = world_.ask(
      "propose_hypothesis",
      {{"regime", "all"}, {"limiting_resource", "memory"}, {"change", "says cost=50"}, {"predicted_effect", "2x"}});
  EXPECT_EQ(stated["hypothesis"], "night-hypothesis-1");
  EXPECT_THAT(stated["similar"], SizeIs(1));
  const Json submitted = world_.ask(
      "submit_candidate",
      {{"sources", testing::ToolWorld::sources("cost=40")}, {"hypothesis", "night-hypothesis-1"}, {"parent", 1}});
  const Json found = world_.ask("wait_for_job", {{"job", submitted["job"]}});
  EXPECT_EQ(found["result"]["change"], "says cost=50");
  EXPECT_EQ(found["result"]["parent"], 1);
}

TEST_F(CampaignToolsTest, ComparisonsAndRegimesComeFromWhatWasMeasured) {
  static_cast<void>(world_.judged("cost=50"));
  static_cast<void>(world_.judged("incorrect"));
  const Json faster = world_.ask("compare", {{"first", 0}, {"second", 1}});
  EXPECT_EQ(faster["relation"], "second_faster");
  EXPECT_NEAR(faster["second_over_first"]["estimate"], 2, 1e-6);
  EXPECT_EQ(world_.ask("compare", {{"first", 1}, {"second", 0}})["relation"], "second_slower");
  EXPECT_EQ(world_.ask("compare", {{"first", 1}, {"second", 2}})["relation"], "not_measured");
  const Json profile = world_.ask("get_profile", {{"candidate", 1}});
  ASSERT_GE(profile["regimes"].size(), 1U);
  EXPECT_NEAR(profile["regimes"][0]["speedup"], 2, 1e-6);
  ASSERT_GE(profile["profile"]["workloads"].size(), 1U);
  EXPECT_GT(profile["profile"]["workloads"][0]["candidate_us"], 0);
  EXPECT_TRUE(profile["profile"]["workloads"][0]["floor_us"].is_null()) << "the rehearsed judge has no roofline";
  EXPECT_THAT(profile["profile"]["not_measured"].dump(), HasSubstr("no profiler was run"));
  EXPECT_THAT(world_.ask("get_profile", {{"candidate", 2}})["regimes"], IsEmpty());
  EXPECT_EQ(world_.ask("get_profile", {{"candidate", 2}})["note"], "it was not timed");
  const Json baseline = world_.ask("get_profile", {{"candidate", 0}});
  EXPECT_THAT(baseline["note"].get<std::string>(), HasSubstr("baseline"));
  EXPECT_GE(baseline["profile"]["workloads"].size(), 1U);
}

// What is stated before it is measured is held against the measurement, and a route that failed is refused.
TEST_F(CampaignToolsTest, AFalsifiedHypothesisClosesItsRouteUntilSomethingDiffers) {
  static_cast<void>(world_.judged("cost=50"));
  Json hypothesis = {{"regime", "all"},
                     {"limiting_resource", "memory"},
                     {"change", "stage the tile"},
                     {"predicted_effect", "faster"},
                     {"mechanism", "shared memory staging"},
                     {"predicted_speedup", {{"at_least", 1.1}}}};
  const Json first = world_.ask("propose_hypothesis", hypothesis);
  EXPECT_EQ(first["tested"], true);
  EXPECT_TRUE(first["repeats"].is_null());
  const auto submit = [&](const char* words, const Json& stated) {
    const Json job = world_.ask(
        "submit_candidate", {{"sources", testing::ToolWorld::sources(words)}, {"hypothesis", stated["hypothesis"]}});
    return world_.ask("wait_for_job", {{"job", job["job"]}});
  };
  EXPECT_EQ(submit("cost=80", first)["result"]["outcome"], "not_better");
  const Json routes = world_.ask("list_failed_routes")["routes"];
  ASSERT_THAT(routes, SizeIs(1));
  EXPECT_EQ(routes[0]["hypothesis"], 1);
  EXPECT_EQ(routes[0]["candidate"], 2);
  EXPECT_EQ(routes[0]["mechanism"], "shared memory staging");
  EXPECT_EQ(routes[0]["standing"], "closed");
  EXPECT_EQ(routes[0]["predicted"], "at least 1.100x");
  EXPECT_NEAR(routes[0]["measured"]["estimate"], 50.0 / 80, 1e-6);
  EXPECT_THAT(routes[0]["again"].get<std::string>(), HasSubstr("with what differs stated"));

  hypothesis["mechanism"] = "Shared-memory  STAGING";
  const Json again = world_.ask("propose_hypothesis", hypothesis);
  EXPECT_THAT(again["repeats"].get<std::string>(), HasSubstr("is a closed route"));
  EXPECT_EQ(submit("cost=20", again)["result"]["outcome"], "duplicate") << "nothing is run";
  hypothesis["differs"] = "two stages instead of one";
  const Json other = world_.ask("propose_hypothesis", hypothesis);
  EXPECT_TRUE(other["repeats"].is_null());
  EXPECT_EQ(submit("cost=21", other)["result"]["promoted"], true);
  EXPECT_EQ(world_.ask("list_failed_routes")["routes"][0]["standing"], "other_incumbent");
}

TEST_F(CampaignToolsTest, WordsWithoutAMechanismAreOnlyClaimed) {
  const Json claimed =
      world_.ask("propose_hypothesis",
                 {{"regime", "all"}, {"limiting_resource", "memory"}, {"change", "c"}, {"predicted_effect", "2x"}});
  EXPECT_EQ(claimed["tested"], false);
  const ToolResult wrong = world_.call("propose_hypothesis", {{"regime", "all"},
                                                              {"limiting_resource", "memory"},
                                                              {"change", "c"},
                                                              {"predicted_effect", "2x"},
                                                              {"mechanism", "m"},
                                                              {"predicted_speedup", {{"at_least", 0.5}}}});
  EXPECT_TRUE(wrong.failed);
  EXPECT_THAT(wrong.text, HasSubstr("/predicted_speedup/at_least"));
}

TEST_F(CampaignToolsTest, WhatIsWrongIsAFailureOfTheToolWithTheField) {
  struct Wrong {
    const char* tool;
    Json arguments;
    const char* says;
  };
  const Json sources = testing::ToolWorld::sources("x");
  for (const Wrong& wrong :
       {Wrong{"get_state", {{"seed", 1}}, "/seed"}, Wrong{"submit_candidate", Json::object(), "/sources"},
        Wrong{"submit_candidate", {{"sources", Json::array({{{"path", "other.cpp"}, {"content", ""}}})}}, "kernel.cpp"},
        Wrong{"submit_candidate", {{"sources", sources}, {"hypothesis", "night-hypothesis-9"}}, "/hypothesis"},
        Wrong{"submit_candidate", {{"sources", sources}, {"parent", 9}}, "no candidate 9"},
        Wrong{"wait_for_job", {{"job", "night-job-9"}}, "/job"}, Wrong{"get_result", {{"job", "../x"}}, "/job"},
        Wrong{"get_result", {{"candidate", 4}}, "no candidate 4"}, Wrong{"get_result", {{"candidate", 0}}, "baseline"},
        Wrong{"get_profile", {{"candidate", 4}}, "no candidate 4"},
        Wrong{"compare", {{"first", 0}, {"second", 4}}, "no candidate 4"}, Wrong{"search_history", Json::array(), ""},
        Wrong{"propose_hypothesis", {{"regime", "all"}}, "/limiting_resource"}}) {
    const ToolResult result = world_.call(wrong.tool, wrong.arguments);
    EXPECT_TRUE(result.failed) << wrong.tool;
    EXPECT_THAT(result.text, HasSubstr(wrong.says)) << wrong.tool;
  }
}

TEST_F(CampaignToolsTest, TheMachinesTroubleStallsAJobAndIsNoResult) {
  const Json found = world_.judged("judge.error");
  EXPECT_EQ(found["stage"], "stalled");
  EXPECT_EQ(found["judged"], false);
  EXPECT_EQ(found["trouble"], "judge.memory");
  EXPECT_TRUE(found["result"]["outcome"].is_null());
}

TEST(CampaignToolsLimits, WhenSubmissionsAreUsedUpTheCampaignEnds) {
  testing::ToolWorld world(1);
  world.begin();
  EXPECT_EQ(world.judged("cost=50")["result"]["promoted"], true);
  const ToolResult refused = world.call("submit_candidate", {{"sources", testing::ToolWorld::sources("cost=20")}});
  EXPECT_TRUE(refused.failed);
  EXPECT_THAT(refused.text, HasSubstr("no submission is left"));
  Json state;
  while ((state = world.ask("get_state"))["phase"] != "finished") {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_NEAR(state["confirmed"]["estimate"], 2, 1e-6);
  EXPECT_EQ(state["submissions_left"], 0);
}

TEST(CampaignToolsLimits, AWinnerThatAPersonMustApproveIsToldAsSuch) {
  testing::ToolWorld world;
  world.options.policy = world.world.path("by-person.toml").string();
  world.world.write(world.options.policy, "version = 1\nname = \"mine\"\napproval = \"person\"\n");
  world.begin();
  const Json found = world.judged("cost=50");
  EXPECT_EQ(found["stage"], "awaiting_approval");
  EXPECT_EQ(found["result"]["promoted"], false) << "nothing that is called here approves";
  const Json next = world.ask("submit_candidate", {{"sources", testing::ToolWorld::sources("cost=20")}});
  ASSERT_TRUE(service::approve_campaign(world.world.context(), "night", service::Answer::approve, "me", "read it"));
  EXPECT_EQ(world.ask("wait_for_job", {{"job", next["job"]}})["stage"], "awaiting_approval") << "its own turn has come";
  EXPECT_EQ(world.ask("get_state")["incumbent"], 1);
}

}  // namespace
}  // namespace assay::mcp
