#include <assay/report/figures.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/report/sample_testing.hpp>

namespace assay::report {
namespace {

using ::testing::ElementsAre;

CampaignReport with_workloads(std::vector<task::Named<std::int64_t>> axes) {
  CampaignReport report;
  for (auto& values : axes) {
    report.workloads.emplace_back().axes = std::move(values);
  }
  return report;
}

TEST(SpeedupChartOfReport, PlacesEveryCandidateOnce) {
  const CampaignReport report = testing::sample_report();
  const plot::SpeedupChart chart = speedup_chart(report);
  EXPECT_EQ(chart.points.size(), report.candidates.size());
  std::vector<std::string> rows;
  for (const auto& row : chart.rows) {
    rows.push_back(row.name);
  }
  EXPECT_THAT(rows, ElementsAre("duplicate", "not built", "crashed", "timed out", "incorrect", "suspect"));
  EXPECT_EQ(chart.rows[0].kind, plot::SpeedupRow::Kind::neutral);
  EXPECT_EQ(chart.rows[1].kind, plot::SpeedupRow::Kind::failure);
  EXPECT_FALSE(chart.points[0].speedup.has_value());
  EXPECT_EQ(chart.points[0].row, 1U);
  EXPECT_TRUE(chart.points[8].promoted);
  EXPECT_EQ(chart.points[8].link, "#candidate-9");
}

TEST(SpeedupChartOfReport, AFailureIsNeverFast) {
  CampaignReport report = testing::sample_report();
  report.candidates[1].speedup = Ratio{40, 39, 41};
  report.candidates[1].promoted = true;
  const plot::SpeedupChart chart = speedup_chart(report);
  EXPECT_FALSE(chart.points[1].speedup.has_value());
  EXPECT_FALSE(chart.points[1].promoted);
}

TEST(SpeedupChartOfReport, HasARowForThoseNotJudged) {
  CampaignReport report;
  report.candidates.emplace_back().number = 1;
  const plot::SpeedupChart chart = speedup_chart(report);
  ASSERT_EQ(chart.rows.size(), 1U);
  EXPECT_EQ(chart.rows[0].name, "not judged");
}

TEST(IncumbentSparkline, StepsAtPromotions) {
  const auto values = incumbent_sparkline(testing::sample_report()).values;
  ASSERT_EQ(values.size(), 33U);
  EXPECT_EQ(values[8], 1);
  EXPECT_DOUBLE_EQ(values[9], 1.34);
  EXPECT_DOUBLE_EQ(values.back(), 1.34 * 1.34 * 1.34);
  EXPECT_THAT(incumbent_sparkline({}).values, ElementsAre(1));
}

TEST(GroupWorkloads, UsesTheVaryingAxisWithTheFewestValues) {
  const auto groups = group_workloads(with_workloads({{{"d", 128}, {"len", 7}, {"batch", 8}},
                                                      {{"d", 128}, {"len", 5}, {"batch", 1}},
                                                      {{"d", 128}, {"len", 3}, {"batch", 8}}}));
  EXPECT_EQ(groups.axis, "batch");
  EXPECT_THAT(groups.order, ElementsAre(1U, 2U, 0U));
  EXPECT_THAT(groups.label, ElementsAre("1", "8", "8"));
}

TEST(GroupWorkloads, SortsByValueNotByText) {
  const auto groups = group_workloads(with_workloads({{{"n", 64}}, {{"n", 8}}, {{"n", 100}}}));
  EXPECT_THAT(groups.label, ElementsAre("8", "64", "100"));
}

TEST(GroupWorkloads, CopesWithoutAnyVaryingAxis) {
  EXPECT_EQ(group_workloads(with_workloads({{{"n", 4}}, {{"n", 4}}})).axis, "workload");
  EXPECT_THAT(group_workloads(with_workloads({{}, {}})).label, ElementsAre("all", "all"));
  EXPECT_TRUE(group_workloads({}).order.empty());
}

TEST(LatencyChartOfReport, KeepsWorkloadsWithoutATime) {
  CampaignReport report = testing::sample_report();
  report.workloads[3].incumbent_ns.reset();
  report.workloads[4].baseline_ns = -1;
  const auto chart = latency_chart(report, group_workloads(report));
  ASSERT_EQ(chart.pairs.size(), 54U);
  int missing = 0;
  for (const auto& pair : chart.pairs) {
    missing += pair.baseline_ns && pair.incumbent_ns ? 0 : 1;
  }
  EXPECT_EQ(missing, 2);
}

}  // namespace
}  // namespace assay::report
