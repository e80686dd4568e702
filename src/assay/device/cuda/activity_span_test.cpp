#include <assay/device/cuda/activity_span.hpp>

#include <gtest/gtest.h>

namespace assay::device::cuda {
namespace {

TEST(ActivitySpan, OneActivityIsItsOwnSpan) {
  const ActivitySummary summary = summarise_activity({{1000, 3500}});
  EXPECT_EQ(summary.elapsed_ns, 2500);
  EXPECT_EQ(summary.idle_ns, 0);
}

TEST(ActivitySpan, GapsAreIdleAndCount) {
  const ActivitySummary summary = summarise_activity({{200, 300}, {100, 150}, {310, 400}});
  EXPECT_EQ(summary.elapsed_ns, 300);
  EXPECT_EQ(summary.idle_ns, 60);
}

TEST(ActivitySpan, OverlapsCountOnce) {
  const ActivitySummary summary = summarise_activity({{100, 500}, {150, 200}, {450, 600}, {700, 800}});
  EXPECT_EQ(summary.elapsed_ns, 700);
  EXPECT_EQ(summary.idle_ns, 100) << "the short one inside another must not end it";
}

TEST(ActivitySpan, NothingIsNothing) {
  EXPECT_EQ(summarise_activity({}).elapsed_ns, 0);
  EXPECT_EQ(summarise_activity({}).idle_ns, 0);
}

}  // namespace
}  // namespace assay::device::cuda
