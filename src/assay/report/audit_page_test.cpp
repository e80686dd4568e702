#include <assay/report/audit_page.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/foreign/archive_testing.hpp>
#include <assay/foreign/trace_archive.hpp>
#include <assay/plot/testing.hpp>
#include <assay/report/audit_figures.hpp>

namespace assay::report {
namespace {

using foreign::RecordedKind;
using plot::testing::markup_problem;
using plot::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

// Two traces: one with two promotions, a failure of each owner and an evaluation whose place is not known.
foreign::Audit sample_audit(const std::string& name = "op_d8") {
  foreign::TraceArchive archive;
  archive.evaluations = {foreign::stored_success(name, 1, "a", 1),
                         foreign::stored_success(name, 2, "b", 0.5),
                         foreign::stored_success(name, 3, "b", 0.49),
                         foreign::failed(name, 4, "c", RecordedKind::compile_error, "error"),
                         foreign::failed(name, 5, "d", RecordedKind::no_results),
                         foreign::failed(name, 6, "e", RecordedKind::compile_error, "not found in built extension"),
                         foreign::stored_success("other", 1, "a", 1)};
  archive.evaluations[3].controller_run = std::nullopt;
  archive.promotions = foreign::replay_promotions(archive);
  archive.files = {{"evaluations.jsonl", base::sha256(std::string_view("x"))}};
  return foreign::audit(std::move(archive));
}

std::string page_of(const foreign::Audit& audit) { return render_audit_page(audit, {"some traces", "1.2", "today"}); }

TEST(AuditPage, IsWellFormedAndFetchesNothing) {
  const std::string page = page_of(sample_audit());
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_EQ(markup_problem(page_of({})), "");
  for (const char* forbidden : {"<script", "<link", "<img", "src=", "@import", "url(", "https://"}) {
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
  }
  EXPECT_EQ(page, page_of(sample_audit()));
}

TEST(AuditPage, BeginsWithWhatSurvives) {
  const std::string page = page_of(sample_audit());
  EXPECT_THAT(page, HasSubstr("1 of 2 promotions survive a second look."));
  EXPECT_LT(page.find("was it other code at all"), page.find("survive a second look"))
      << "a stranger learns what it is";
  EXPECT_THAT(page, HasSubstr("3 of 7 evaluations failed; 1 of those failures (33 %)"));
  EXPECT_LT(page.find("survive a second look"), page.find("<svg"));
}

TEST(AuditPage, EveryPromotionHasItsRowAndThePicturesLeadToIt) {
  const std::string page = page_of(sample_audit());
  for (const char* anchor : {"promotion-1-1", "promotion-1-2"}) {
    EXPECT_EQ(occurrences(page, std::string("<tr id=\"") + anchor + "\">"), 1);
    EXPECT_EQ(occurrences(page, std::string("href=\"#") + anchor + "\""), 2);
  }
  EXPECT_EQ(occurrences(page, "<span class=\"badge verdict-identical\">"), 1 + 1);  // And one in the explanation.
}

TEST(AuditPage, SaysThatWeightsCannotBeJudgedWithoutTheWorkloads) {
  EXPECT_THAT(page_of(sample_audit()), HasSubstr("the latencies of the single workloads were thrown away"));
}

TEST(AuditPage, EscapesForeignText) {
  foreign::Audit audit = sample_audit("<script>alert(1)</script>");
  audit.archive.evaluations[0].solution = "<script>alert(2)</script>\x1b[31m";
  audit.archive.notes = {"<script>"};
  const std::string page = page_of(audit);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

TEST(AuditFigures, EveryEvaluationIsInItsTracesPictureAndThoseWithoutAPlaceComeLast) {
  const foreign::Audit audit = sample_audit();
  const plot::Timeline timeline = trace_timeline(audit, 0);
  ASSERT_EQ(timeline.points.size(), 6U);
  EXPECT_FALSE(timeline.points.back().latency_ns);
  EXPECT_EQ(timeline.stretches.back().name, "place not known");
  ASSERT_EQ(timeline.rows.size(), 3U);
  EXPECT_EQ(timeline.rows[0].name, "did not compile");
  EXPECT_EQ(timeline.rows[0].tone, plot::Tone::bad);
  EXPECT_EQ(timeline.rows[1].name, "no result");
  EXPECT_EQ(timeline.rows[1].tone, plot::Tone::faint);
  EXPECT_TRUE(timeline.points[0].starts);
  EXPECT_EQ(timeline.points[1].promoted, static_cast<std::size_t>(foreign::Verdict::plausible));
  EXPECT_EQ(failure_bars(audit).bars.front().counts, (std::vector<std::size_t>{3, 1, 1, 1}));
}

}  // namespace
}  // namespace assay::report
