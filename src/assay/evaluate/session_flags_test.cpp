#include <assay/evaluate/session_flags.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::evaluate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

task::PairReadings readings(int pair, const std::string& throttled_after, int processes, int ours = 3) {
  task::PairReadings made;
  made.pair = pair;
  made.ours = ours;
  made.before.processes = 3;
  made.after.processes = processes;
  made.after.throttled = throttled_after;
  return made;
}

TEST(SessionFlags, NoReadingsAndQuietReadingsSayNothing) {
  EXPECT_FALSE(read_device(std::nullopt));
  EXPECT_FALSE(flag_throttling({}));
  EXPECT_FALSE(flag_throttling({readings(0, "", 3)}));
  EXPECT_FALSE(flag_other_processes({}));
  EXPECT_FALSE(flag_other_processes({readings(0, "", 3)}));
  EXPECT_FALSE(flag_other_processes({readings(0, "", 0)})) << "in a container NVML may see nobody";
}

TEST(SessionFlags, ReadingsKeepWhatTheDeviceSaid) {
  device::DeviceState state;
  state.sm_mhz = 1980;
  state.memory_mhz = 3201;
  state.temperature_celsius = 41;
  state.power_watts = 312.5;
  state.throttled = "power limit";
  state.processes = 4;
  const auto reading = read_device(state);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->sm_mhz, 1980);
  EXPECT_EQ(reading->memory_mhz, 3201);
  EXPECT_EQ(reading->temperature_celsius, 41);
  EXPECT_DOUBLE_EQ(reading->power_watts, 312.5);
  EXPECT_EQ(reading->throttled, "power limit");
  EXPECT_EQ(reading->processes, 4);
}

TEST(SessionFlags, ThrottlingIsToldWithItsReasonAndHowOften) {
  const auto flag =
      flag_throttling({readings(0, "", 3), readings(1, "thermal slowdown", 3), readings(2, "power limit", 3)});
  ASSERT_TRUE(flag);
  EXPECT_EQ(flag->kind, "throttled");
  EXPECT_THAT(flag->message, AllOf(HasSubstr("2 of 3"), HasSubstr("thermal slowdown")));
}

// Ten timed calls of each side, of which `late` of the incumbent's wait for 3 ms, and all of the candidate's.
std::vector<task::Sample> ten_calls(int late) {
  std::vector<task::Sample> samples;
  for (int call = 0; call < 10; ++call) {
    for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
      task::Sample sample;
      sample.side = side;
      sample.repetition = call + 1;
      sample.elapsed_ns = 100000;
      sample.round_trip_ns = 160000 + (side == task::Side::candidate || call < late ? 3000000 : 0);
      samples.push_back(sample);
    }
  }
  return samples;
}

TEST(SessionFlags, AMachineIsBusyByWhatTheIncumbentWentThroughAlone) {
  EXPECT_FALSE(flag_busy_machine({}));
  EXPECT_FALSE(flag_busy_machine(ten_calls(2))) << "no candidate makes a machine look busy by being late itself";
  const auto flag = flag_busy_machine(ten_calls(3));
  ASSERT_TRUE(flag);
  EXPECT_EQ(flag->kind, "busy_machine");
  EXPECT_THAT(flag->message, HasSubstr("3 of the incumbent's 10 calls"));
}

TEST(SessionFlags, OnlyProcessesBeyondOursAreOthers) {
  const auto flag = flag_other_processes({readings(0, "", 3), readings(1, "", 5)});
  ASSERT_TRUE(flag);
  EXPECT_EQ(flag->kind, "shared_device");
  EXPECT_THAT(flag->message, HasSubstr("2 other processes"));
  EXPECT_THAT(flag_other_processes({readings(0, "", 3, 2)})->message, HasSubstr("1 other process had"));
}

TEST(SessionFlags, HostBoundIsToldOfEachSideWhereItIsMost) {
  const auto flags = flag_host_bound({{{task::Side::candidate, 0}, {0.7, 0.65, 0.1}},
                                      {{task::Side::candidate, 1}, {0.9, 0.9, 0.9}},
                                      {{task::Side::candidate, 2}, {0.6, 0.6}},
                                      {{task::Side::incumbent, 0}, {0.2, 0.95, 0.3}}});
  ASSERT_THAT(flags, SizeIs(1));
  EXPECT_EQ(flags[0].kind, "host_bound");
  EXPECT_EQ(flags[0].side, task::Side::candidate);
  EXPECT_EQ(flags[0].workload, 1);
  EXPECT_THAT(flags[0].message, HasSubstr("90 %"));
  EXPECT_THAT(flag_host_bound({{{task::Side::candidate, 0}, {}}}), IsEmpty());
}

TEST(SessionFlags, ADriftOfMoreThanOnePartInTwentyIsAChange) {
  EXPECT_FALSE(flag_changed_device({250'000, 250'000}));
  EXPECT_FALSE(flag_changed_device({250'000, 262'000}));
  EXPECT_FALSE(flag_changed_device({250'000, 238'000}));
  EXPECT_FALSE(flag_changed_device({0, 5}));
  const auto slower = flag_changed_device({250'000, 265'000});
  ASSERT_TRUE(slower);
  EXPECT_EQ(slower->kind, "device_changed");
  EXPECT_THAT(slower->message, AllOf(HasSubstr("250.0 us"), HasSubstr("+6.0 %")));
  EXPECT_TRUE(flag_changed_device({250'000, 230'000}));
}

}  // namespace
}  // namespace assay::evaluate
