#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <assay/supervise/history_for_test.hpp>
#include <assay/supervise/marks.hpp>

// How often a search without a fault is accused of it, and how soon one with it is found. Each search is looked at after every
// attempt, as a campaign is at most.
namespace assay::supervise {
namespace {

using testing::add_failed;
using testing::add_flat;
using testing::add_improvement;
using testing::add_measured;
using testing::add_repeat;
using testing::count_runs;

constexpr int kRuns = 200;
constexpr int kAttempts = 100;

std::optional<int> first_sight(const History& history, Condition condition, int after = 0) {
  for (const Mark& mark : marks(history, {})) {
    if (mark.finding.condition == condition && mark.until > after) {
      return mark.finding.at;
    }
  }
  return std::nullopt;
}

History improving(base::Philox& random, double probability, int attempts = kAttempts) {
  History history;
  for (int i = 0; i < attempts; ++i) {
    if (random.next_uniform() < probability) {
      add_improvement(history, -0.1 * std::log1p(-random.next_uniform()));
    } else {
      add_measured(history);
    }
  }
  return history;
}

int called(double probability, Condition condition) {
  return count_runs(
      kRuns, [&](base::Philox& random) { return first_sight(improving(random, probability), condition).has_value(); });
}

TEST(ErrorRatesTest, AStationaryImprovingSearchIsRarelyAPlateau) {
  const int tenth = called(0.1, Condition::plateau);
  const int fifth = called(0.2, Condition::plateau);
  RecordProperty("plateau_at_one_in_ten", tenth);
  RecordProperty("plateau_at_one_in_five", fifth);
  EXPECT_LE(tenth, 0.12 * kRuns);
  EXPECT_LE(fifth, 0.02 * kRuns);
}

TEST(ErrorRatesTest, AFlatSearchIsAPlateauWithinTwentyFourAttempts) {
  History history;
  add_flat(history, kAttempts);
  EXPECT_EQ(first_sight(history, Condition::plateau), 24);
}

TEST(ErrorRatesTest, ASearchThatIsExhaustedIsAPlateauWithinEightyAttemptsMore) {
  for (const double probability : {0.1, 0.3}) {
    int latest = 0;
    const int missed = count_runs(kRuns / 4, [&](base::Philox& random) {
      History history = improving(random, probability, 50);
      add_flat(history, 80);
      const auto at = first_sight(history, Condition::plateau, 50);
      latest = std::max(latest, at.value_or(0) - 50);
      return !at;
    });
    RecordProperty("latest", latest);
    EXPECT_EQ(missed, 0) << "at " << probability << ", the latest after " << latest;
  }
}

TEST(ErrorRatesTest, ConstantReturnsAreRarelyCalledDiminishing) {
  const int accused = called(0.2, Condition::diminishing_returns);
  RecordProperty("diminishing", accused);
  EXPECT_LE(accused, 0.12 * kRuns) << "some twenty looks at 1 % each, most of them at the same improvements";
}

TEST(ErrorRatesTest, ASearchThatMeasuresHalfOfItsAttemptsRarelyStalls) {
  const int accused = count_runs(kRuns, [](base::Philox& random) {
    History history;
    for (int i = 0; i < kAttempts; ++i) {
      random.next_uniform() < 0.5 ? add_measured(history) : add_failed(history);
    }
    return first_sight(history, Condition::stall).has_value();
  });
  RecordProperty("stall", accused);
  EXPECT_LE(accused, 0.05 * kRuns);
}

TEST(ErrorRatesTest, ASearchThatRepeatsOneInTenRarelyCycles) {
  const int accused = count_runs(kRuns, [](base::Philox& random) {
    History history;
    add_measured(history);
    for (int i = 1; i < kAttempts; ++i) {
      random.next_uniform() < 0.1 ? add_repeat(history, random.next_below(history.attempts.size()))
                                  : add_measured(history);
    }
    return first_sight(history, Condition::cycle).has_value();
  });
  RecordProperty("cycle", accused);
  EXPECT_LE(accused, 0.2 * kRuns);
}

TEST(ErrorRatesTest, SpeedsWithoutATrendRarelyRegress) {
  const int accused = count_runs(kRuns, [](base::Philox& random) {
    History history;
    for (int i = 0; i < kAttempts; ++i) {
      add_measured(history).level = random.next_normal();
    }
    return first_sight(history, Condition::regression).has_value();
  });
  RecordProperty("regression", accused);
  EXPECT_LE(accused, 0.05 * kRuns);
}

TEST(ErrorRatesTest, SpeedsThatFallByAStandardDeviationInTenAreFound) {
  const int found = count_runs(kRuns, [](base::Philox& random) {
    History history;
    for (int i = 0; i < 40; ++i) {
      add_measured(history).level = random.next_normal() - 0.1 * i;
    }
    return first_sight(history, Condition::regression).has_value();
  });
  RecordProperty("regression_found", found);
  EXPECT_GE(found, 0.6 * kRuns);
}

}  // namespace
}  // namespace assay::supervise
