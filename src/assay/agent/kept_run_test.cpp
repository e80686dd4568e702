#include <assay/agent/kept_run.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace assay::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KeptRunTest : public ::testing::Test {
 protected:
  os::TemporaryDirectory home_ = os::TemporaryDirectory::create(::testing::TempDir(), "assay-kept-").value();
  KeptRun kept_{home_.path() / "folders", "c-run-3"};
};

TEST_F(KeptRunTest, IsNotBegunUntilItSaysSo) {
  EXPECT_FALSE(kept_.begun());
  ASSERT_TRUE(kept_.create());
  EXPECT_FALSE(kept_.begun());
  EXPECT_FALSE(kept_.ending().value());
  ASSERT_TRUE(kept_.begin());
  EXPECT_TRUE(kept_.begun());
  EXPECT_FALSE(kept_.ending().value());
  ASSERT_TRUE(kept_.create());
  EXPECT_FALSE(kept_.begun()) << "made anew";
}

TEST_F(KeptRunTest, NobodyElseMayEnterIt) {
  ASSERT_TRUE(kept_.create());
  const auto allowed = std::filesystem::status(kept_.work().parent_path()).permissions();
  EXPECT_EQ(allowed, std::filesystem::perms::owner_all);
}

TEST_F(KeptRunTest, KeepsAllOfAnEnding) {
  ASSERT_TRUE(kept_.create());
  const RunEnding ending{"c-run-3",
                         RunOutcome::limit_reached,
                         "five turns",
                         "s-1",
                         "m-1",
                         {Certainty::at_least, {{1, 2, 3, 4, 5}, 0.1 + 0.2}},
                         std::chrono::nanoseconds(123'456'789)};
  ASSERT_TRUE(kept_.keep(ending));
  const auto read = kept_.ending();
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_TRUE(*read);
  EXPECT_EQ((*read)->outcome, ending.outcome);
  EXPECT_EQ((*read)->cause, ending.cause);
  EXPECT_EQ((*read)->session, ending.session);
  EXPECT_EQ((*read)->model, ending.model);
  EXPECT_EQ((*read)->spend, ending.spend);
  EXPECT_EQ((*read)->wall, ending.wall);
}

TEST_F(KeptRunTest, DollarsThatNobodyToldStayAbsent) {
  ASSERT_TRUE(kept_.create());
  RunEnding ending;
  ending.id = "c-run-3";
  ASSERT_TRUE(kept_.keep(ending));
  EXPECT_FALSE((*kept_.ending().value()).spend.usage.dollars);
}

TEST_F(KeptRunTest, WhatIsDamagedOrOfAnotherRunIsRefused) {
  ASSERT_TRUE(kept_.create());
  RunEnding ending;
  ending.id = "other-run-3";
  ASSERT_TRUE(kept_.keep(ending));
  EXPECT_THAT(kept_.ending().error().message, HasSubstr("other-run-3"));
  ASSERT_TRUE(os::write_file_atomic(home_.path() / "folders/c-run-3/run.json", "{\"version\":1"));
  EXPECT_THAT(kept_.ending().error().text(), HasSubstr("run.json"));
}

TEST_F(KeptRunTest, OnlyEarlierRunsOfTheCampaignAreRemoved) {
  const os::Path folders = home_.path() / "folders";
  for (const char* name : {"c-run-1", "c-run-2", "c-run-10", "c-run-x", "c-run-2-run-1", "d-run-1"}) {
    ASSERT_TRUE(os::create_directories(folders / name));
  }
  ASSERT_TRUE(remove_kept_before(folders, "c-run-10", {{"c-run-2", std::nullopt}}));
  EXPECT_THAT(os::list_directory(folders).value(),
              ElementsAre("c-run-10", "c-run-2", "c-run-2-run-1", "c-run-x", "d-run-1"));
  EXPECT_TRUE(remove_kept_before(home_.path() / "nowhere", "c-run-10", {}));
}

}  // namespace
}  // namespace assay::agent
