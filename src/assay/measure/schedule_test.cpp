#include <assay/measure/schedule.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay::measure {
namespace {

// Without the calls that probe the candidate, unless a test asks for them.
ScheduleOptions plain_options() {
  ScheduleOptions options;
  options.perturbed_calls = 0;
  options.repeat = false;
  return options;
}

std::vector<ScheduledCall> schedule(const ScheduleOptions& options, std::uint64_t seed = 1) {
  base::Philox random(seed, 0);
  return make_schedule(options, random);
}

RC_GTEST_PROP(Schedule, HasEveryCellExactlyOnceAndSidesAsNeighbours, ()) {
  ScheduleOptions options = plain_options();
  options.workloads = *rc::gen::inRange(1, 12);
  options.timed_repetitions = *rc::gen::inRange(1, 6);
  options.with_incumbent = true;
  const auto calls = schedule(options, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(calls.size() == static_cast<std::size_t>(2 * options.workloads * (options.timed_repetitions + 1)));
  std::set<std::tuple<int, int, task::Side>> seen;
  for (std::size_t i = 0; i < calls.size(); i += 2) {
    const ScheduledCall& a = calls[i];
    const ScheduledCall& b = calls[i + 1];
    RC_ASSERT(a.workload == b.workload && a.repetition == b.repetition && a.contents == b.contents &&
              a.check == b.check);
    RC_ASSERT(a.side != b.side);
    RC_ASSERT(a.new_contents && !b.new_contents);
    RC_ASSERT(seen.insert({a.workload, a.repetition, a.side}).second);
    RC_ASSERT(seen.insert({b.workload, b.repetition, b.side}).second);
  }
}

RC_GTEST_PROP(Schedule, AWarmUpPrecedesEveryTimedCallOfItsWorkloadAndIsChecked, (std::uint64_t seed)) {
  ScheduleOptions options = plain_options();
  options.workloads = 5;
  options.with_incumbent = true;
  options.check_fraction = 0;
  std::set<std::pair<int, task::Side>> warm;
  for (const ScheduledCall& call : schedule(options, seed)) {
    if (call.repetition == 0) {
      RC_ASSERT(call.check);
      warm.insert({call.workload, call.side});
    } else {
      RC_ASSERT(!call.check);
      RC_ASSERT(warm.count({call.workload, call.side}) == 1);
    }
  }
}

TEST(Schedule, GivesEachWorkloadTheCallsThatAreItsOwn) {
  ScheduleOptions options = plain_options();
  options.workloads = 3;
  options.timed_repetitions = 4;
  options.calls_on = {5, 0, 2};
  std::map<int, int> calls;
  std::set<std::uint64_t> contents;
  for (const ScheduledCall& call : schedule(options)) {
    ++calls[call.workload];
    contents.insert(call.contents);
  }
  EXPECT_EQ(calls, (std::map<int, int>{{0, 5}, {2, 2}}));
  EXPECT_EQ(contents.size(), 7U);
}

TEST(Schedule, ContentsDifferBetweenBlocksAndPairs) {
  ScheduleOptions options = plain_options();
  options.workloads = 4;
  options.timed_repetitions = 3;
  std::set<std::uint64_t> contents;
  std::size_t calls = 0;
  for (int pair = 0; pair < 3; ++pair) {
    options.pair = pair;
    for (const ScheduledCall& call : schedule(options)) {
      contents.insert(call.contents);
      ++calls;
    }
  }
  EXPECT_EQ(contents.size(), calls);
}

TEST(Schedule, FirstSideAndOrderAreRandom) {
  ScheduleOptions options = plain_options();
  options.workloads = 20;
  options.timed_repetitions = 20;
  options.with_incumbent = true;
  int candidate_first = 0;
  std::map<int, int> first_workload;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto calls = schedule(options, seed);
    for (std::size_t i = 0; i < calls.size(); i += 2) {
      candidate_first += calls[i].side == task::Side::candidate ? 1 : 0;
    }
    ++first_workload[calls.front().workload];
  }
  // 50 * 420 blocks: three standard deviations are 217.
  EXPECT_NEAR(candidate_first, 50 * 420 / 2, 300);
  EXPECT_GT(first_workload.size(), 10U);
}

TEST(Schedule, AboutTheWantedFractionOfTimedCallsIsChecked) {
  ScheduleOptions options = plain_options();
  options.workloads = 100;
  options.timed_repetitions = 100;
  options.check_fraction = 0.25;
  int checked = 0;
  for (const ScheduledCall& call : schedule(options)) {
    checked += call.repetition > 0 && call.check ? 1 : 0;
  }
  EXPECT_NEAR(checked, 2500, 150);
}

RC_GTEST_PROP(Schedule, PerturbedCallsFollowTheCallThatTheyResembleAndAreChecked, (std::uint64_t seed)) {
  ScheduleOptions options = plain_options();
  options.pair = *rc::gen::inRange(0, 3);
  options.workloads = *rc::gen::inRange(1, 8);
  options.timed_repetitions = *rc::gen::inRange(1, 7);
  options.with_incumbent = *rc::gen::arbitrary<bool>();
  options.repeat = *rc::gen::arbitrary<bool>();
  options.check_fraction = 0;
  options.perturbed_calls = *rc::gen::inRange(1, 4);
  const auto calls = schedule(options, seed);
  const std::size_t sides = options.with_incumbent ? 2 : 1;
  std::set<std::uint64_t> which;
  std::set<std::tuple<int, int, task::Side>> cells;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].repeats) {
      RC_ASSERT(cells.insert({calls[i].workload, calls[i].repetition, calls[i].side}).second);
    }
    if (calls[i].perturbed) {
      which.insert(*calls[i].perturbed);
      RC_ASSERT(calls[i].check && calls[i].repetition > 0 && i >= sides);
      const ScheduledCall& before = calls[i / sides * sides - 1];
      RC_ASSERT(before.workload == calls[i].workload && before.contents == calls[i].contents);
    }
  }
  const auto wanted = static_cast<std::size_t>(std::min(options.perturbed_calls, options.timed_repetitions));
  RC_ASSERT(which.size() == wanted);
  RC_ASSERT(*which.begin() == static_cast<std::uint64_t>(options.pair * options.perturbed_calls));
  RC_ASSERT(cells.size() == sides * static_cast<std::size_t>(options.workloads * (options.timed_repetitions + 1)));
}

TEST(Schedule, ProbingCallsFavourCheapWorkloadsAndSpareNone) {
  ScheduleOptions options = plain_options();
  options.workloads = 3;
  options.perturbed_calls = 1;
  options.costs = {16, 1, 4};
  std::map<int, int> perturbed;
  for (std::uint64_t seed = 0; seed < 900; ++seed) {
    for (const ScheduledCall& call : schedule(options, seed)) {
      perturbed[call.workload] += call.perturbed ? 1 : 0;
    }
  }
  EXPECT_NEAR(perturbed[1], 500, 60);  // 5 of 9 draws of two, 3 of 9, 1 of 9.
  EXPECT_NEAR(perturbed[2], 300, 60);
  EXPECT_NEAR(perturbed[0], 100, 40);
}

TEST(Schedule, OnlyTheFirstPairRepeatsAWarmUpBlock) {
  ScheduleOptions options = plain_options();
  options.workloads = 3;
  options.with_incumbent = true;
  options.repeat = true;
  const auto calls = schedule(options);
  const std::size_t usual = 2 * 3 * 4;
  ASSERT_EQ(calls.size(), usual + 2);
  for (std::size_t i = 2; i < calls.size(); ++i) {
    if (calls[i].repeats) {
      EXPECT_EQ(calls[i].repetition, 0) << "never timed: who knows contents again would gain";
      EXPECT_EQ(calls[i].workload, calls[i - 2].workload);
      EXPECT_EQ(calls[i].contents, calls[i - 2].contents);
    }
  }
  options.pair = 1;
  EXPECT_EQ(schedule(options).size(), usual);
}

TEST(Schedule, AloneThereIsOneSide) {
  ScheduleOptions options = plain_options();
  options.workloads = 2;
  for (const ScheduledCall& call : schedule(options)) {
    EXPECT_EQ(call.side, task::Side::candidate);
    EXPECT_TRUE(call.new_contents);
  }
}

}  // namespace
}  // namespace assay::measure
