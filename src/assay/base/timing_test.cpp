#include <assay/base/timing.hpp>

#include <gtest/gtest.h>

namespace assay::base {
namespace {

TEST(Timing, SpellingsAndNumbersAreFixed) {
  EXPECT_EQ(parse_timing_method("wall"), TimingMethod::wall);
  EXPECT_EQ(parse_timing_method("events"), TimingMethod::events);
  EXPECT_EQ(parse_timing_method("graph"), TimingMethod::graph);
  EXPECT_EQ(parse_timing_method("cupti"), TimingMethod::cupti);
  EXPECT_EQ(static_cast<int>(TimingMethod::wall), 0);
  EXPECT_EQ(static_cast<int>(TimingMethod::cupti), 3);
  EXPECT_EQ(parse_cache_state("cold"), CacheState::cold);
  EXPECT_EQ(parse_cache_state("hot"), CacheState::hot);
  EXPECT_EQ(parse_timing_method("Events"), std::nullopt);
  EXPECT_EQ(parse_cache_state(""), std::nullopt);
  for (const std::string_view word : kTimingMethods) {
    EXPECT_EQ(to_string(*parse_timing_method(word)), word);
  }
  for (const std::string_view word : kCacheStates) {
    EXPECT_EQ(to_string(*parse_cache_state(word)), word);
  }
}

TEST(Timing, EachDeviceHasItsMethods) {
  EXPECT_EQ(default_timing_method("cpu"), TimingMethod::wall);
  EXPECT_EQ(default_timing_method("simulated:3"), TimingMethod::wall);
  EXPECT_EQ(default_timing_method("cuda:0"), TimingMethod::events);
  EXPECT_TRUE(can_time("cpu", TimingMethod::wall));
  EXPECT_FALSE(can_time("cpu", TimingMethod::events));
  EXPECT_FALSE(can_time("simulated:3", TimingMethod::graph));
  EXPECT_FALSE(can_time("cuda:1", TimingMethod::wall));
  EXPECT_TRUE(can_time("cuda:1", TimingMethod::events));
  EXPECT_TRUE(can_time("cuda:1", TimingMethod::graph));
  EXPECT_TRUE(can_time("cuda:1", TimingMethod::cupti));
}

TEST(Timing, DiffersByMethodAndByCache) {
  const Timing events{TimingMethod::events, CacheState::cold};
  EXPECT_EQ(events, (Timing{TimingMethod::events, CacheState::cold}));
  EXPECT_NE(events, (Timing{TimingMethod::graph, CacheState::cold}));
  EXPECT_NE(events, (Timing{TimingMethod::events, CacheState::hot}));
  EXPECT_EQ(to_string(Timing{TimingMethod::graph, CacheState::hot}), "graph, hot");
}

}  // namespace
}  // namespace assay::base
