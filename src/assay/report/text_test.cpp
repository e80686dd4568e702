#include <assay/report/text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>
#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RenderText, MatchesItsGoldenFile) {
  plot::testing::expect_golden(render_text(testing::sample_report()), "campaign_report.txt");
}

TEST(RenderText, TellsWhatTheSupervisorFound) {
  CampaignReport report = testing::sample_report();
  report.findings = {
      {2, 3, 20, "plateau", "a plateau", "the noise floor is too high", "buy repeats", "flat", true, 28}};
  report.people = {{"Decision 1", "what now?", "waits", "", 0}};
  const std::string text = render_text(report, Colour::off);
  EXPECT_THAT(text,
              ::testing::HasSubstr("  after round 2, a plateau (the noise floor is too high): buy repeats: flat\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  Decision 1: what now? -> waits\n"));
}

TEST(RenderText, LeadsWithTheDecision) {
  const std::string text = render_text(testing::sample_report());
  EXPECT_LT(text.find("Candidate 23 replaces the baseline"), text.find("speedup over the baseline"));
  EXPECT_THAT(text, HasSubstr("2.31× [2.24, 2.38]"));
  EXPECT_THAT(text, HasSubstr("54 workloads, 4 process pairs"));
}

TEST(RenderText, AlarmsComeFirst) {
  CampaignReport report = testing::sample_report();
  report.alarms = {"a copy won"};
  report.warnings = {"a loser was not seen"};
  report.injections.resize(3);
  report.injections[1].complaint = "a copy won";
  const std::string text = render_text(report);
  EXPECT_LT(text.find("ALARM: a copy won"), text.find("Candidate 23 replaces"));
  EXPECT_LT(text.find("warning: a loser"), text.find("Candidate 23 replaces"));
  EXPECT_THAT(text, HasSubstr("3 injections, 1 with an answer that it should not have"));
  EXPECT_THAT(render_text(report, Colour::on), HasSubstr("\x1b[31mALARM"));
}

TEST(RenderText, TellsTheFateOfEachOfTheBest) {
  CampaignReport report = testing::sample_report();
  for (CandidateRow& row : report.candidates) {
    row.demotion = row.promoted ? "not confirmed" : "";
    row.unswept = row.promoted ? "" : "the sweeps were used up";
  }
  const std::string text = render_text(report);
  EXPECT_THAT(text, HasSubstr("demoted"));
  EXPECT_THAT(text, HasSubstr("not swept"));
  EXPECT_THAT(text, Not(HasSubstr("  promoted")));
}

TEST(RenderText, RanksCorrectCandidatesOnly) {
  CampaignReport report = testing::sample_report();
  report.candidates[5].speedup = Ratio{50, 49, 51};  // suspect: never fast
  EXPECT_THAT(render_text(report), Not(HasSubstr("50.00×")));
}

TEST(RenderText, SaysWhenThereIsNothingYet) {
  CampaignReport report;
  report.campaign = "empty";
  report.definition = "d";
  report.device = "cpu";
  report.state = "searching";
  report.candidates.emplace_back().number = 1;
  EXPECT_EQ(render_text(report),
            "empty: d on cpu, searching\n\n1 candidate, 1 not judged yet\n\nNo candidate was both correct "
            "and measured.\n");
}

TEST(RenderText, HostileTextCannotDriveTheTerminal) {
  EXPECT_THAT(render_text(testing::hostile_report()), Not(HasSubstr("\x1b")));
}

TEST(RenderText, ColoursOnRequest) {
  EXPECT_THAT(render_text(testing::sample_report(), Colour::on), HasSubstr("\x1b[32mpromoted\x1b[0m"));
}

}  // namespace
}  // namespace assay::report
