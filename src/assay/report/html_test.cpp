#include <assay/report/html.hpp>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/base/text.hpp>
#include <assay/plot/testing.hpp>
#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

using plot::testing::markup_problem;
using plot::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  return start == std::string::npos ? "" : text.substr(start, text.find(to, start) - start);
}

TEST(RenderHtml, IsWellFormed) {
  EXPECT_EQ(markup_problem(render_html(testing::sample_report())), "");
  EXPECT_EQ(markup_problem(render_html({})), "");
}

TEST(RenderHtml, IsPure) { EXPECT_EQ(render_html(testing::sample_report()), render_html(testing::sample_report())); }

// The golden file is also the page to look at after a change of style.
TEST(RenderHtml, MatchesItsGoldenFile) {
  plot::testing::expect_golden(render_html(testing::sample_report()), "campaign_report.html");
}

TEST(RenderHtml, FetchesNothingAndRunsNothing) {
  const std::string page = render_html(testing::sample_report());
  for (const char* forbidden :
       {"<script", "<link", "<iframe", "<img", "src=", "@import", "url(", "javascript:", "onload"}) {
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
  }
  // The only addresses are the names of the two markup languages.
  EXPECT_EQ(occurrences(page, "http://"), occurrences(page, "xmlns=\"http://www.w3.org/"));
  EXPECT_EQ(occurrences(page, "https://"), 0);
  EXPECT_THAT(page, HasSubstr("default-src &#39;none&#39;"));
}

TEST(RenderHtml, EscapesEveryTextOfCandidates) {
  const std::string page = render_html(testing::hostile_report());
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("\xff")));
  EXPECT_GT(occurrences(page, "&lt;script&gt;alert(&quot;x&quot;)"), 32 * 7) << "shown, not dropped";
}

TEST(RenderHtml, TellsTheDecisionFirst) {
  const std::string page = render_html(testing::sample_report());
  const std::size_t decision = page.find("Candidate 23 replaces the baseline");
  ASSERT_NE(decision, std::string::npos);
  EXPECT_LT(decision, page.find("<figure>"));
  EXPECT_THAT(page, HasSubstr("<b class=\"big\">2.31×</b>"));
  EXPECT_THAT(page, HasSubstr("interval [2.24, 2.38]"));
  EXPECT_THAT(page, Not(HasSubstr("For one look")));
}

TEST(RenderHtml, ShowsTheResampledIntervalBesideTheOneThatDecided) {
  CampaignReport report = testing::sample_report();
  report.headline->resampled = Headline::Resampled{{2.3, 2.2, 2.4}, 0.99, 2, 9};
  const std::string page = render_html(report);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page,
              HasSubstr("For one look: 2.30× [2.20, 2.40] (99 %, resampled over 2 sessions and 9 process pairs)."));
  EXPECT_THAT(page, HasSubstr("interval [2.24, 2.38]")) << "that stays the headline's";
}

TEST(RenderHtml, AnAlarmStandsBeforeTheDecision) {
  CampaignReport report = testing::sample_report();
  EXPECT_THAT(render_html(report), Not(HasSubstr("role=\"alert\"")));
  report.alarms = {"a copy of the incumbent won"};
  report.warnings = {"a loser was not seen"};
  const std::string page = render_html(report);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_EQ(occurrences(page, "role=\"alert\""), 1);
  EXPECT_LT(page.find("Alarm: a copy of the incumbent won"), page.find("Candidate 23 replaces the baseline"));
  EXPECT_LT(page.find("Warning: a loser was not seen"), page.find("Candidate 23 replaces the baseline"));
}

TEST(RenderHtml, ShowsInjectionsApartFromCandidates) {
  CampaignReport report = testing::sample_report();
  EXPECT_THAT(render_html(report), Not(HasSubstr("id=\"injections\"")));
  report.injections = {{1, 2, "a copy of candidate 9", "must not win", task::Outcome::indistinguishable, "a tie",
                        task::Stage::gate, Ratio{1.01, 0.98, 1.04}, ""},
                       {2, 2, "the baseline", "must lose", std::nullopt, "", std::nullopt, std::nullopt, "not seen"}};
  const std::string page = render_html(report);
  EXPECT_EQ(markup_problem(page), "");
  const std::string section = between(page, "id=\"injections\"", "</section>");
  EXPECT_THAT(section, HasSubstr("a copy of candidate 9, which must not win"));
  EXPECT_THAT(section, HasSubstr("1.01×"));
  EXPECT_THAT(section, HasSubstr("not judged yet"));
  EXPECT_THAT(section, HasSubstr("<span class=\"slower\">not seen</span>"));
  EXPECT_EQ(occurrences(page, "<tr id=\"candidate-"), 32);
}

TEST(RenderHtml, ShowsWhatTheSupervisorFoundAndWhatPeopleSaid) {
  CampaignReport report = testing::sample_report();
  EXPECT_THAT(render_html(report), Not(HasSubstr("id=\"supervisor\"")));
  report.findings = {
      {2, 3, 20, "plateau", "a plateau", "the noise floor is too high", "buy repeats", "flat", true, 28}};
  report.people = {{"Steer", "look <here>", "undecided", "Ada", 2.5}};
  report.stopped = "nobody answered";
  const std::string page = render_html(report);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, HasSubstr("id=\"supervisor\""));
  EXPECT_THAT(page, HasSubstr("<td>a plateau</td><td>the noise floor is too high</td><td>buy repeats</td>"));
  EXPECT_THAT(page, HasSubstr("look &lt;here&gt;"));
  EXPECT_THAT(page, HasSubstr("nobody answered"));
  EXPECT_THAT(page, HasSubstr("class=\"ap-shade\""));
}

TEST(RenderHtml, HasEveryCandidateWithItsAnchorCauseAndHypothesis) {
  const CampaignReport report = testing::sample_report();
  const std::string page = render_html(report);
  for (const CandidateRow& row : report.candidates) {
    const std::string cells = between(page, fmt::format("<tr id=\"candidate-{}\"", row.number), "</tr>");
    EXPECT_THAT(cells, HasSubstr(row.digest)) << row.number;
    EXPECT_THAT(cells, HasSubstr(">" + words(*row.outcome) + "<")) << row.number;
    EXPECT_THAT(cells, HasSubstr(base::escape_markup(row.cause))) << row.number;
    EXPECT_THAT(cells, HasSubstr(base::escape_markup(row.hypothesis.change))) << row.number;
    EXPECT_EQ(cells.find("×") != std::string::npos, row.speedup.has_value()) << row.number;
  }
  EXPECT_EQ(occurrences(page, "<tr id=\"candidate-23\" class=\"promoted\">"), 1);
  EXPECT_EQ(occurrences(page, "same as <a href=\"#candidate-"), 2);
}

TEST(RenderHtml, NamesTheLimitingResourceWhereItIsKnown) {
  const std::string page = render_html(testing::sample_report());
  EXPECT_THAT(between(page, "<tr id=\"candidate-9\"", "</tr>"), HasSubstr("limited by: memory bandwidth"));
  EXPECT_THAT(between(page, "<tr id=\"candidate-1\"", "</tr>"), Not(HasSubstr("limited by")));
}

TEST(RenderHtml, EveryLinkLeadsSomewhereAndIdsAreUnique) {
  const std::string page = render_html(testing::sample_report());
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos; at = page.find("href=\"#", at + 1)) {
    const std::size_t start = at + 7;
    const std::string id = page.substr(start, page.find('"', start) - start);
    EXPECT_EQ(occurrences(page, " id=\"" + id + "\""), 1) << id;
  }
}

TEST(RenderHtml, HasEveryWorkloadAndSaysWhereAGroupIsIncomplete) {
  CampaignReport report = testing::sample_report();
  EXPECT_THAT(render_html(report), Not(HasSubstr("incomplete:")));
  report.workloads[0].incumbent_ns.reset();
  report.workloads[0].speedup.reset();
  const std::string page = render_html(report);
  for (const WorkloadRow& row : report.workloads) {
    EXPECT_THAT(page, HasSubstr("<code>" + row.uuid + "</code>"));
  }
  EXPECT_EQ(occurrences(page, "incomplete: 1 of 10 without a time"), 1);
  EXPECT_THAT(page, HasSubstr(">missing</td>"));
}

TEST(RenderHtml, AdmitsWhenNothingWasConfirmed) {
  CampaignReport report = testing::sample_report();
  report.headline.reset();
  const std::string page = render_html(report);
  EXPECT_THAT(page, HasSubstr("has not been compared with the baseline over all workloads in one session"));
  EXPECT_THAT(page, HasSubstr("may have been timed in different sessions"));
  EXPECT_THAT(page, Not(HasSubstr("class=\"tile\"")));
}

TEST(RenderHtml, MarksTheLinesOfADiff) {
  const std::string page = render_html(testing::sample_report());
  EXPECT_THAT(page, HasSubstr("<span class=\"where\">--- baseline/kernel.cpp</span>\n"));
  EXPECT_THAT(page, HasSubstr("<span class=\"cut\">-  for (int v = 0; v &lt; 128; ++v) {</span>\n"));
  EXPECT_THAT(page, HasSubstr("<span class=\"add\">+    #pragma GCC unroll UNROLL</span>\n"));
}

TEST(RenderHtml, AnEmptyCampaignStillReads) {
  CampaignReport report;
  report.campaign = "new";
  report.candidates.emplace_back().number = 1;
  const std::string page = render_html(report);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, HasSubstr("No decision has been recorded yet."));
  EXPECT_THAT(page, HasSubstr("No workload has been measured yet."));
  EXPECT_THAT(page, HasSubstr("not judged yet"));
  EXPECT_THAT(page, HasSubstr("No environment has been recorded."));
}

}  // namespace
}  // namespace assay::report
