#include <assay/service/campaign_report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class CampaignReportTest : public testing::Test {
 protected:
  CampaignReportTest() {
    world_.add_tunable("tunable");
    options_.name = "tune";
    options_.tunable = "tunable";
    options_.also = {world_.kernel("wrong.cpp", "incorrect")};
    options_.rounds = 1;
    options_.candidates_per_round = 4;
  }
  report::CampaignReport filled() {
    const auto status = run_campaign(world_.context(), options_, {});
    EXPECT_TRUE(status) << status.error().text();
    auto report = campaign_report(world_.context(), "tune");
    EXPECT_TRUE(report) << report.error().text();
    return report.value();
  }

  rehearsal::World world_;
  CampaignOptions options_;
};

TEST_F(CampaignReportTest, TheHeadlineIsTheConfirmation) {
  const report::CampaignReport report = filled();
  EXPECT_EQ(report.state, "finished");
  EXPECT_EQ(report.baseline, "plain");
  EXPECT_NE(report.incumbent, "plain");
  ASSERT_TRUE(report.headline);
  EXPECT_NEAR(report.headline->speedup.estimate, 4, 1e-6);
  EXPECT_LE(report.headline->speedup.lower, report.headline->speedup.estimate);
  EXPECT_GE(report.headline->speedup.upper, report.headline->speedup.estimate);
  EXPECT_NEAR(report.headline->mean_latency_ratio, 0.25, 1e-6);
  EXPECT_EQ(report.headline->workloads, 4);
  ASSERT_THAT(report.decision, Not(IsEmpty()));
  EXPECT_THAT(report.decision.front(), HasSubstr("4.000 times as fast"));
}

TEST_F(CampaignReportTest, TheResampledIntervalIsOverItsSweepsAgainstTheBaseline) {
  const report::CampaignReport report = filled();
  ASSERT_TRUE(report.headline && report.headline->resampled);
  const report::Headline::Resampled& resampled = *report.headline->resampled;
  EXPECT_EQ(resampled.sessions, 2) << "the sweep that made it the incumbent, and the confirmation";
  EXPECT_EQ(resampled.pairs, 2 * report.headline->pairs);
  EXPECT_NEAR(resampled.speedup.estimate, 4, 1e-6);
  EXPECT_NEAR(resampled.speedup.lower, 4, 1e-6) << "the rehearsal's times have no noise";
}

TEST_F(CampaignReportTest, EveryCandidateHasARowFailedOnesToo) {
  const report::CampaignReport report = filled();
  ASSERT_THAT(report.candidates, SizeIs(5));
  EXPECT_EQ(report.candidates[0].outcome, task::Outcome::incorrect);
  EXPECT_EQ(report.candidates[0].speedup, std::nullopt);
  EXPECT_EQ(report.candidates[0].stage, task::Stage::gate);
  EXPECT_EQ(report.candidates[0].round, 0);
  const auto promoted = std::find_if(report.candidates.begin(), report.candidates.end(),
                                     [](const report::CandidateRow& row) { return row.promoted; });
  ASSERT_NE(promoted, report.candidates.end());
  EXPECT_EQ(promoted->number, report.incumbent_number);
  EXPECT_EQ(promoted->stage, task::Stage::sweep);
  EXPECT_NEAR(promoted->speedup->estimate, 4, 1e-6);
  EXPECT_THAT(promoted->hypothesis.change, Not(IsEmpty()));
}

TEST_F(CampaignReportTest, WorkloadsHaveBothLatenciesOfOneSession) {
  const report::CampaignReport report = filled();
  ASSERT_THAT(report.workloads, SizeIs(4));
  for (const report::WorkloadRow& row : report.workloads) {
    const double size = static_cast<double>(row.axes.front().second);
    EXPECT_NEAR(row.baseline_ns.value(), 100000 * size, 1);
    EXPECT_NEAR(row.incumbent_ns.value(), 25000 * size, 1);
    EXPECT_NEAR(row.speedup->estimate, 4, 1e-6);
  }
}

TEST_F(CampaignReportTest, TellsEnvironmentPolicyAndWinnersSource) {
  const report::CampaignReport report = filled();
  EXPECT_THAT(report.environment, Contains(testing::Pair("cpu", "imaginary")));
  EXPECT_THAT(report.policy_sentences, Not(IsEmpty()));
  ASSERT_THAT(report.winner_source, SizeIs(1));
  EXPECT_THAT(report.winner_source[0].text, HasSubstr("COST > 9"));
  EXPECT_EQ(report.version, version());
  EXPECT_THAT(report.finished, Not(IsEmpty()));
}

TEST_F(CampaignReportTest, WithoutAWinnerTheBaselineStays) {
  options_.tunable.clear();
  const report::CampaignReport report = filled();
  EXPECT_EQ(report.incumbent, "plain");
  EXPECT_EQ(report.incumbent_number, std::nullopt);
  EXPECT_FALSE(report.headline);
  EXPECT_THAT(report.decision.front(), HasSubstr("plain stays"));
  EXPECT_THAT(report.winner_source, IsEmpty());
  EXPECT_GT(report.workloads.at(0).baseline_ns.value(), 0);
  EXPECT_EQ(report.workloads.at(0).incumbent_ns, std::nullopt);
  EXPECT_THAT(report.environment, Not(IsEmpty())) << "of the baseline's own measurement";
}

TEST_F(CampaignReportTest, TheNumberThatChoseItIsToldAsScreening) {
  EXPECT_THAT(filled().decision, Contains(AllOf(HasSubstr("Screening"), HasSubstr("compared with the baseline"))));
}

TEST_F(CampaignReportTest, AWinnerThatFailsInItsConfirmationIsDemoted) {
  options_.tunable.clear();
  options_.also = {world_.kernel("fragile.cpp", "fails_later cost=50")};
  const report::CampaignReport report = filled();
  EXPECT_EQ(report.incumbent, "plain");
  EXPECT_FALSE(report.headline);
  EXPECT_THAT(report.decision.front(), HasSubstr("plain stays: no candidate was confirmed"));
  EXPECT_THAT(report.decision, Contains(AllOf(HasSubstr("is demoted"), HasSubstr("crashed"))));
  EXPECT_THAT(report.candidates.at(0).demotion, HasSubstr("crashed"));
  const base::Json json = encode(campaign_status(world_.context(), "tune").value());
  EXPECT_TRUE(json["incumbent"].is_null());
  EXPECT_TRUE(json["confirmation"].is_null());
  EXPECT_TRUE(json["screening"].is_null());
  EXPECT_EQ(json["confirmations"][0]["holds"], false);
  EXPECT_TRUE(json["candidates"][0]["demoted"].is_string());
}

TEST_F(CampaignReportTest, AConfirmationThatSaysNothingLeavesTheWinnerUnconfirmed) {
  options_.tunable.clear();
  options_.also = {world_.kernel("lost.cpp", "lost_later cost=50")};
  const auto ended = run_campaign(world_.context(), options_, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(base::exit_code(ended.error().owner), 3);
  const report::CampaignReport report = campaign_report(world_.context(), "tune").value();
  EXPECT_EQ(report.state, "confirming");
  EXPECT_EQ(report.incumbent, "lost");
  EXPECT_THAT(report.decision, Contains(HasSubstr("it was not confirmed against the baseline yet")));
  EXPECT_THAT(report.decision, Contains(AllOf(HasSubstr("tried 3 times and failed"), HasSubstr("could not be built"))));
  EXPECT_THAT(report.decision, Not(Contains(HasSubstr("demoted"))));
  const base::Json json = encode(campaign_status(world_.context(), "tune").value());
  EXPECT_TRUE(json["confirmation"].is_null());
  EXPECT_EQ(json["failed_attempts"], 3);
  EXPECT_THAT(json["last_failure"].get<std::string>(), HasSubstr("says nothing about it"));
}

TEST_F(CampaignReportTest, AnAlarmIsToldWithTheInjectionThatRaisedIt) {
  options_.policy = world_.path("injecting.toml").string();
  world_.write(options_.policy, "version = 1\n[injections]\nnull_rate = 1.0\nslower_rate = 1.0\n");
  options_.tunable.clear();
  options_.also = {world_.kernel("strange.cpp", "copied_at=20 cost=50")};
  const report::CampaignReport report = filled();
  ASSERT_THAT(report.alarms, SizeIs(1));
  EXPECT_THAT(report.alarms[0], HasSubstr("a copy of candidate 1"));
  EXPECT_THAT(report.warnings, IsEmpty());
  ASSERT_THAT(report.injections, SizeIs(2));
  EXPECT_EQ(report.injections[0].what, "a copy of candidate 1");
  EXPECT_EQ(report.injections[0].complaint, report.alarms[0]);
  EXPECT_EQ(report.injections[0].stage, task::Stage::sweep);
  EXPECT_EQ(report.injections[1].what, "the baseline");
  EXPECT_EQ(report.injections[1].outcome, task::Outcome::not_better);
  EXPECT_EQ(report.injections[1].complaint, "");
  EXPECT_THAT(report.candidates, SizeIs(1));
  const base::Json json = encode(campaign_status(world_.context(), "tune").value());
  EXPECT_EQ(json["alarms"].size(), 1U);
  EXPECT_EQ(json["injections"][0]["kind"], "null");
  EXPECT_EQ(json["injections"][1]["kind"], "slower");
  EXPECT_EQ(json["incumbent"], 1);
}

TEST_F(CampaignReportTest, OutrunCandidatesAreToldByWhom) {
  options_.tunable.clear();
  options_.also = {world_.kernel("a.cpp", "cost=60"), world_.kernel("b.cpp", "cost=30")};
  const report::CampaignReport report = filled();
  EXPECT_EQ(report.incumbent_number, 2);
  EXPECT_THAT(report.candidates.at(0).unswept, HasSubstr("candidate 2"));
  EXPECT_THAT(report.decision, Contains(HasSubstr("Candidate 1 passed its gate and was outrun by candidate 2")));
  const base::Json json = encode(campaign_status(world_.context(), "tune").value());
  EXPECT_EQ(json["candidates"][0]["outrun"]["by"], 2);
  EXPECT_EQ(json["candidates"][0]["outrun"]["ground"], "bounds");
}

TEST_F(CampaignReportTest, WhoLeavesForTheCapIsNotSaidToBeSlower) {
  options_.tunable.clear();
  options_.also = {world_.kernel("a.cpp", "cost=50 a"), world_.kernel("b.cpp", "cost=50 b")};
  const report::CampaignReport report = filled();
  EXPECT_EQ(report.incumbent_number, 1);
  EXPECT_THAT(report.decision,
              Contains(HasSubstr("Candidate 2 passed its gate and was not swept: the policy sweeps 1")));
}

TEST_F(CampaignReportTest, AWaitingWinnerIsNamedWithWhatToDo) {
  options_.policy = world_.path("by-person.toml").string();
  world_.write(options_.policy, "version = 1\nname = \"mine\"\napproval = \"person\"\n");
  const report::CampaignReport report = filled();
  EXPECT_EQ(report.state, "awaiting approval");
  EXPECT_THAT(report.decision.front(), HasSubstr("assay approve tune"));
  EXPECT_THAT(report.finished, IsEmpty());
}

TEST_F(CampaignReportTest, TheFileIsOnePageThatNeedsNothingElse) {
  const os::Path file = world_.path("new/folder/report.html");
  const auto written = write_report(filled(), file);
  ASSERT_TRUE(written) << written.error().text();
  const std::string html = os::read_file(file).value();
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("src=\"http")));
  EXPECT_FALSE(write_report(filled(), "/proc/no/report.html"));
}

TEST_F(CampaignReportTest, AnUnknownCampaignIsAnError) {
  EXPECT_EQ(campaign_report(world_.context(), "tune").error().owner, base::Owner::input);
}

}  // namespace
}  // namespace assay::service
