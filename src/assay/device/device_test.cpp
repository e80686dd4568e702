#include <assay/device/device.hpp>

#include <sched.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/device/cpu.hpp>
#include <assay/device/simulated.hpp>

namespace assay::device {
namespace {

using namespace std::chrono_literals;

CallKey key(const std::string& candidate, std::uint64_t seed = 1, std::int32_t pair = 0, std::int32_t repetition = 1) {
  return {base::sha256(candidate), base::sha256(candidate), "901e5104", seed, pair, repetition};
}

// The same code in another file: a comment differs.
CallKey recommented(CallKey key) {
  key.candidate = base::sha256("with a comment");
  return key;
}

int cpus_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

TEST(Simulated, ACopyIsPlacedElsewhereAndIsAsFast) {
  const auto device = make_simulated(3);
  double sum = 0;
  for (int pair = 0; pair < 200; ++pair) {
    CallKey own = key("a", 1, pair);
    CallKey copy = own;
    copy.process = 1;
    const double ratio = static_cast<double>(device->observe(copy, 1ns).count()) /
                         static_cast<double>(device->observe(own, 1ns).count());
    EXPECT_NE(ratio, 1);
    EXPECT_NEAR(ratio, 1, 0.1);
    sum += ratio;
  }
  EXPECT_NEAR(sum / 200, 1, 0.005);
}

TEST(OpenDevice, KnowsItsNames) {
  EXPECT_EQ((*open_device("cpu"))->name(), "cpu");
  EXPECT_EQ((*open_device("simulated:7"))->name(), "simulated:7");
  EXPECT_FALSE((*open_device("cpu"))->simulated());
  EXPECT_TRUE((*open_device("simulated:7"))->simulated());
}

TEST(OpenDevice, RefusesOthersWithTheRemedy) {
  for (const char* name : {"", "gpu", "cuda:", "simulated:", "simulated:x", "simulated:1x", "simulated:-1", "CPU"}) {
    const auto device = open_device(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().owner, base::Owner::input);
    EXPECT_THAT(device.error().message, ::testing::HasSubstr("simulated:<seed>"));
  }
}

TEST(Cpu, ReportsTheWorkersTime) { EXPECT_EQ(make_cpu()->observe(key("a"), 123ns), 123ns); }

TEST(Cpu, DescribesItself) {
  const Processor processor = describe_processor();
  EXPECT_FALSE(processor.allowed_cpus.empty());
  EXPECT_EQ(processor.features_sha256.size(), 64U);
  EXPECT_THAT(processor.kernel, ::testing::HasSubstr("Linux"));
}

TEST(Cpu, PlacesTheJudgeOnOneCpuAndWorkersWhereTheyMayBe) {
  cpu_set_t before;
  CPU_ZERO(&before);
  sched_getaffinity(0, sizeof before, &before);
  const int all = cpus_allowed();
  const auto cpu = make_cpu();
  cpu->place_judge();
  EXPECT_EQ(cpus_allowed(), 1);
  int seen = 0;
  const auto result = cpu->place_worker([&]() -> base::Result<void> {
    seen = cpus_allowed();
    return {};
  });
  EXPECT_TRUE(result);
  EXPECT_EQ(seen, all >= 4 ? all - 1 : all);
  EXPECT_EQ(cpus_allowed(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Cpu, PlacingPassesErrorsOn) {
  const auto result =
      make_simulated(1)->place_worker([]() -> base::Result<void> { return base::environment_error("x", "no"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "x");
}

TEST(Cpu, EvictingKeepsTheContents) {
  std::vector<std::byte> bytes(100001, std::byte{7});
  evict_from_caches(bytes);
  evict_from_caches({});
  EXPECT_THAT(bytes, ::testing::Each(std::byte{7}));
}

TEST(Simulated, IsAFunctionOfItsKey) {
  const auto one = make_simulated(7);
  const auto again = make_simulated(7);
  EXPECT_EQ(one->observe(key("a"), 1ns), again->observe(key("a"), 999ns));
  EXPECT_NE(one->observe(key("a"), 1ns), one->observe(key("b"), 1ns));
  EXPECT_NE(one->observe(key("a", 1), 1ns), one->observe(key("a", 2), 1ns));
  EXPECT_NE(one->observe(key("a", 1, 0), 1ns), one->observe(key("a", 1, 1), 1ns));
  EXPECT_NE(one->observe(key("a", 1, 0, 1), 1ns), one->observe(key("a", 1, 0, 2), 1ns));
  EXPECT_NE(one->observe(key("a"), 1ns), make_simulated(8)->observe(key("a"), 1ns));
}

TEST(Simulated, SpeedIsTheCodesAndNoiseTheCopys) {
  const auto device = make_simulated(3);
  double sum = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const CallKey original = key("a", 1, pair);
    const double log_ratio = std::log(static_cast<double>(device->observe(recommented(original), 1ns).count()) /
                                      static_cast<double>(device->observe(original, 1ns).count()));
    EXPECT_NE(log_ratio, 0);
    sum += log_ratio;
  }
  EXPECT_NEAR(sum / 200, 0, 0.005) << "a copy must not be faster";
}

TEST(Simulated, NoiseIsSmallBesideTheCandidatesSpeed) {
  const auto device = make_simulated(3);
  const auto mean_log = [&](const std::string& candidate) {
    double sum = 0;
    for (int pair = 0; pair < 20; ++pair) {
      for (int repetition = 1; repetition <= 10; ++repetition) {
        sum += std::log(static_cast<double>(device->observe(key(candidate, 5, pair, repetition), 0ns).count()));
      }
    }
    return sum / 200;
  };
  double least = 1e9;
  double most = -1e9;
  for (int i = 0; i < 20; ++i) {
    const double speed = mean_log("candidate " + std::to_string(i));
    least = std::min(least, speed);
    most = std::max(most, speed);
  }
  EXPECT_GT(most - least, 0.2);
  EXPECT_LT(most - least, 0.65);
}

}  // namespace
}  // namespace assay::device
