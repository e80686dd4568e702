#include <assay/control/proposals.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_configuration;
using testing::sample_solution;
using ::testing::SizeIs;

std::vector<agent::Proposal> proposals(const std::vector<std::string>& sources) {
  std::vector<agent::Proposal> all;
  for (const std::string& source : sources) {
    all.push_back({sample_solution("named " + source, source), {"all", "unknown", "c", "p"}, std::nullopt});
  }
  return all;
}

CampaignState with_earlier(const std::vector<std::string>& sources) {
  CampaignState state;
  for (const std::string& source : sources) {
    CandidateState& one = state.candidates.emplace_back();
    one.number = static_cast<int>(state.candidates.size());
    one.identity = task::identify(sample_solution("earlier", source));
  }
  return state;
}

TEST(NumberProposals, GoesOnFromTheLastNumber) {
  auto given = proposals({"c;", "d;"});
  given[1].parent = 2;
  given[1].solution.parameters = {{"B", 8}};
  const auto entry = number_proposals(with_earlier({"a;", "b;"}), sample_configuration(), 3, "tuner", given);
  EXPECT_EQ(entry.round, 3);
  EXPECT_EQ(entry.proposer, "tuner");
  ASSERT_THAT(entry.candidates, SizeIs(2));
  EXPECT_EQ(entry.candidates[0].number, 3);
  EXPECT_EQ(entry.candidates[1].number, 4);
  EXPECT_EQ(entry.candidates[1].name, "named d;");
  EXPECT_EQ(entry.candidates[1].parent, 2);
  EXPECT_EQ(entry.candidates[1].parameters.front().second, 8);
  EXPECT_EQ(entry.candidates[1].hypothesis.change, "c");
  EXPECT_EQ(entry.candidates[1].identity, task::identify(given[1].solution));
  EXPECT_FALSE(entry.candidates[0].duplicate);
}

TEST(NumberProposals, RecognisesTheBaselineAndEarlierCandidates) {
  const auto entry = number_proposals(with_earlier({"a;", "b;"}), sample_configuration(), 1, "t",
                                      proposals({"y = 2 * x;\n", "b;", "a; // again", "new;"}));
  EXPECT_EQ(entry.candidates[0].duplicate->of, 0);
  EXPECT_EQ(entry.candidates[0].duplicate->sameness, Sameness::content);
  EXPECT_EQ(entry.candidates[1].duplicate->of, 2);
  EXPECT_EQ(entry.candidates[2].duplicate->of, 1);
  EXPECT_EQ(entry.candidates[2].duplicate->sameness, Sameness::normalised);
  EXPECT_FALSE(entry.candidates[3].duplicate);
}

TEST(NumberProposals, RecognisesRepetitionsWithinARound) {
  const auto entry =
      number_proposals({}, sample_configuration(), 1, "t", proposals({"a;", "a; // 1", "a;", "a; // 1"}));
  EXPECT_FALSE(entry.candidates[0].duplicate);
  EXPECT_EQ(entry.candidates[1].duplicate->of, 1);
  EXPECT_EQ(entry.candidates[1].duplicate->sameness, Sameness::normalised);
  EXPECT_EQ(entry.candidates[2].duplicate->of, 1);
  // The same bytes say more than the same source: the fourth repeats the second exactly.
  EXPECT_EQ(entry.candidates[3].duplicate->of, 2);
  EXPECT_EQ(entry.candidates[3].duplicate->sameness, Sameness::content);
}

TEST(NumberProposals, TellsParametersApart) {
  auto given = proposals({"a;", "a;"});
  given[0].solution.parameters = {{"B", 8}};
  given[1].solution.parameters = {{"B", 16}};
  const auto entry = number_proposals({}, sample_configuration(), 1, "t", given);
  EXPECT_FALSE(entry.candidates[1].duplicate);
}

TEST(NumberProposals, OfNoneAreNone) {
  EXPECT_THAT(number_proposals({}, sample_configuration(), 1, "t", {}).candidates, IsEmpty());
}

TEST(DescribeDuplicate, NamesWhomAndHow) {
  EXPECT_EQ(describe({0, Sameness::content}), "the same bytes as the baseline; nothing was run");
  EXPECT_EQ(describe({3, Sameness::normalised}),
            "the same as candidate 3 after comments and blank space; nothing was run");
}

TEST(SuppliedProposals, KeepTheirOrderAndSayWhereTheyAreFrom) {
  const CampaignConfiguration configuration = sample_configuration();
  const auto all = supplied_proposals(configuration);
  ASSERT_THAT(all, SizeIs(configuration.supplied.size()));
  EXPECT_EQ(all[1].solution.name, configuration.supplied[1].name);
  EXPECT_THAT(all[1].hypothesis.change, HasSubstr("by hand"));
  EXPECT_FALSE(all[1].parent);
}

}  // namespace
}  // namespace assay::control
