#include <assay/task/failing_input.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using ::testing::HasSubstr;

FailingInput difficult() {
  FailingInput input;
  input.workload = testing::sample_workload("w-1", 4);
  input.workload.lengths = {3, 1};
  input.stress_kind = "ties";
  input.seed = std::numeric_limits<std::uint64_t>::max();
  input.contents = input.seed - 1;
  input.perturbed = input.seed - 2;
  input.varied = false;
  return input;
}

std::string reread(const FailingInput& input) {
  const base::Json json = base::Json::parse(encode(input).dump());
  const auto read = as_result(decode_whole(json, Coercion::strict, read_failing_input), "i");
  EXPECT_TRUE(read) << read.error().text();
  return read ? encode(*read).dump() : std::string();
}

TEST(FailingInput, RoundTripsWithAndWithoutWhatMayBeAbsent) {
  EXPECT_EQ(reread(difficult()), encode(difficult()).dump());
  FailingInput plain;
  plain.workload = testing::sample_workload("w-2", 8);
  EXPECT_EQ(reread(plain), encode(plain).dump());
  for (const char* absent : {"stress_kind", "perturbed", "varied"}) {
    EXPECT_FALSE(encode(plain).contains(absent)) << absent;
  }
}

TEST(FailingInput, TheSameInputsHaveTheSameText) {
  // The archive knows an input again by this.
  EXPECT_EQ(encode(difficult()).dump(), encode(difficult()).dump());
  FailingInput other = difficult();
  ++other.contents;
  EXPECT_NE(encode(difficult()).dump(), encode(other).dump());
}

TEST(FailingInput, IsDescribedByItsKindOrItsWorkload) {
  FailingInput input = difficult();
  input.seed = 7;
  EXPECT_EQ(describe(input), "difficult input \"ties\": rows 4, seed 7");
  input.stress_kind.reset();
  input.workload.uuid = "901e5104-dccb-4f3e";
  EXPECT_EQ(describe(input), "workload 901e5104: rows 4, seed 7");
}

TEST(KeptInput, NamesWhomItCaught) {
  const KeptInput kept{difficult(), "fast (3fa2c1d0)", "e-1"};
  base::Json json = base::Json::parse(encode(kept).dump());
  const auto read = as_result(decode_whole(json, Coercion::strict, read_kept_input), "k");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(encode(*read).dump(), encode(kept).dump());
  for (const char* field : {"caught", "evaluation", "seed", "workload", "contents"}) {
    base::Json without = json;
    without.erase(field);
    const auto refused = as_result(decode_whole(without, Coercion::strict, read_kept_input), "k");
    ASSERT_FALSE(refused) << field;
    EXPECT_THAT(refused.error().message, HasSubstr(std::string("/") + field));
  }
  json["luck"] = 1;
  EXPECT_FALSE(as_result(decode_whole(json, Coercion::strict, read_kept_input), "k"));
}

}  // namespace
}  // namespace assay::task
