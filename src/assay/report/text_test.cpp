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

TEST(RenderText, LeadsWithTheDecision) {
  const std::string text = render_text(testing::sample_report());
  EXPECT_LT(text.find("Candidate 23 replaces the baseline"), text.find("speedup over the baseline"));
  EXPECT_THAT(text, HasSubstr("2.31× [2.24, 2.38]"));
  EXPECT_THAT(text, HasSubstr("54 workloads, 4 process pairs"));
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
