#include <assay/operators/gdn_prefill/lengths.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>
#include <set>

#include <assay/operators/gdn_prefill/workload_for_test.hpp>

namespace assay::operators::gdn_prefill {
namespace {

task::Workload without_lengths(std::int64_t tokens, std::int64_t sequences, std::string uuid) {
  task::Workload workload = make_workload({}, std::move(uuid));
  workload.axes = {{"total_seq_len", tokens}, {"num_seqs", sequences}, {"len_cu_seqlens", sequences + 1}};
  return workload;
}

std::int64_t sum(const std::vector<std::int64_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

TEST(GdnPrefillLengths, TheWorkloadsOwnAreKept) {
  EXPECT_THAT(sequence_lengths(make_workload({3, 0, 8})), testing::ElementsAre(3, 0, 8));
}

TEST(GdnPrefillLengthsDeathTest, ThoseThatDoNotFitAreBugs) {
  task::Workload workload = make_workload({3, 0, 8});
  workload.lengths = {3, 8};
  EXPECT_DEATH(static_cast<void>(sequence_lengths(workload)), "lengths.size");
  workload.lengths = {3, 0, 7};
  EXPECT_DEATH(static_cast<void>(sequence_lengths(workload)), "accumulate");
  workload.lengths = {-1, 4, 8};
  EXPECT_DEATH(static_cast<void>(sequence_lengths(workload)), "all_of");
}

TEST(GdnPrefillLengths, DerivedOnesFillTheTokensWithOneLongSequence) {
  for (const auto& [tokens, sequences] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {134, 1}, {5709, 2}, {4124, 15}, {8192, 57}, {8192, 20}, {57, 57}}) {
    for (const char* uuid : {"a", "b", "c"}) {
      const auto lengths = sequence_lengths(without_lengths(tokens, sequences, uuid));
      ASSERT_EQ(lengths.size(), static_cast<std::size_t>(sequences));
      EXPECT_EQ(sum(lengths), tokens);
      EXPECT_GE(*std::ranges::min_element(lengths), 1);
      if (tokens > 100 * sequences) {
        EXPECT_GE(*std::ranges::max_element(lengths), tokens * 3 / 10);
      }
    }
  }
}

TEST(GdnPrefillLengths, FewerTokensThanSequencesLeaveSomeEmpty) {
  EXPECT_THAT(sequence_lengths(without_lengths(2, 4, "u")), testing::ElementsAre(1, 1, 0, 0));
}

TEST(GdnPrefillLengths, DerivedOnesFollowFromTheUuid) {
  const auto first = sequence_lengths(without_lengths(8192, 40, "a"));
  EXPECT_EQ(sequence_lengths(without_lengths(8192, 40, "a")), first);
  EXPECT_NE(sequence_lengths(without_lengths(8192, 40, "b")), first);
}

TEST(GdnPrefillLengths, CumulativeStartsAtZero) {
  EXPECT_THAT(cumulative(std::vector<std::int64_t>{}), testing::ElementsAre(0));
  EXPECT_THAT(cumulative(std::vector<std::int64_t>{2, 0, 5}), testing::ElementsAre(0, 2, 2, 7));
}

using Drawn = std::vector<std::vector<std::int64_t>>;

Drawn draw_many(LengthPlan plan, std::uint64_t most_sequences, std::uint64_t most_tokens) {
  Drawn drawn;
  base::Philox random(3, static_cast<std::uint64_t>(plan));
  for (int i = 0; i < 100; ++i) {
    drawn.push_back(draw_lengths(plan, random, most_sequences, most_tokens));
  }
  return drawn;
}

constexpr auto kPlans = {LengthPlan::empty_and_single, LengthPlan::tile_edges, LengthPlan::one_long,
                         LengthPlan::several,          LengthPlan::chains,     LengthPlan::many};

TEST(GdnPrefillLengths, EveryPlanKeepsToWhatMayBe) {
  for (const LengthPlan plan : kPlans) {
    for (const auto& [sequences, tokens] :
         std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}, {2, 1}, {1, 300}, {9, 2}, {16, 500}}) {
      for (const auto& lengths : draw_many(plan, sequences, tokens)) {
        ASSERT_GE(lengths.size(), 1U);
        ASSERT_LE(lengths.size(), sequences);
        ASSERT_GE(*std::ranges::min_element(lengths), 0);
        ASSERT_GE(sum(lengths), 1);
        ASSERT_LE(sum(lengths), static_cast<std::int64_t>(tokens));
      }
    }
  }
}

TEST(GdnPrefillLengths, PlansAreWhatTheirNamesSay) {
  for (const auto& lengths : draw_many(LengthPlan::empty_and_single, 16, 1000)) {
    EXPECT_GE(std::ranges::count(lengths, 0), 1);
    EXPECT_LE(*std::ranges::max_element(lengths), 3);
  }
  std::set<std::int64_t> edges;
  for (const auto& lengths : draw_many(LengthPlan::tile_edges, 16, 10'000)) {
    edges.insert(lengths.begin(), lengths.end());
  }
  EXPECT_THAT(edges, testing::ElementsAre(15, 17, 31, 33, 63, 64, 65, 127, 128, 129));
  for (const auto& lengths : draw_many(LengthPlan::one_long, 16, 1000)) {
    EXPECT_EQ(std::ranges::count_if(lengths, [](std::int64_t length) { return length > 8; }), 1);
    EXPECT_GE(*std::ranges::max_element(lengths), 400);
  }
  for (const auto& lengths : draw_many(LengthPlan::chains, 16, 1000)) {
    EXPECT_GE(lengths[0], 750);
  }
  for (const auto& lengths : draw_many(LengthPlan::many, 16, 1000)) {
    EXPECT_EQ(lengths.size(), 16U);
    EXPECT_LE(*std::ranges::max_element(lengths), 5);
  }
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
