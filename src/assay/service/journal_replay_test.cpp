#include <assay/service/journal_replay.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/archive.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;

class JournalReplayTest : public testing::Test {
 protected:
  JournalReplayTest() {
    world_.add_tunable("tunable");
    CampaignOptions options;
    options.name = "tune";
    options.tunable = "tunable";
    options.rounds = 1;
    options.candidates_per_round = 4;
    EXPECT_TRUE(run_campaign(world_.context(), options, {}));
  }

  rehearsal::World world_;
};

// On a device that is not simulated: what the campaign's clock said is taken, what the judge's said is recomputed.
TEST_F(JournalReplayTest, NeedsTheArchiveAloneAndAsksNobody) {
  ASSERT_TRUE(os::remove_tree(world_.context().places.dataset));
  const std::size_t requests = world_.record().requests.size();
  const auto replay = replay_journal(world_.context(), "tune");
  ASSERT_TRUE(replay) << replay.error().text();
  ASSERT_FALSE(replay->difference) << replay->difference->why << replay->difference->other
                                   << replay->difference->recorded;
  EXPECT_GT(replay->events, 8);
  EXPECT_EQ(world_.record().requests.size(), requests);
}

TEST_F(JournalReplayTest, AnotherPolicyIsNamedOrAFile) {
  const auto same = replay_under_policy(world_.context(), "tune", "quick");
  ASSERT_TRUE(same) << same.error().text();
  EXPECT_EQ(same->policy, "quick");
  EXPECT_EQ(same->incumbent, same->recorded_incumbent);
  EXPECT_FALSE(replay_under_policy(world_.context(), "tune", "nonsense"));
}

TEST_F(JournalReplayTest, WithoutSuchACampaignOrAnArchiveItSaysSo) {
  EXPECT_EQ(replay_journal(world_.context(), "tone").error().owner, base::Owner::input);
  ASSERT_TRUE(os::remove_tree(world_.context().places.archive));
  EXPECT_EQ(replay_journal(world_.context(), "tune").error().owner, base::Owner::input);
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

}  // namespace
}  // namespace assay::service
