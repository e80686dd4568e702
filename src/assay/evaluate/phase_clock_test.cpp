#include <assay/evaluate/phase_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::evaluate {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Pair;

TEST(PhaseClockOfTheJudge, NotesPhasesInTheirOrderBehindWhatIsThere) {
  task::Named<double> phases = {{"before", 1.5}};
  PhaseClock clock(phases);
  clock.note("build");
  clock.note("trials");
  EXPECT_THAT(phases, ElementsAre(Pair("before", 1.5), Pair("build", Ge(0)), Pair("trials", Ge(0))));
}

TEST(PhaseClockOfTheJudge, PhasesFollowEachOtherWithoutAGapOrAnOverlap) {
  task::Named<double> phases;
  const auto start = std::chrono::steady_clock::now();
  PhaseClock clock(phases);
  for (int i = 0; i < 100; ++i) {
    clock.note("one of many");
    clock.note_parts("it", {{"a part", 1e6}}, {});
  }
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  double sum = 0;
  for (const auto& [what, seconds] : phases) {
    sum += what == "one of many" ? seconds : 0;
  }
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, all.count());
}

TEST(PhaseClockOfTheJudge, PartsSayWhoseTheyAreAndByWhichClock) {
  task::Named<double> phases;
  PhaseClock clock(phases);
  clock.note_parts("pairs", {{"call", 2}, {"everything else", 0.5}}, {{"calls, by their clock", 1.25}});
  EXPECT_THAT(phases, ElementsAre(Pair("pairs: call", 2), Pair("pairs: everything else", 0.5),
                                  Pair("pairs on the GPU: calls, by their clock", 1.25)));
}

}  // namespace
}  // namespace assay::evaluate
