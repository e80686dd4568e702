#include <assay/report/workload_section.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <assay/plot/testing.hpp>
#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

using plot::testing::markup_problem;
using plot::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

WorkloadRow workload(std::int64_t batch, std::optional<double> baseline_ns, std::optional<double> incumbent_ns) {
  WorkloadRow row;
  row.uuid = "w" + std::to_string(batch);
  row.axes = {{"batch", batch}};
  row.baseline_ns = baseline_ns;
  row.incumbent_ns = incumbent_ns;
  return row;
}

std::string groups_of(const CampaignReport& report) { return group_table(report, group_workloads(report)); }
std::string workloads_of(const CampaignReport& report) { return workload_table(report, group_workloads(report)); }

CampaignReport two_groups() {
  CampaignReport report;
  report.workloads = {workload(8, 8000, 2000), workload(1, 1000, 1250), workload(8, 8000, 8000)};
  return report;
}

TEST(GroupTable, SummarisesEachGroupByItsGeometricMean) {
  const std::string table = groups_of(two_groups());
  EXPECT_EQ(markup_problem(table), "");
  // Speedups 4 and 1: geometric mean 2, least 1; medians 8000 and 5000.
  EXPECT_THAT(table, HasSubstr("<td class=\"number\">8</td><td class=\"number\">2</td><td class=\"number\">8.00 µs</td>"
                               "<td class=\"number\">5.00 µs</td><td class=\"number\">2.00×</td>"
                               "<td class=\"number\">1.00×</td>"));
  EXPECT_LT(table.find(">1</td>"), table.find(">8</td>")) << "by value of the axis";
}

TEST(GroupTable, MarksGroupsThatBecameSlower) {
  EXPECT_EQ(occurrences(groups_of(two_groups()), "<td class=\"number slower\">0.80×</td>"), 2) << "mean and least";
}

TEST(GroupTable, PrefersTheMeasuredRatioToThatOfTheMedians) {
  CampaignReport report;
  report.workloads = {workload(1, 1000, 500)};
  report.workloads[0].speedup = Ratio{1.9, 1.8, 2};
  EXPECT_THAT(groups_of(report), HasSubstr("1.90×"));
  report.workloads[0].speedup = Ratio{std::numeric_limits<double>::quiet_NaN(), 0, 0};
  EXPECT_THAT(groups_of(report), HasSubstr("2.00×"));
}

TEST(GroupTable, WithholdsTheMeanOfAnIncompleteGroup) {
  CampaignReport report = two_groups();
  report.workloads[0].incumbent_ns.reset();
  const std::string table = groups_of(report);
  EXPECT_THAT(table, HasSubstr("incomplete: 1 of 2 without a time"));
  EXPECT_EQ(occurrences(table, "×</td>"), 2) << "the other group's only";
}

TEST(GroupTable, ATimeThatIsNoTimeCountsAsMissing) {
  for (const double broken : {0.0, -5.0, std::numeric_limits<double>::infinity()}) {
    CampaignReport report = two_groups();
    report.workloads[1].baseline_ns = broken;
    EXPECT_THAT(groups_of(report), HasSubstr("incomplete: 1 of 1 without a time")) << broken;
  }
}

TEST(WorkloadTable, HasARowForEachInOrderOfTheAxis) {
  const std::string table = workloads_of(two_groups());
  EXPECT_EQ(markup_problem(table), "");
  EXPECT_EQ(occurrences(table, "<tr><td>batch="), 3);
  EXPECT_LT(table.find("batch=1<"), table.find("batch=8<"));
  EXPECT_THAT(table, HasSubstr("<summary>Every workload (3)</summary>"));
}

TEST(WorkloadTable, NamesMissingTimesAndRatios) {
  CampaignReport report;
  report.workloads = {workload(1, {}, 500)};
  EXPECT_THAT(
      workloads_of(report),
      HasSubstr("<td class=\"number\">missing</td><td class=\"number\">500 ns</td><td class=\"number\">–</td>"));
}

TEST(WorkloadTable, ShowsTheIntervalAndMarksTheSlower) {
  CampaignReport report;
  report.workloads = {workload(1, 1000, 1250)};
  report.workloads[0].speedup = Ratio{0.8, 0.75, 0.85};
  EXPECT_THAT(workloads_of(report), HasSubstr("<td class=\"number slower\">0.80× [0.75, 0.85]</td>"));
}

TEST(WorkloadTable, FoldsAwayOnlyWhatIsLong) {
  EXPECT_THAT(workloads_of(two_groups()), HasSubstr("<details open=\"open\">"));
  EXPECT_THAT(workloads_of(testing::sample_report()), HasSubstr("<details>"));
}

TEST(WorkloadTable, EscapesEverything) {
  const CampaignReport report = testing::hostile_report();
  EXPECT_EQ(markup_problem(groups_of(report)), "");
  EXPECT_EQ(markup_problem(workloads_of(report)), "");
  EXPECT_THAT(groups_of(report) + workloads_of(report), Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace assay::report
