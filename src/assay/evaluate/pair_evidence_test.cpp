#include <assay/evaluate/pair_evidence.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/evaluate/device_block.hpp>
#include <assay/evaluate/gpu_clock.hpp>
#include <assay/evaluate/stage_clock.hpp>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;

// A pair in which everything is to be doubted that PairEvidence looks at: 8000 bytes are moved in 10 ns, where twice the
// 100 bytes a nanosecond that were measured take 40.
PairResult doubtful_pair() {
  PairResult pair;
  pair.floors_ns = {100, 300};
  pair.interference = {0.5, 0.6, 0.7};
  pair.outlived_ns = {{task::Side::candidate, {90'000, 91'000}}, {task::Side::incumbent, {5'000, 6'000}}};
  pair.least_work = {{.bytes = 8000, .operations = 1e6}};
  pair.bytes_per_ns = 100;
  return pair;
}

std::vector<task::WorkloadTiming> timings_of(double candidate_ns) {
  task::WorkloadTiming timing;
  timing.candidate_ns = candidate_ns;
  return {timing};
}

// A call that is said to have taken longer than command and answer together.
std::vector<task::Sample> impossible_samples() {
  task::Sample sample;
  sample.repetition = 1;
  sample.elapsed_ns = 2000;
  sample.round_trip_ns = 1000;
  return {sample};
}

task::EvaluationRequest request_without(const task::ProbeSet& disabled) {
  task::EvaluationRequest request;
  request.disabled_probes = disabled;
  return request;
}

PairEvidence evidence_of(const std::vector<PairResult>& pairs) {
  PairEvidence evidence;
  for (const PairResult& pair : pairs) {
    evidence.add(pair);
  }
  return evidence;
}

TEST(PairEvidence, OfNothingThereIsNothingToDoubtOrTell) {
  const PairEvidence none;
  EXPECT_DOUBLE_EQ(none.timer_floor_ns(), 0);
  EXPECT_FALSE(none.doubts(request_without({}), {}, {}, std::nullopt));
  EXPECT_TRUE(none.flags().empty());
  std::vector<task::WorkloadTiming> timings(2);
  none.add_errors_to(timings);
  EXPECT_FALSE(timings[0].largest_absolute_error);
}

TEST(PairEvidence, TheTimersFloorIsTheMedianOfAllProcesses) {
  PairResult second;
  second.floors_ns = {200, 9'000, 150};
  EXPECT_DOUBLE_EQ(evidence_of({doubtful_pair()}).timer_floor_ns(), 200) << "of 100 and 300";
  EXPECT_DOUBLE_EQ(evidence_of({doubtful_pair(), second}).timer_floor_ns(), 200) << "of 100, 150, 200, 300 and 9000";
}

TEST(PairEvidence, OneDoubtIsGivenInOrderAndEachByItsOwnProbe) {
  using task::Probe;
  const PairEvidence evidence = evidence_of({doubtful_pair()});
  struct Case {
    task::ProbeSet disabled;
    const char* kind;
  };
  for (const Case& one : {Case{{}, "interference"}, Case{{Probe::interference}, "outliving_work"},
                          Case{{Probe::interference, Probe::reconcile}, "below_the_floor"},
                          Case{{Probe::interference, Probe::roofline_floor}, "outliving_work"},
                          Case{{Probe::reconcile, Probe::roofline_floor}, "interference"},
                          Case{{Probe::interference, Probe::reconcile, Probe::roofline_floor}, nullptr}}) {
    const auto doubt = evidence.doubts(request_without(one.disabled), impossible_samples(), timings_of(10), {});
    EXPECT_EQ(doubt.has_value(), one.kind != nullptr);
    if (doubt && one.kind != nullptr) {
      EXPECT_EQ(doubt->kind, one.kind);
      EXPECT_EQ(doubt->side, task::Side::candidate);
    }
  }
}

TEST(PairEvidence, TheJudgesClockIsAskedLast) {
  PairResult honest = doubtful_pair();
  honest.interference.clear();
  honest.outlived_ns.clear();
  const PairEvidence evidence = evidence_of({honest});
  const auto early = evidence.doubts(request_without({}), impossible_samples(), timings_of(10), {});
  ASSERT_TRUE(early);
  EXPECT_EQ(early->kind, "below_the_floor");
  const auto last = evidence.doubts(request_without({}), impossible_samples(), timings_of(41), {});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->kind, "irreconcilable_time");
  EXPECT_THAT(last->message, HasSubstr("command and answer together took"));
  EXPECT_FALSE(evidence.doubts(request_without({}), {}, timings_of(41), {}));
}

TEST(PairEvidence, AMemoryIsAsFastAsItEverWas) {
  PairResult honest = doubtful_pair();
  honest.interference.clear();
  honest.outlived_ns.clear();
  const PairEvidence evidence = evidence_of({honest});
  device::DevicePeaks peaks;
  peaks.bytes_per_ns = 400;  // 8000 bytes at twice that: 10 ns.
  const auto of = [&](double candidate_ns) {
    return evidence.doubts(request_without({}), {}, timings_of(candidate_ns), peaks);
  };
  EXPECT_TRUE(of(9));
  EXPECT_FALSE(of(11));
  peaks.bytes_per_ns = 50;
  EXPECT_TRUE(of(39)) << "a slower one than now was kept: now counts";
  EXPECT_FALSE(of(41));
}

TEST(PairEvidence, OperationsAreBoundedOnlyByTheFastestInstruction) {
  PairResult pair;
  pair.least_work = {{.bytes = 8000, .operations = 1e6}};  // No bandwidth was measured.
  const PairEvidence evidence = evidence_of({pair});
  device::DevicePeaks peaks{4000, 1000, 5000, "wgmma", true};
  EXPECT_TRUE(evidence.doubts(request_without({}), {}, timings_of(99), peaks)) << "100 ns at twice 5000";
  EXPECT_FALSE(evidence.doubts(request_without({}), {}, timings_of(101), peaks));
  peaks.matrix_is_fastest = false;
  EXPECT_FALSE(evidence.doubts(request_without({}), {}, timings_of(1), peaks));
  EXPECT_FALSE(evidence.doubts(request_without({}), {}, timings_of(1), std::nullopt));
}

TEST(PairEvidence, TheFirstPairsWorkAndBandwidthStandForAll) {
  PairResult first;
  first.least_work = {{.bytes = 8000, .operations = 0}};
  first.bytes_per_ns = 100;
  PairResult later;  // Does not measure: zeros.
  later.least_work = {{}};
  EXPECT_TRUE(evidence_of({first, later}).doubts(request_without({}), {}, timings_of(39), {}));
  EXPECT_FALSE(evidence_of({later, first}).doubts(request_without({}), {}, timings_of(39), {}));
}

TEST(PairEvidence, TheFloorIsTheLongerOfMovingAndComputing) {
  PairResult pair;
  pair.least_work = {
      {.bytes = 8000, .operations = 1e6}, {.bytes = 8000, .operations = 1e3}, {.bytes = 0, .operations = 0}};
  pair.bytes_per_ns = 100;
  const device::DevicePeaks peaks{50, 1000, 5000, "wgmma", true};
  std::vector<task::WorkloadTiming> timings(4);
  evidence_of({pair}).add_floors_to(timings, peaks);
  EXPECT_EQ(timings[0].floor_ns, 200) << "1e6 operations at 5000, without the margin of a doubt";
  EXPECT_EQ(timings[0].floor_limit, "arithmetic");
  EXPECT_EQ(timings[1].floor_ns, 80) << "the memory as fast as it was now";
  EXPECT_EQ(timings[1].floor_limit, "memory");
  EXPECT_FALSE(timings[2].floor_ns) << "its work is not known";
  EXPECT_FALSE(timings[3].floor_ns);
}

TEST(PairEvidence, WhereNothingWasMeasuredThereIsNoFloor) {
  PairResult pair;
  pair.least_work = {{.bytes = 8000, .operations = 1e6}};
  std::vector<task::WorkloadTiming> timings(1);
  evidence_of({pair}).add_floors_to(timings, std::nullopt);
  EXPECT_FALSE(timings[0].floor_ns);
  EXPECT_EQ(timings[0].floor_limit, "");
}

TEST(PairEvidence, RatiosOfAllPairsAreOneMedian) {
  PairResult quiet;
  quiet.interference = {0, 0, 0, 0, 0};
  quiet.outlived_ns = {{task::Side::candidate, {5'000, 5'000, 5'000}}, {task::Side::incumbent, {5'000}}};
  PairResult loud;
  loud.interference = {0.9, 0.9};
  loud.outlived_ns = {{task::Side::candidate, {500'000, 500'000}}};
  EXPECT_TRUE(evidence_of({loud}).doubts(request_without({}), {}, {}, {}));
  EXPECT_FALSE(evidence_of({loud, quiet}).doubts(request_without({}), {}, {}, {}));
  EXPECT_FALSE(evidence_of({quiet, loud}).doubts(request_without({}), {}, {}, {}));
}

TEST(PairEvidence, ErrorsAreTheLargestOfAllPairsByWorkload) {
  PairResult first;
  first.largest_errors = {tensor::LargestErrors{.absolute = 0.5, .relative = 0.01}, std::nullopt};
  PairResult second;
  second.largest_errors = {tensor::LargestErrors{.absolute = 0.25, .relative = 0.125}, std::nullopt,
                           tensor::LargestErrors{.absolute = 2, .relative = 3}};
  std::vector<task::WorkloadTiming> timings(4);
  evidence_of({first, second}).add_errors_to(timings);
  EXPECT_EQ(timings[0].largest_absolute_error, 0.5);
  EXPECT_EQ(timings[0].largest_relative_error, 0.125);
  EXPECT_FALSE(timings[1].largest_absolute_error) << "no floating output, or no checked call";
  EXPECT_EQ(timings[2].largest_absolute_error, 2);
  EXPECT_FALSE(timings[3].largest_relative_error);
  std::vector<task::WorkloadTiming> fewer(1);
  evidence_of({first, second}).add_errors_to(fewer);
  EXPECT_EQ(fewer[0].largest_absolute_error, 0.5);
}

TEST(PairEvidence, FlagsAreThoseOfThePairsBehindWhatIsSaidOfTheHost) {
  PairResult first;
  first.flags = {irreconcilable_time("a flag")};
  first.idle_shares[{task::Side::candidate, 1}] = {0.1, 0.9};
  PairResult second;
  second.flags = {irreconcilable_time("another flag")};
  second.idle_shares[{task::Side::candidate, 1}] = {0.8};
  const auto flags = evidence_of({first, second}).flags();
  ASSERT_EQ(flags.size(), 3U);
  EXPECT_EQ(flags[0].kind, "host_bound");
  EXPECT_THAT(flags[0].message, HasSubstr("80 %")) << "the median of both pairs";
  EXPECT_EQ(flags[0].workload, 1);
  EXPECT_EQ(flags[1].message, "a flag");
  EXPECT_EQ(flags[2].message, "another flag");
}

TEST(IrreconcilableTime, IsAFindingWithItsSentence) {
  const task::Finding finding = irreconcilable_time("why");
  EXPECT_EQ(finding.kind, "irreconcilable_time");
  EXPECT_EQ(finding.message, "why");
  EXPECT_FALSE(finding.workload);
}

TEST(JoinDigests, TellsOrderNumberAndEveryDigest) {
  const auto of = [](std::vector<std::uint64_t> digests) { return join_digests(digests); };
  EXPECT_EQ(of({1, 2, 3}), of({1, 2, 3}));
  const std::vector<std::vector<std::uint64_t>> all = {{1, 2, 3}, {1, 3, 2},    {2, 1, 3}, {1, 2},
                                                       {2, 3},    {1, 2, 3, 0}, {1, 2, 4}, {0, 0, 0}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_NE(of(all[i]), of(all[k])) << i << " and " << k;
    }
  }
}

TEST(WordsOfGpuClock, OfNothingItSaysZeroOfEveryKindOfWork) {
  GpuClock clock;
  ASSERT_TRUE(clock.collect()) << "nothing was enqueued, so that no driver is asked";
  const auto seconds = clock.seconds();
  ASSERT_EQ(seconds.size(), 6U);
  EXPECT_EQ(seconds[static_cast<std::size_t>(GpuClock::Work::inputs)].first, "make inputs");
  EXPECT_EQ(seconds[static_cast<std::size_t>(GpuClock::Work::digest)].first, "digest inputs");
  EXPECT_EQ(seconds[static_cast<std::size_t>(GpuClock::Work::compare)].first, "compare outputs");
  for (const auto& [what, took] : seconds) {
    EXPECT_DOUBLE_EQ(took, 0) << what;
  }
}

TEST(StageClock, ALapCountsForItsStageAlone) {
  constexpr auto kCall = static_cast<std::size_t>(StageClock::Stage::call);
  StageClock clock;
  // A clock may stand still between two looks.
  for (int lap = 0; lap < 1'000'000 && clock.seconds()[kCall].second == 0; ++lap) {
    clock.lap(StageClock::Stage::call);
  }
  const double once = clock.seconds()[kCall].second;
  clock.lap(StageClock::Stage::call);
  const auto seconds = clock.seconds();
  ASSERT_EQ(seconds.size(), static_cast<std::size_t>(StageClock::Stage::rest) + 1);
  EXPECT_EQ(seconds[kCall].first, "call");
  EXPECT_GE(seconds[kCall].second, once);
  for (std::size_t stage = 0; stage < seconds.size(); ++stage) {
    EXPECT_EQ(seconds[stage].second > 0, stage == kCall) << seconds[stage].first;
  }
}

}  // namespace
}  // namespace assay::evaluate
