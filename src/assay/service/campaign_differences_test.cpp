#include <assay/service/campaign_differences.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(DifferencesTest, NamesEachFieldByPointer) {
  const base::Json stored = base::Json::parse(R"({"a": 1, "b": {"c": [1, 2], "d": "x"}, "e": null, "l": [1]})");
  EXPECT_THAT(differences(stored, stored), IsEmpty());
  base::Json given = stored;
  given["a"] = 2;
  given["b"]["c"][1] = 3;
  given["b"].erase("d");
  given["f/g"] = true;
  given["l"].push_back(2);
  EXPECT_THAT(differences(stored, given),
              ElementsAre("/a was 1 and is now 2", "/b/c/1 was 2 and is now 3", "/b/d was \"x\" and is now absent",
                          "/l had 1 entries and now has 2", "/f~1g was absent and is now true"));
}

TEST(DifferencesTest, LongValuesAndLongListsAreCut) {
  const std::string longer(5000, 'x');
  EXPECT_THAT(differences({{"s", longer}}, {{"s", "y"}}),
              ElementsAre("/s was a value of 5002 characters and is now \"y\""));
  base::Json many = base::Json::object();
  base::Json none = base::Json::object();
  for (int i = 0; i < 100; ++i) {
    many[std::to_string(i)] = i;
    none[std::to_string(i)] = -i - 1;
  }
  EXPECT_LE(differences(many, none).size(), 10U);
}

}  // namespace
}  // namespace assay::service
