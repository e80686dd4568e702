#include <assay/certify/numbers.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace assay::certify {
namespace {

using base::Json;

std::vector<std::string> places(const Json& given, const Json& derived) {
  std::vector<std::string> found;
  for (const Difference& one : differences(given, derived)) {
    found.push_back(one.place);
  }
  return found;
}

TEST(Numbers, AreRoundedToNineDigits) {
  EXPECT_EQ(nine_digits(1.0 / 3), 0.333333333);
  EXPECT_EQ(nine_digits(2e9 / 3), 666666667.0);
  EXPECT_EQ(nine_digits(-1.23456789012e-20), -1.23456789e-20);
  EXPECT_EQ(nine_digits(0.01), 0.01);
  EXPECT_EQ(nine_digits(0), 0);
  EXPECT_EQ(nine_digits(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
}

TEST(Numbers, ARoundedDocumentAgreesWithItself) {
  const auto held = rc::check([] {
    const double number =
        std::ldexp(static_cast<double>(*rc::gen::arbitrary<std::int64_t>()), *rc::gen::inRange(-200, 100));
    const Json derived = {{"number", number}, {"list", {number, 1, "text", nullptr}}};
    RC_ASSERT(differences(rounded(derived), derived).empty());
    // The same number as another machine might compute it.
    const Json other = {{"number", number * (1 + 1e-15)}, {"list", {number * (1 - 1e-15), 1, "text", nullptr}}};
    RC_ASSERT(differences(rounded(other), derived).empty());
  });
  EXPECT_TRUE(held);
}

TEST(Numbers, ANeighbourOfNineDigitsDoesNot) {
  const auto held = rc::check([] {
    const double number = 1 + static_cast<double>(*rc::gen::inRange(0, 1'000'000'000)) / 1e9;
    const double near = nine_digits(number);
    // Not the next one: halfway between two, both are roundings.
    RC_ASSERT(!differences(Json(nine_digits(near + 2e-8)), Json(number)).empty());
    RC_ASSERT(!differences(Json(nine_digits(near - 2e-8)), Json(number)).empty());
    RC_ASSERT(!differences(Json(std::nextafter(near, 9.0)), Json(number)).empty());
  });
  EXPECT_TRUE(held);
}

TEST(Differences, NameThePlaceAndBothValues) {
  const auto found = differences({{"a", {{"b~/", 1}}}}, {{"a", {{"b~/", 2}}}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].place, "/a/b~0~1");
  EXPECT_EQ(found[0].what, "is 1, and the evidence gives 2");
}

TEST(Differences, FindWhatIsMissingTooMuchOrElsewhere) {
  const Json derived = {{"a", 1}, {"b", Json::array({1, 2})}};
  EXPECT_THAT(places({{"b", Json::array({1, 2})}}, derived), ::testing::ElementsAre("/a"));
  EXPECT_THAT(places({{"a", 1}, {"b", Json::array({1, 2})}, {"c", 3}}, derived), ::testing::ElementsAre("/c"));
  EXPECT_THAT(places({{"b", Json::array({1, 2})}, {"a", 1}}, derived), ::testing::ElementsAre("/b"));
  EXPECT_THAT(places({{"a", 1}, {"b", Json::array({1})}}, derived), ::testing::ElementsAre("/b"));
  EXPECT_THAT(places({{"a", 1}, {"b", Json::array({1, 3, 4})}}, derived), ::testing::ElementsAre("/b/1", "/b"));
}

TEST(Differences, TypesCount) {
  EXPECT_FALSE(differences(Json(1.0), Json(1)).empty());
  EXPECT_FALSE(differences(Json(1), Json(1.0)).empty());
  EXPECT_FALSE(differences(Json("1"), Json(1)).empty());
  EXPECT_FALSE(differences(Json(true), Json(1)).empty());
  EXPECT_FALSE(differences(Json(), Json(0)).empty());
  EXPECT_FALSE(differences(Json::array(), Json::object()).empty());
  EXPECT_TRUE(differences(Json(std::uint64_t{7}), Json(std::int64_t{7})).empty());
}

TEST(Differences, AreBriefAboutLongValues) {
  const auto found = differences(Json(std::string(5000, 'a')), Json("b"));
  EXPECT_EQ(found[0].what, "is a value of 5002 characters, and the evidence gives \"b\"");
}

}  // namespace
}  // namespace assay::certify
