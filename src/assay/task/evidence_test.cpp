#include <assay/task/evidence.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::task {
namespace {

TEST(EnvironmentDigest, IsOfAllEntriesInAnyOrder) {
  const std::string digest = environment_digest({{"cpu", "a"}, {"toolchain", "b"}});
  EXPECT_EQ(digest, environment_digest({{"toolchain", "b"}, {"cpu", "a"}}));
  EXPECT_NE(digest, environment_digest({{"cpu", "a"}, {"toolchain", "c"}}));
  EXPECT_NE(digest, environment_digest({{"cpu", "a"}}));
  EXPECT_NE(environment_digest({{"ab", "c"}}), environment_digest({{"a", "bc"}}));
  EXPECT_EQ(environment_digest({}), "");
}

TEST(Evidence, ExpiresWithItsEnvironment) {
  Evidence evidence;
  evidence.environment = "here";
  EXPECT_TRUE(holds_in(evidence, "here"));
  EXPECT_FALSE(holds_in(evidence, "there"));
  EXPECT_FALSE(holds_in(evidence, ""));
  evidence.environment.clear();
  EXPECT_FALSE(holds_in(evidence, "")) << "two unknowns are not the same";
}

TEST(Evidence, SurvivesStorage) {
  const Evidence evidence{EvidenceKind::headroom, "n 1..2", 1.25, "memory", "c-0-measure-1", "abc"};
  const auto read = decode_whole(encode(evidence), Coercion::strict, read_evidence);
  ASSERT_TRUE(read.value);
  EXPECT_EQ(*read.value, evidence);
  auto document = encode(evidence);
  document["kind"] = "hunch";
  EXPECT_FALSE(decode_whole(document, Coercion::strict, read_evidence).value);
  document = encode(evidence);
  document["evaluation"] = "";
  EXPECT_FALSE(decode_whole(document, Coercion::strict, read_evidence).value) << "evidence without a measurement";
}

}  // namespace
}  // namespace assay::task
