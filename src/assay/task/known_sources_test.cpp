#include <assay/task/known_sources.hpp>

#include <gtest/gtest.h>

namespace assay::task {
namespace {

CandidateIdentity named_source(std::string_view content, std::string_view normalised) {
  return {base::sha256(content), base::sha256(normalised)};
}

TEST(KnownSources, NameTheEarliestOfEachKind) {
  KnownSources known;
  EXPECT_FALSE(known.find(named_source("a", "n")));
  known.add(1, named_source("a", "n"));
  known.add(2, named_source("b", "n"));
  known.add(3, named_source("b", "n"));
  const auto bytes = known.find(named_source("b", "n"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->of, 2) << "the same bytes say more than the same source";
  EXPECT_EQ(bytes->sameness, SourceSameness::content);
  const auto normalised = known.find(named_source("c", "n"));
  ASSERT_TRUE(normalised);
  EXPECT_EQ(normalised->of, 1);
  EXPECT_EQ(normalised->sameness, SourceSameness::normalised);
  EXPECT_FALSE(known.find(named_source("n", "a"))) << "the two levels are not mixed up";
}

}  // namespace
}  // namespace assay::task
