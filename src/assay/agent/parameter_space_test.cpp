#include <assay/agent/parameter_space.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>

namespace assay::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

task::Tuning tuning() {
  return {{{"BLOCK_V", {4, 8, 16}}, {"VECTOR", {4, 8}}, {"THREADS", {1, 2}}}, {"BLOCK_V % VECTOR == 0"}};
}

ParameterSpace space_of(task::Tuning from) {
  auto space = ParameterSpace::create(std::move(from));
  EXPECT_TRUE(space) << space.error().text();
  return std::move(*space);
}

std::vector<Point> neighbours(const ParameterSpace& space, const Point& point) {
  auto found = space.neighbours(point);
  EXPECT_TRUE(found) << found.error().text();
  return found.value_or(std::vector<Point>{});
}

base::Error failure_of(task::Tuning from) {
  const auto space = ParameterSpace::create(std::move(from));
  EXPECT_FALSE(space);
  return space ? base::Error{} : space.error();
}

TEST(ParameterSpace, EnumeratesWhatTheConstraintsAllow) {
  const ParameterSpace space = space_of(tuning());
  ASSERT_TRUE(space.all());
  // 3 x 2 x 2 without BLOCK_V 4 and VECTOR 8.
  EXPECT_THAT(*space.all(), SizeIs(10));
  EXPECT_EQ(space.all()->front(), space.defaults());
  EXPECT_TRUE(std::is_sorted(space.all()->begin(), space.all()->end()));
}

TEST(ParameterSpace, NamesValuesAndFindsThemAgain) {
  const ParameterSpace space = space_of(tuning());
  EXPECT_THAT(space.values({1, 0, 1}), ElementsAre(Pair("BLOCK_V", 8), Pair("VECTOR", 4), Pair("THREADS", 2)));
  EXPECT_EQ(space.locate({{"THREADS", 2}, {"BLOCK_V", 8}, {"VECTOR", 4}}), (Point{1, 0, 1}));
  EXPECT_FALSE(space.locate({{"BLOCK_V", 8}, {"VECTOR", 4}}));
  EXPECT_FALSE(space.locate({{"BLOCK_V", 8}, {"VECTOR", 4}, {"THREADS", 3}}));
  EXPECT_FALSE(space.locate({{"BLOCK_V", 8}, {"VECTOR", 4}, {"UNROLL", 1}}));
  EXPECT_EQ(describe(space.values(space.defaults())), "BLOCK_V=4,VECTOR=4,THREADS=1");
}

TEST(ParameterSpace, NeighboursMoveOneParameterByOneValue) {
  const ParameterSpace space = space_of(tuning());
  // From (4, 4, 1): VECTOR 8 would break the constraint.
  EXPECT_THAT(neighbours(space, {0, 0, 0}), ElementsAre(Point{1, 0, 0}, Point{0, 0, 1}));
  EXPECT_THAT(neighbours(space, {1, 1, 0}), ElementsAre(Point{2, 1, 0}, Point{1, 0, 0}, Point{1, 1, 1}));
}

TEST(ParameterSpace, OfAnotherOrderStartsAtItsFirstValues) {
  const ParameterSpace space = space_of({{{"BLOCK", {16, 4}}}, {}});
  EXPECT_THAT(space.values(space.defaults()), ElementsAre(Pair("BLOCK", 16)));
}

TEST(ParameterSpace, RefusesWhatCannotBeSearched) {
  EXPECT_EQ(failure_of({}).code, "tuner.no_parameters");
  EXPECT_THAT(failure_of({{{"A", {}}}, {}}).message, HasSubstr("parameter A has no values"));
  const base::Error defaults = failure_of({{{"A", {1, 2}}}, {"A > 1"}});
  EXPECT_EQ(defaults.owner, base::Owner::input);
  EXPECT_THAT(defaults.message, AllOf(HasSubstr("A=1"), HasSubstr("break a constraint")));
}

TEST(ParameterSpace, ShowsWhereAConstraintHasNoValue) {
  const base::Error error = failure_of({{{"A", {4, 8}}, {"B", {2, 0}}}, {"A % B == 0"}});
  EXPECT_THAT(error.text(), AllOf(HasSubstr("A % B == 0"), HasSubstr("A=4,B=0")));
  EXPECT_THAT(failure_of({{{"A", {4, 8}}}, {"A % C == 0"}}).text(), HasSubstr("C"));
}

task::Tuning large() {
  task::Tuning from;
  for (const char* name : {"A", "B", "C", "D", "E"}) {
    from.parameters.emplace_back(name, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  }
  from.constraints = {"A <= B"};
  return from;
}

TEST(ParameterSpace, DoesNotEnumerateALargeOne) {
  const ParameterSpace space = space_of(large());
  EXPECT_FALSE(space.all());
  EXPECT_TRUE(*space.allows({0, 0, 9, 9, 9}));
  EXPECT_FALSE(*space.allows({1, 0, 0, 0, 0}));
}

TEST(ParameterSpace, DoesNotOverflowWhenItCounts) {
  task::Tuning from;
  for (int i = 0; i < 100; ++i) {
    from.parameters.emplace_back("P" + std::to_string(i), std::vector<std::int64_t>{1, 2, 3, 4});
  }
  EXPECT_FALSE(space_of(from).all());
}

RC_GTEST_PROP(ParameterSpaceProperty, DrawsReachEveryPoint, (std::uint64_t seed)) {
  const ParameterSpace space = space_of(tuning());
  base::Philox random(seed, 1);
  std::set<Point> seen;
  for (int i = 0; i < 400; ++i) {
    seen.insert(space.draw(random));
  }
  RC_ASSERT(seen.size() == 12U);
}

RC_GTEST_PROP(ParameterSpaceProperty, BeingNeighboursIsMutual, ()) {
  const ParameterSpace space = space_of(tuning());
  const Point& point = (*space.all())[*rc::gen::inRange<std::size_t>(0, space.all()->size())];
  for (const Point& other : neighbours(space, point)) {
    const auto back = neighbours(space, other);
    RC_ASSERT(std::count(back.begin(), back.end(), point) == 1);
    RC_ASSERT(*space.allows(other));
  }
}

}  // namespace
}  // namespace assay::agent
