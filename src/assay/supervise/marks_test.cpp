#include <gtest/gtest.h>

#include <assay/supervise/history_for_test.hpp>
#include <assay/supervise/marks.hpp>

namespace assay::supervise {
namespace {

using testing::add_flat;
using testing::add_improvement;
using testing::add_measured;
using testing::add_repeat;

TEST(MarksTest, APlateauIsMarkedFromItsFirstSightToTheImprovementAfterIt) {
  History history;
  add_flat(history, 40);
  add_improvement(history);
  add_flat(history, 5);
  const std::vector<Mark> found = marks(history, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].finding.condition, Condition::plateau);
  EXPECT_EQ(found[0].finding.since, 1);
  EXPECT_EQ(found[0].finding.at, 24);
  EXPECT_EQ(found[0].until, 40);
  EXPECT_FALSE(found[0].open);
}

TEST(MarksTest, APlateauThatLastsIsOpen) {
  History history;
  add_flat(history, 30);
  const std::vector<Mark> found = marks(history, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].until, 30);
  EXPECT_TRUE(found[0].open);
}

TEST(MarksTest, WhatCeasesAndComesBackIsMarkedTwice) {
  History history;
  add_flat(history, 30);
  add_improvement(history);
  add_flat(history, 90);
  const std::vector<Mark> found = marks(history, {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].finding.since, 32);
}

TEST(MarksTest, APhantomIsAPoint) {
  History history;
  add_measured(history);
  add_repeat(history, 0).claim = Claim{{1, 0.9, 1.1}, 0};
  add_flat(history, 3);
  const std::vector<Mark> found = marks(history, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].finding.condition, Condition::phantom);
  EXPECT_EQ(found[0].finding.at, 2);
  EXPECT_EQ(found[0].until, 2);
  EXPECT_FALSE(found[0].open);
}

// What is marked must not depend on what came later.
TEST(MarksTest, NothingLaterChangesWhatWasSeen) {
  History history;
  add_flat(history, 30);
  add_improvement(history);
  add_flat(history, 10);
  History shorter = history;
  shorter.attempts.resize(26);
  EXPECT_EQ(marks(history, {}).front().finding.evidence, marks(shorter, {}).front().finding.evidence);
}

}  // namespace
}  // namespace assay::supervise
