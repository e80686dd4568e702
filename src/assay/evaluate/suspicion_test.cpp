#include <assay/evaluate/suspicion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/device/cpu.hpp>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;

TEST(DoubtInterference, ItIsTheMedianThatCounts) {
  EXPECT_FALSE(doubt_interference({}).has_value());
  EXPECT_FALSE(doubt_interference({0, 0.09, 0.9}).has_value());
  const auto doubt = doubt_interference({0.5, 0.9, 0.6});
  ASSERT_TRUE(doubt.has_value());
  EXPECT_EQ(doubt->kind, "interference");
  EXPECT_THAT(doubt->message, HasSubstr("60 %"));
}

class DoubtTooFastTest : public ::testing::Test {
 protected:
  std::optional<task::Finding> doubt(std::optional<double> candidate_ns, double bytes_per_ns = 10) {
    task::WorkloadTiming timing;
    timing.candidate_ns = candidate_ns;
    return doubt_too_fast({timing}, {{.bytes = 8000, .operations = 1e9}}, {.bytes_per_ns = bytes_per_ns});
  }
};

TEST_F(DoubtTooFastTest, EightThousandBytesTakeFortyNanosecondsAtTwiceAHundredBytes) {
  EXPECT_FALSE(doubt(41, 100).has_value());
  const auto found = doubt(39, 100);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->workload, 0);
  EXPECT_THAT(found->message, AllOf(HasSubstr("39 ns"), HasSubstr("40 ns"), HasSubstr("200 GB/s")));
}

TEST_F(DoubtTooFastTest, ABusyMachineThatMeasuresLittleAccusesNobody) {
  EXPECT_FALSE(doubt(81, 0.5).has_value());
  EXPECT_TRUE(doubt(79, 0.5).has_value());
}

TEST_F(DoubtTooFastTest, WhatWasNotMeasuredIsNotDoubted) {
  EXPECT_FALSE(doubt(std::nullopt).has_value());
  EXPECT_FALSE(doubt(1, 0).has_value());
}

TEST(DoubtTooFast, TheLongerOfMovingAndComputingIsTheFloor) {
  const auto doubt = [](double candidate_ns, double operations, double operations_per_ns) {
    task::WorkloadTiming timing;
    timing.candidate_ns = candidate_ns;
    return doubt_too_fast({timing}, {{.bytes = 8000, .operations = operations}}, {100, operations_per_ns});
  };
  // 40 ns to move; a million operations take 100 ns at twice 5000 a nanosecond.
  EXPECT_FALSE(doubt(101, 1e6, 5000));
  const auto found = doubt(99, 1e6, 5000);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message, AllOf(HasSubstr("99 ns"), HasSubstr("100 ns"), HasSubstr("1e+06 operations"),
                                    HasSubstr("5000 were measured")));
  EXPECT_FALSE(doubt(41, 1e6, 0)) << "no bound on operations is known";
  EXPECT_THAT(doubt(39, 1e3, 5000)->message, HasSubstr("moving"));
}

TEST(ColdReadBandwidth, IsThatOfAMemory) {
  const std::vector<std::byte> bytes(std::size_t{8} << 20U, std::byte{1});
  const double bandwidth = cold_read_bandwidth(*device::make_cpu(), bytes);
  EXPECT_GT(bandwidth, 0.05);  // GB/s; a loaded machine with sanitizers is slow, but not that slow.
  EXPECT_LT(bandwidth, 2000);
}

TEST(DoubtOutlivingWork, HoldsTheMediansAgainstEachOther) {
  EXPECT_FALSE(doubt_outliving_work({}, {}));
  EXPECT_FALSE(doubt_outliving_work({6000, 9000, 400000}, {5000, 5500, 6000}));
  const auto doubt = doubt_outliving_work({335000, 330000, 340000}, {5000, 5500, 6000});
  ASSERT_TRUE(doubt);
  EXPECT_EQ(doubt->kind, "outliving_work");
  EXPECT_THAT(doubt->message, ::testing::HasSubstr("assay_stream(call)"));
}

TEST(DoubtOutlivingWork, WithoutAnIncumbentAWaitOfUsualLengthIsNoReason) {
  EXPECT_FALSE(doubt_outliving_work({8900, 9000, 12900}, {}));
  EXPECT_TRUE(doubt_outliving_work({13100, 14000, 20000}, {}));
}

}  // namespace
}  // namespace assay::evaluate
