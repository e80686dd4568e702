#include <assay/report/candidate_section.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>
#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

using plot::testing::markup_problem;
using plot::testing::occurrences;
using task::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

CampaignReport with_candidate(CandidateRow row) {
  CampaignReport report;
  row.number = row.number == 0 ? 1 : row.number;
  report.candidates.push_back(std::move(row));
  return report;
}

CandidateRow judged(Outcome outcome) {
  CandidateRow row;
  row.outcome = outcome;
  return row;
}

TEST(OutcomeList, CountsWithBadgesInOrder) {
  const std::string list = outcome_list(testing::sample_report());
  EXPECT_EQ(markup_problem(list), "");
  EXPECT_THAT(list, HasSubstr("<li>2 <span class=\"badge neutral\">duplicate</span></li>"));
  EXPECT_THAT(list, HasSubstr("<li>2 <span class=\"badge failure\">incorrect</span></li>"));
  EXPECT_THAT(list, HasSubstr("<li>3 <span class=\"badge gain\">better</span></li>"));
  EXPECT_LT(list.find("duplicate"), list.find("better"));
}

TEST(OutcomeList, CountsThoseThatWait) {
  EXPECT_EQ(outcome_list(with_candidate({})),
            "<ul class=\"counts\"><li>1 <span class=\"badge neutral\">not judged yet</span></li></ul>\n");
  EXPECT_EQ(outcome_list({}), "");
}

TEST(CandidateTable, SaysWhereACandidateCameFrom) {
  CandidateRow row = judged(Outcome::not_better);
  row.name = "tuned";
  row.digest = "0123456789ab";
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("<code>0123456789ab</code> · supplied by hand"));
  row.number = 7;
  row.round = 2;
  row.parent = 3;
  EXPECT_THAT(candidate_table(with_candidate(row)),
              HasSubstr("· round 2, from <a href=\"#candidate-3\">candidate 3</a>"));
}

TEST(CandidateTable, SaysWhyAWinnerWasNotSweptOrWasDemoted) {
  CandidateRow row = judged(Outcome::better);
  row.unswept = "at most 1.2x";
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("not swept: at most 1.2x"));
  row.unswept.clear();
  row.promoted = true;
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("<tr id=\"candidate-1\" class=\"promoted\">"));
  row.demotion = "not confirmed";
  const std::string table = candidate_table(with_candidate(row));
  EXPECT_THAT(table, HasSubstr("<span class=\"badge failure\">demoted</span>"));
  EXPECT_THAT(table, HasSubstr("not confirmed"));
  EXPECT_THAT(table, Not(HasSubstr("class=\"promoted\"")));
}

TEST(CandidateTable, GivesSpeedupOnlyToTheCorrect) {
  CandidateRow row = judged(Outcome::indistinguishable);
  row.speedup = Ratio{1.25, 1.2, 1.3};
  row.stage = task::Stage::gate;
  EXPECT_THAT(candidate_table(with_candidate(row)),
              HasSubstr(">1.25×<span class=\"minor\">[1.20, 1.30]</span><span class=\"minor\">gate</span></td>"));
  for (const Outcome outcome : {Outcome::suspect, Outcome::incorrect, Outcome::timed_out, Outcome::crashed}) {
    row.outcome = outcome;
    EXPECT_THAT(candidate_table(with_candidate(row)), Not(HasSubstr("1.25×"))) << words(outcome);
  }
}

TEST(CandidateTable, ShowsASpeedupWithoutInterval) {
  CandidateRow row = judged(Outcome::measured);
  row.speedup = Ratio{1.25, 0, 0};
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("<td class=\"number\">1.25×</td>"));
}

TEST(CandidateTable, MarksThePromotedInWordsToo) {
  CandidateRow row = judged(Outcome::better);
  EXPECT_THAT(candidate_table(with_candidate(row)), Not(HasSubstr("promoted")));
  row.promoted = true;
  const std::string table = candidate_table(with_candidate(row));
  EXPECT_THAT(table, HasSubstr("<tr id=\"candidate-1\" class=\"promoted\">"));
  EXPECT_THAT(table, HasSubstr("<span class=\"badge won\">promoted</span>"));
}

TEST(CandidateTable, LeavesOutWhatAHypothesisDoesNotSay) {
  CandidateRow row = judged(Outcome::not_better);
  const std::string bare = candidate_table(with_candidate(row));
  for (const char* label : {"predicted:", "regime:", "limited by:"}) {
    EXPECT_THAT(bare, Not(HasSubstr(label)));
  }
  row.hypothesis = {"batch_size 1..8", "unknown", "UNROLL 2 -> 4", "2 % faster"};
  row.parameters = {{"UNROLL", 4}};
  const std::string table = candidate_table(with_candidate(row));
  EXPECT_THAT(table, HasSubstr("<td>UNROLL 2 -&gt; 4<span class=\"minor\">predicted: 2 % faster</span>"
                               "<span class=\"minor\">regime: batch_size 1..8</span>"
                               "<span class=\"minor\"><code>UNROLL=4</code></span></td>"));
}

TEST(CandidateTable, JoinsRegimeAndLimit) {
  CandidateRow row = judged(Outcome::not_better);
  row.hypothesis = {"all", "memory bandwidth", "", ""};
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("regime: all · limited by: memory bandwidth"));
  row.hypothesis.regime.clear();
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("\"minor\">limited by: memory bandwidth<"));
}

TEST(CandidateTable, DuplicatesNameTheirOriginal) {
  CandidateRow row = judged(Outcome::duplicate);
  row.number = 9;
  row.duplicate_of = 4;
  EXPECT_THAT(candidate_table(with_candidate(row)), HasSubstr("same as <a href=\"#candidate-4\">candidate 4</a>"));
}

TEST(CandidateTable, EveryOutcomeHasABadge) {
  for (const Outcome outcome : task::all_outcomes()) {
    EXPECT_EQ(occurrences(candidate_table(with_candidate(judged(outcome))), ">" + words(outcome) + "</span>"), 1);
  }
  EXPECT_THAT(candidate_table(with_candidate({})), HasSubstr(">not judged yet</span>"));
}

TEST(CandidateTable, EscapesEverything) {
  const std::string table = candidate_table(testing::hostile_report());
  EXPECT_EQ(markup_problem(table), "");
  EXPECT_THAT(table, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace assay::report
