#include <assay/service/inbox.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/campaign_report.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class InboxTest : public testing::Test {
 protected:
  InboxTest() {
    world_.add_tunable("tunable");
    options_.name = "tune";
    options_.tunable = "tunable";
    options_.rounds = 1;
    options_.candidates_per_round = 4;
    options_.ask_above_sweep_seconds = 0;  // Whatever it costs.
  }
  CampaignStatus run() {
    auto status = run_campaign(world_.context(), options_, {});
    EXPECT_TRUE(status) << status.error().text();
    return std::move(*status);
  }
  std::string refusal(const std::string& id, const InboxAnswer& answer) {
    const auto said = answer_inbox(world_.context(), id, answer);
    EXPECT_FALSE(said) << id;
    return said ? "" : said.error().message;
  }

  rehearsal::World world_;
  CampaignOptions options_;
};

TEST_F(InboxTest, ADearSweepWaitsAndIsMadeWhenAPersonSaysSo) {
  run();
  const auto waiting = inbox(world_.context());
  ASSERT_TRUE(waiting) << waiting.error().text();
  ASSERT_THAT(*waiting, SizeIs(1));
  EXPECT_EQ(waiting->front().id, "tune-decision-1");
  EXPECT_EQ(waiting->front().kind, "spend");
  EXPECT_THAT(waiting->front().question, HasSubstr("won its gate"));
  EXPECT_THAT(waiting->front().deadline, HasSubstr("continued without an answer"));
  const auto said = answer_inbox(world_.context(), "tune-decision-1", {"sweep", "", "Ada", 2.5, "worth it"});
  ASSERT_TRUE(said) << said.error().text();
  EXPECT_FALSE(said->running);
  EXPECT_THAT(*inbox(world_.context()), IsEmpty());
  const CampaignStatus status = run();
  EXPECT_TRUE(status.state.incumbent || status.state.supervision.open_decision(control::DecisionKind::spend));
  EXPECT_EQ(status.state.ledger.spent()[control::Resource::human_seconds], 150);
  EXPECT_EQ(encode(status)["supervisor"]["decisions"][0]["answer"]["minutes"], 2.5);
}

TEST_F(InboxTest, WhatDoesNotFitIsRefused) {
  run();
  EXPECT_THAT(refusal("tune-decision-1", {"go_on", "", "Ada", 0, ""}), HasSubstr("choose one of sweep, skip"));
  EXPECT_THAT(refusal("tune-decision-1", {"skip", "", "Ada", -1, ""}), HasSubstr("no time that a person gave"));
  EXPECT_THAT(refusal("tune-decision-1", {"skip", "", "", 0, ""}), HasSubstr("--by NAME"));
  EXPECT_THAT(refusal("tune-decision-x", {"skip", "", "Ada", 0, ""}), HasSubstr("no decision's id"));
  EXPECT_THAT(refusal("tune", {"skip", "", "Ada", 0, ""}), HasSubstr("no decision's id"));
  EXPECT_THAT(refusal("tune-promotion-1", {"approve", "", "Ada", 0, ""}), HasSubstr("waits for nobody"));
  EXPECT_THAT(refusal("tune-promotion-1", {"skip", "", "Ada", 0, ""}), HasSubstr("approve or refuse"));
  EXPECT_THAT(refusal("other-decision-1", {"skip", "", "Ada", 0, ""}), HasSubstr("no campaign \"other\""));
}

TEST_F(InboxTest, WhileTheCampaignRunsAWordIsLeftForIt) {
  run();
  {
    const auto writer = archive::Archive::open_writer(world_.context().places.archive);
    ASSERT_TRUE(writer);
    const auto said = steer_campaign(world_.context(), "tune", "Ada", 1, "look at the loads");
    ASSERT_TRUE(said) << said.error().text();
    EXPECT_TRUE(said->running);
    EXPECT_THAT(campaign_status(world_.context(), "tune")->state.supervision.steers, IsEmpty());
  }
  const CampaignStatus status = run();
  ASSERT_THAT(status.state.supervision.steers, SizeIs(1));
  const auto report = campaign_report(world_.context(), "tune");
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->people.back().what, "Steer");
  EXPECT_THAT(report->people.back().answer, HasSubstr("undecided"));
}

TEST_F(InboxTest, APromotionIsAnsweredWithTheMinutesThatItTook) {
  options_.ask_above_sweep_seconds.reset();
  options_.policy = world_.path("by-person.toml").string();
  world_.write(options_.policy, "version = 1\nname = \"mine\"\napproval = \"person\"\n");
  run();
  const auto waiting = inbox(world_.context());
  ASSERT_TRUE(waiting) << waiting.error().text();
  ASSERT_THAT(*waiting, SizeIs(1));
  EXPECT_EQ(waiting->front().kind, "promotion");
  const auto said = answer_inbox(world_.context(), waiting->front().id, {"approve", "", "Ada", 1.5, "read it"});
  ASSERT_TRUE(said) << said.error().text();
  const auto status = campaign_status(world_.context(), "tune");
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->state.incumbent);
  EXPECT_EQ(status->state.ledger.spent()[control::Resource::human_seconds], 90);
  ASSERT_THAT(status->state.promotion_costs, SizeIs(1));
  EXPECT_EQ(status->state.promotion_costs[0].cost[control::Resource::human_seconds], 90)
      << "it is the promotion's cost";
}

TEST_F(InboxTest, OfACampaignThatEndedNothingWaits) {
  options_.ask_above_sweep_seconds.reset();
  run();
  EXPECT_THAT(*inbox(world_.context()), IsEmpty());
  const auto said = steer_campaign(world_.context(), "tune", "Ada", 0, "too late");
  ASSERT_FALSE(said);
  EXPECT_THAT(said.error().message, HasSubstr("nothing is changed"));
}

}  // namespace
}  // namespace assay::service
