#include <assay/service/workload_choice.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

task::Workload workload(const std::string& uuid, std::int64_t batch, std::int64_t length = 1) {
  task::Workload result;
  result.uuid = uuid;
  result.axes = {{"batch", batch}, {"length", length}};
  return result;
}

std::vector<std::string> uuids(const std::vector<task::Workload>& workloads) {
  std::vector<std::string> result;
  for (const task::Workload& one : workloads) {
    result.push_back(one.uuid);
  }
  return result;
}

const std::vector<task::Workload> kWorkloads = {workload("aaaa-64", 64), workload("aabb-1", 1), workload("bbbb-8", 8),
                                                workload("cccc-1", 1),   workload("dddd-2", 2), workload("eeee-4", 4)};

TEST(SpreadOverAxesTest, TakesTheCheapestOfEachShare) {
  EXPECT_THAT(spread_over_axes(kWorkloads, 3), ElementsAre(1, 4, 2));
  EXPECT_THAT(spread_over_axes(kWorkloads, 2), ElementsAre(1, 5));
  EXPECT_THAT(spread_over_axes(kWorkloads, 1), ElementsAre(1));
}

TEST(SpreadOverAxesTest, EachSizeOnceAndNoMoreThanThereAre) {
  EXPECT_THAT(spread_over_axes(kWorkloads, 100), ElementsAre(1, 4, 5, 2, 0));
  EXPECT_THAT(spread_over_axes({workload("x", 3, 4), workload("y", 4, 3)}, 5), ElementsAre(0))
      << "the size is the product of the axes";
  EXPECT_THAT(spread_over_axes({}, 3), IsEmpty());
}

TEST(ChooseWorkloadsTest, All) {
  EXPECT_EQ(uuids(*choose_workloads(kWorkloads, "all", 2, std::nullopt)), uuids(kWorkloads));
}

TEST(ChooseWorkloadsTest, GateFromAxesOrFromLatencies) {
  EXPECT_THAT(uuids(*choose_workloads(kWorkloads, "gate", 3, std::nullopt)), ElementsAre("aabb-1", "dddd-2", "bbbb-8"));
  const std::vector<double> latencies = {9000, 10, 100, 11, 12, 13};
  const auto measured = choose_workloads(kWorkloads, "gate", 3, latencies);
  ASSERT_TRUE(measured);
  EXPECT_THAT(uuids(*measured), testing::IsSupersetOf({"aaaa-64", "bbbb-8"}))
      << "each regime of latency is represented";
}

TEST(ChooseWorkloadsTest, UuidsAndPrefixesInTheOrderGiven) {
  EXPECT_THAT(uuids(*choose_workloads(kWorkloads, "eeee-4, aaaa", 3, std::nullopt)), ElementsAre("eeee-4", "aaaa-64"));
}

TEST(ChooseWorkloadsTest, RefusesUnknownAmbiguousRepeatedAndNone) {
  const auto unknown = choose_workloads(kWorkloads, "ffff", 3, std::nullopt);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("\"ffff\""), HasSubstr("aaaa-64")));
  EXPECT_EQ(choose_workloads(kWorkloads, "aa", 3, std::nullopt).error().code, "workload.unknown")
      << "two characters are too few to guess from";
  const std::vector<task::Workload> twins = {workload("abcd-1", 1), workload("abcd-2", 2)};
  EXPECT_EQ(choose_workloads(twins, "abcd", 3, std::nullopt).error().code, "workload.ambiguous");
  EXPECT_EQ(choose_workloads(kWorkloads, "bbbb-8,bbbb", 3, std::nullopt).error().code, "workload.repeated");
  EXPECT_EQ(choose_workloads(kWorkloads, "", 3, std::nullopt).error().code, "workload.unknown");
  EXPECT_EQ(choose_workloads({}, "all", 3, std::nullopt).error().code, "workload.none");
}

}  // namespace
}  // namespace assay::service
