#include <assay/service/campaign.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/inspect.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CampaignTest : public testing::Test {
 protected:
  CampaignTest() {
    world_.add_tunable("tunable");
    options_.name = "tune";
    options_.tunable = "tunable";
    options_.also = {world_.kernel("broken.cpp", "not_built"), world_.kernel("wrong.cpp", "incorrect")};
    options_.rounds = 1;
    options_.candidates_per_round = 4;
  }
  base::Result<CampaignStatus> run() { return run_campaign(world_.context(), options_, {}); }

  rehearsal::World world_;
  CampaignOptions options_;
};

TEST_F(CampaignTest, FindsTheFastestVariantAndConfirmsIt) {
  const auto status = run();
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(status->state.phase, control::Phase::finished);
  ASSERT_THAT(status->state.candidates, SizeIs(6));
  EXPECT_EQ(status->state.candidates[0].outcome, task::Outcome::not_built);
  EXPECT_EQ(status->state.candidates[1].outcome, task::Outcome::incorrect);
  ASSERT_TRUE(status->state.incumbent);
  EXPECT_THAT(status->state.candidates[static_cast<std::size_t>(*status->state.incumbent) - 1].parameters,
              ElementsAre(testing::Pair("COST", 8)));
  ASSERT_TRUE(status->state.confirmation);
  EXPECT_NEAR(status->state.confirmation->speedup, 4, 1e-6) << "100 ns against 200/8 ns";
  EXPECT_EQ(status->state.confirmation->workloads, 4);
}

TEST_F(CampaignTest, AFinishedCampaignAnswersFromTheArchive) {
  const auto first = run();
  ASSERT_TRUE(first) << first.error().text();
  const std::size_t requests = world_.record().requests.size();
  const auto second = run();
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(world_.record().requests.size(), requests) << "no judge was asked";
  EXPECT_EQ(encode(*second), encode(*first));
  EXPECT_EQ(encode(*resume_campaign(world_.context(), "tune", {})), encode(*first));
  EXPECT_EQ(encode(*campaign_status(world_.context(), "tune")), encode(*first));
}

TEST_F(CampaignTest, OneThatWasBegunUnderOtherConditionsIsNotContinued) {
  // Stops after its baseline and some candidates: a judge that fails is the machine's fault.
  options_.also = {world_.kernel("fails.cpp", "judge.error")};
  ASSERT_FALSE(run());
  const auto stopped = campaign_status(world_.context(), "tune");
  ASSERT_TRUE(stopped) << stopped.error().text();
  ASSERT_FALSE(stopped->state.baseline_evaluation.empty());
  const std::size_t requests = world_.record().requests.size();
  world_.fingerprint = {{"cpu", "imaginary"}, {"toolchain", "g++ 13"}};
  const auto status = resume_campaign(world_.context(), "tune", {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().owner, base::Owner::environment);
  EXPECT_EQ(status.error().code, "campaign.conditions");
  EXPECT_THAT(status.error().message, HasSubstr("toolchain was g++ 12 and is g++ 13"));
  EXPECT_EQ(world_.record().requests.size(), requests) << "nothing was run";
  world_.fingerprint = {{"cpu", "imaginary"}, {"toolchain", "g++ 12"}};
  EXPECT_NE(resume_campaign(world_.context(), "tune", {}).error().code, "campaign.conditions");
}

TEST_F(CampaignTest, AnotherConfigurationUnderTheSameNameIsRefusedWithTheDifference) {
  ASSERT_TRUE(run());
  options_.rounds = 7;
  options_.seed = 99;
  const auto status = run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().owner, base::Owner::input);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("rounds was 1 and is now 7"), HasSubstr("99"), HasSubstr("assay campaign resume tune")));
}

TEST_F(CampaignTest, AnEditedSourceIsADifference) {
  ASSERT_TRUE(run());
  static_cast<void>(world_.kernel("wrong.cpp", "incorrect in another way"));
  EXPECT_THAT(run().error().message, HasSubstr("/sources/0/content"));
}

TEST_F(CampaignTest, ResumeNeedsNothingButTheArchive) {
  options_.policy = world_.path("by-person.toml").string();
  world_.write(options_.policy, "version = 1\nname = \"mine\"\napproval = \"person\"\n");
  const auto waiting = run();
  ASSERT_TRUE(waiting) << waiting.error().text();
  EXPECT_EQ(waiting->state.phase, control::Phase::awaiting_approval);
  ASSERT_TRUE(waiting->state.awaiting);
  EXPECT_EQ(encode(*waiting)["phase"], "awaiting_approval");

  ASSERT_TRUE(os::remove_tree(world_.context().places.dataset));
  const auto approved = approve_campaign(world_.context(), "tune", Answer::approve, "me", "read it");
  ASSERT_TRUE(approved) << approved.error().text();
  const auto finished = resume_campaign(world_.context(), "tune", {});
  ASSERT_TRUE(finished) << finished.error().text();
  EXPECT_EQ(finished->state.phase, control::Phase::finished);
  EXPECT_EQ(finished->state.incumbent, waiting->state.awaiting);
}

TEST_F(CampaignTest, ARefusedWinnerDoesNotBecomeTheIncumbent) {
  options_.policy = world_.path("by-person.toml").string();
  world_.write(options_.policy, "version = 1\nname = \"mine\"\napproval = \"person\"\n");
  ASSERT_TRUE(run());
  ASSERT_TRUE(approve_campaign(world_.context(), "tune", Answer::refuse, "me", "no"));
  const auto finished = resume_campaign(world_.context(), "tune", {});
  ASSERT_TRUE(finished) << finished.error().text();
  EXPECT_EQ(finished->state.incumbent, std::nullopt);
  EXPECT_FALSE(approve_campaign(world_.context(), "tune", Answer::approve, "me", "late")) << "nothing waits any more";
}

TEST_F(CampaignTest, ACampaignMayConsistOfCandidatesByHand) {
  options_.tunable.clear();
  options_.also = {world_.kernel("fast.cpp", "cost=50")};
  const auto status = run();
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(status->state.phase, control::Phase::finished);
  EXPECT_EQ(status->state.incumbent, 1);
}

TEST_F(CampaignTest, ABudgetOfTheDeviceStopsItAndIsTold) {
  options_.device = "simulated:3";
  options_.rounds = 5;
  options_.candidates_per_round = 1;
  const auto free = run();
  ASSERT_TRUE(free) << free.error().text();
  const auto all = encode(*free)["spending"]["ledger"]["device_ms"]["spent"].get<std::int64_t>();
  ASSERT_GT(all, 0);
  options_.name = "short";
  options_.budget_device_seconds = static_cast<double>(all / 2) / 1000;
  const auto status = run();
  ASSERT_TRUE(status) << status.error().text();
  const base::Json spending = encode(*status)["spending"];
  EXPECT_LE(spending["ledger"]["device_ms"]["spent"], all / 2);
  EXPECT_EQ(spending["ledger"]["device_ms"]["limit"], all / 2);
  EXPECT_TRUE(spending["budget_reached"].is_string());
  EXPECT_TRUE(status->state.search_ended_by_budget);
}

TEST_F(CampaignTest, LimitsAreRaisedByWhoeverGivesLargerOnesAndNeverLowered) {
  options_.budget_device_seconds = 0;
  options_.by = "Ada";
  const auto stopped = run();
  ASSERT_TRUE(stopped) << stopped.error().text();
  ASSERT_TRUE(stopped->state.stopped_by_budget);
  // Another option is still another configuration.
  ++options_.rounds;
  options_.budget_device_seconds = 1000;
  EXPECT_EQ(run().error().code, "campaign.differs");
  --options_.rounds;
  const auto raised = run();
  ASSERT_TRUE(raised) << raised.error().text();
  EXPECT_EQ(raised->state.phase, control::Phase::finished);
  EXPECT_EQ(raised->state.ledger.budget()[control::Resource::device_ms], 1'000'000);
  EXPECT_EQ(encode(*run()), encode(*raised)) << "once";
  options_.budget_device_seconds = 0;
  EXPECT_TRUE(run()) << "as it was begun: what was raised stays";
  options_.budget_device_seconds = 999;
  EXPECT_EQ(run().error().code, "budget.lowered");
  options_.budget_device_seconds.reset();
  EXPECT_EQ(run().error().code, "budget.removed");
  RaisedBudget lower;
  lower.device_seconds = 1;
  lower.by = "Eve";
  EXPECT_EQ(resume_campaign(world_.context(), "tune", {}, lower).error().code, "budget.lowered");
  EXPECT_EQ(encode(*campaign_status(world_.context(), "tune")), encode(*raised)) << "nothing was changed by it";
}

TEST_F(CampaignTest, ResumeRaisesALimitOfACampaignThatStopped) {
  options_.budget_device_seconds = 0;
  ASSERT_TRUE(run());
  RaisedBudget larger;
  larger.device_seconds = 1000;
  EXPECT_EQ(resume_campaign(world_.context(), "tune", {}, larger).error().code, "person.name");
  larger.by = "Ada";
  const auto resumed = resume_campaign(world_.context(), "tune", {}, larger);
  ASSERT_TRUE(resumed) << resumed.error().text();
  EXPECT_EQ(resumed->state.phase, control::Phase::finished);
}

TEST_F(CampaignTest, BadRequestsAreRefusedBeforeAnythingIsCreated) {
  const auto refused = [&](const CampaignOptions& options) {
    const auto status = run_campaign(world_.context(), options, {});
    return status ? std::string("accepted") : status.error().code;
  };
  CampaignOptions bad = options_;
  bad.tunable = "plain";
  EXPECT_EQ(refused(bad), "campaign.not_tunable");
  bad = options_;
  bad.tunable.clear();
  bad.also.clear();
  EXPECT_EQ(refused(bad), "campaign.nothing_to_try");
  bad = options_;
  bad.agent.word = "command:true";
  EXPECT_EQ(refused(bad), "campaign.two_proposers");
  bad.tunable.clear();
  bad.agent.budget_tokens = 1000;  // And no word of what a run may take of it.
  EXPECT_EQ(refused(bad), "campaign.no_reservation");
  bad.agent.word.clear();
  bad.also = {world_.kernel("fast.cpp", "cost=50")};
  EXPECT_EQ(refused(bad), "campaign.no_agent");
  bad.also.clear();
  bad.agent.word = "no-such-agent";
  EXPECT_EQ(refused(bad), "agent.unknown");
  bad = options_;
  bad.device = "gpu";
  EXPECT_EQ(refused(bad), "device.unknown");
  bad = options_;
  bad.name = "No Good/Name";
  EXPECT_NE(refused(bad), "accepted");
  ASSERT_TRUE(os::remove_tree(world_.context().places.dataset / "solutions" / "baseline"));
  EXPECT_EQ(refused(options_), "campaign.no_baseline");
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

TEST_F(CampaignTest, UnknownNamesAreAnsweredWithThoseThatExist) {
  EXPECT_EQ(campaign_status(world_.context(), "tune").error().owner, base::Owner::input);
  ASSERT_TRUE(run());
  const auto status = campaign_status(world_.context(), "tone");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("there is tune"));
  EXPECT_EQ(resume_campaign(world_.context(), "tone", {}).error().code, "campaign.unknown");
  EXPECT_EQ(approve_campaign(world_.context(), "tone", Answer::approve, "me", "").error().code, "campaign.unknown");
}

TEST_F(CampaignTest, AllCampaignsInTheOrderOfCreation) {
  ASSERT_TRUE(run());
  options_.name = "another";
  ASSERT_TRUE(run());
  const auto all = all_campaigns(world_.context());
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_THAT(*all, SizeIs(2));
  EXPECT_EQ((*all)[0].configuration.name, "tune");
  EXPECT_EQ((*all)[1].configuration.name, "another");
}

TEST_F(CampaignTest, ProgressGrowsToTheEndAndEventsAreTold) {
  double last = 0;
  double total = 0;
  int events = 0;
  const auto status =
      run_campaign(world_.context(), options_, [&](double done, double of, const std::string&, bool is_event) {
        EXPECT_LE(done, of);
        last = std::max(last, done);
        total = of;
        events += is_event ? 1 : 0;
      });
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(total, 2 + 2 + 4);
  EXPECT_GE(last, total - 1);
  EXPECT_GE(events, 6) << "at least one line a candidate";
}

TEST_F(CampaignTest, CandidatesOfACampaignHaveNumbers) {
  ASSERT_TRUE(run());
  const auto lines = list_candidates(world_.context(), "tune");
  ASSERT_TRUE(lines) << lines.error().text();
  ASSERT_THAT(*lines, SizeIs(6));
  EXPECT_EQ((*lines)[0].number, 1);
  EXPECT_EQ((*lines)[0].round, 0);
  EXPECT_EQ((*lines)[0].outcome, "not_built");
  EXPECT_EQ(encode(*lines)[5]["round"], 1);
}

TEST_F(CampaignTest, RolesNeedFullAgentAndProgramsThatAreThere) {
  options_.tunable.clear();
  options_.agent.planner = "command:true";
  EXPECT_THAT(run().error().message, HasSubstr("--full-agent"));
  options_.agent.full_agent = true;
  EXPECT_THAT(run().error().message, HasSubstr("give --agent"));
  options_.agent.word = "command:true";
  options_.agent.summariser = "command:no-such-program";
  EXPECT_EQ(run().error().code, "agent.not_found");
  options_.agent.summariser = "http:http://127.0.0.1:9/v1";
  EXPECT_THAT(run().error().message, HasSubstr("can play no role of --full-agent"));
  options_.agent.summariser.clear();
  options_.agent.others = {"command:false"};
  EXPECT_EQ(run().error().code, "campaign.roles");
  EXPECT_THAT(run().error().message, HasSubstr("give --agent once"));
  options_.agent.others.clear();
  options_.rounds = 0;
  const auto status = run();
  ASSERT_TRUE(status) << status.error().text();
  const auto& roles = status->configuration.agent->full_agent;
  ASSERT_TRUE(roles);
  EXPECT_EQ(roles->planner, "command:true");
  EXPECT_EQ(roles->summariser, "command:true") << "the agent, unless another is named";
  EXPECT_EQ(encode(*status)["agent"]["full_agent"]["plans"].size(), 0U);
}

}  // namespace
}  // namespace assay::service
