#include <assay/task/admissibility.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::HasSubstr;

Admissibility sample() {
  Admissibility result;
  result.definition = "gdn";
  result.seed = 7;
  result.honest_trials = 4;
  result.honest_passed = 4;
  result.impostors = {{"y", "zeros", 4, 4, 1}};
  result.inputs = {{"x", 2, 2}, {"never", 0, 0}};
  return result;
}

TEST(Admissibility, RoundTrips) {
  const Json json = testing::parse(encode(sample()).dump());
  const Admissibility read = decode_admissibility(json, "a.json").value();
  EXPECT_EQ(encode(read).dump(), json.dump());
  EXPECT_EQ(read.impostors[0].officially_rejected, 1);
}

TEST(Admissibility, IsProvedOnlyIfNothingIsLeftOpen) {
  EXPECT_TRUE(sample().proved());
  EXPECT_FALSE(Admissibility{}.proved());
  const auto spoiled = [](auto change) {
    Admissibility result = sample();
    change(result);
    return result.proved();
  };
  EXPECT_FALSE(spoiled([](Admissibility& result) { result.honest_passed = 3; }));
  EXPECT_FALSE(spoiled([](Admissibility& result) { result.impostors[0].rejected = 3; }));
  EXPECT_FALSE(spoiled([](Admissibility& result) { result.inputs[0].seen = 1; }));
  // What the contest's rule lets pass is shown, not required.
  EXPECT_TRUE(spoiled([](Admissibility& result) { result.impostors[0].officially_rejected = 0; }));
}

TEST(Admissibility, RefusesTheUnknownAndTheWrong) {
  const auto fault = [](const char* pointer, const char* value) {
    Json json = encode(sample());
    json[Json::json_pointer(pointer)] = testing::parse(value);
    const auto result = decode_admissibility(json, "a.json");
    return result ? std::string() : result.error().message;
  };
  EXPECT_THAT(fault("/version", "2"), HasSubstr("a.json: /version: is not 1"));
  EXPECT_THAT(fault("/impostors/0/trials", "-1"), HasSubstr("/impostors/0/trials:"));
  EXPECT_THAT(fault("/impostors/0/colour", "1"), HasSubstr("/impostors/0/colour:"));
  EXPECT_THAT(fault("/inputs/0/input", "\"\""), HasSubstr("/inputs/0/input:"));
  EXPECT_THAT(fault("/definition", "1"), HasSubstr("/definition:"));
}

}  // namespace
}  // namespace assay::task
