#include <assay/plot/latency_chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/plot/testing.hpp>

namespace assay::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::occurrences;

LatencyChart sample_latencies() {
  return {.id = "latency",
          .title = "Latency by workload",
          .axis = "batch_size",
          .baseline = "plain",
          .incumbent = "tuned",
          .pairs = {{"1", "a", 51'000, 21'000},
                    {"1", "b", 52'500, 20'400},
                    {"8", "c", 410'000, 150'000},
                    {"64", "d", 3'300'000, 3'500'000},
                    {"64", "e", 3'310'000, {}}},
          .style = Style::embedded};
}

TEST(LatencyChart, MatchesItsGoldenFile) {
  const std::string svg = draw(sample_latencies());
  EXPECT_EQ(testing::markup_problem(svg), "");
  testing::expect_golden(svg, "latency_chart.svg");
}

TEST(LatencyChart, DescribesItselfInWords) {
  EXPECT_THAT(draw(sample_latencies()),
              HasSubstr("Latency of 5 workloads, grouped by batch_size. tuned is faster than plain on 3 "
                        "of them, slower on 1; on 1 a time is missing."));
}

TEST(LatencyChart, ShowsRegressionsAndHolesDifferently) {
  const std::string svg = draw(sample_latencies());
  EXPECT_EQ(occurrences(svg, "class=\"ap-gain\""), 3);
  EXPECT_EQ(occurrences(svg, "class=\"ap-loss\""), 2) << "one and its legend";
  EXPECT_EQ(occurrences(svg, "class=\"ap-lost\""), 1);
  EXPECT_EQ(occurrences(svg, "class=\"ap-failed\""), 1);
  EXPECT_EQ(occurrences(svg, "class=\"ap-hit\""), 5);
}

TEST(LatencyChart, LabelsTheGroupsAndTheTimes) {
  const std::string svg = draw(sample_latencies());
  for (const char* label :
       {">1</text>", ">8</text>", ">64</text>", ">batch_size</text>", ">100 µs</text>", ">1 ms</text>"}) {
    EXPECT_THAT(svg, HasSubstr(label));
  }
}

TEST(LatencyChart, FasterIsLowerAndFactorsAreDistances) {
  LatencyChart chart = sample_latencies();
  chart.pairs = {{"1", "first", 1000, 500}, {"1", "second", 8000, 4000}};
  const std::string svg = draw(chart);
  const auto bar_length = [&svg](const std::string& tooltip) {
    const std::size_t line = svg.find("class=\"ap-hit\"", svg.find("<title>" + tooltip + "</title>"));
    const auto value = [&](const std::string& key) { return std::stod(svg.substr(svg.find(key + "=\"", line) + 4)); };
    return value("y2") - value("y1");
  };
  EXPECT_GT(bar_length("first"), 0) << "the incumbent's end lies below";
  EXPECT_NEAR(bar_length("first"), bar_length("second"), 0.02);
}

TEST(LatencyChart, LeavesOutLabelsThatWouldTouch) {
  LatencyChart chart = sample_latencies();
  chart.pairs.clear();
  for (int i = 0; i < 400; ++i) {
    chart.pairs.push_back({"group " + std::to_string(i), "x", 1000.0 + i, 900.0 + i});
  }
  const std::string svg = draw(chart);
  EXPECT_EQ(testing::markup_problem(svg), "");
  EXPECT_LT(occurrences(svg, ">group "), 30);
  EXPECT_EQ(occurrences(svg, "class=\"ap-gain\""), 400) << "labels only, never marks";
}

TEST(LatencyChart, ShowsTheBaselineAloneWhenItWasKept) {
  LatencyChart chart = sample_latencies();
  chart.incumbent = chart.baseline;
  const std::string svg = draw(chart);
  EXPECT_THAT(svg, Not(HasSubstr("class=\"ap-won\"")));
  EXPECT_THAT(svg, Not(HasSubstr("(incumbent)")));
}

TEST(LatencyChart, WorksWithoutAnyTime) {
  LatencyChart chart = sample_latencies();
  chart.pairs = {{"1", "a", {}, {}}};
  EXPECT_EQ(testing::markup_problem(draw(chart)), "");
  chart.pairs.clear();
  EXPECT_EQ(testing::markup_problem(draw(chart)), "");
}

TEST(LatencyChart, EscapesUntrustedText) {
  LatencyChart chart = sample_latencies();
  chart.incumbent = "<script>1</script>";
  chart.axis = "<b>";
  chart.pairs[0].group = "<i>";
  chart.pairs[0].tooltip = "a & b";
  EXPECT_EQ(testing::markup_problem(draw(chart)), "");
}

TEST(LatencyChartDeathTest, RefusesTimesWithoutLogarithm) {
  LatencyChart chart = sample_latencies();
  chart.pairs[0].baseline_ns = 0;
  EXPECT_DEATH(static_cast<void>(draw(chart)), "isfinite");
}

}  // namespace
}  // namespace assay::plot
