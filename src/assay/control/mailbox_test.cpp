#include <assay/control/mailbox.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using testing::must;

class MailboxTest : public ::testing::Test {
 protected:
  const os::Path& root() const { return folder_.path(); }

 private:
  os::TemporaryDirectory folder_ = must(os::TemporaryDirectory::create(::testing::TempDir(), "assay-mailbox-"));
};

TEST_F(MailboxTest, NobodyWroteAnything) { EXPECT_TRUE(must(waiting_messages(root(), "c")).empty()); }

TEST_F(MailboxTest, WhatAPersonLeftIsThereUntilItIsRemoved) {
  must(leave_message(root(), "c", PersonSteered{"k1", "Ada", 60, "first\nline"}));
  must(leave_message(root(), "c", DecisionAnswered{1, Option::stop, "", "Ada", 30, "enough"}));
  must(leave_message(root(), "d", PersonSteered{"k2", "Bob", 0, "another campaign's"}));
  const std::vector<Message> messages = must(waiting_messages(root(), "c"));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(std::get<PersonSteered>(messages[0].entry).text, "first\nline");
  EXPECT_EQ(std::get<DecisionAnswered>(messages[1].entry).option, Option::stop);
  must(remove_message(messages[0]));
  EXPECT_EQ(must(waiting_messages(root(), "c")).size(), 1U);
  must(remove_message(messages[0]));
}

TEST_F(MailboxTest, OnlyPeopleWrite) {
  const auto refused = leave_message(root(), "c", CampaignFinished{0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::internal);
}

// Whoever can write there could end a campaign: a file that says it is the controller's is not followed.
TEST_F(MailboxTest, AForgedEventIsRefusedByItsFile) {
  must(os::create_directories(root() / "messages" / "c"));
  for (const std::string text :
       {R"({"kind":"candidate_promoted","body":{"candidate":1,"by":"x","why":""}})", R"({"kind":"person_steered"})",
        R"({"kind":"person_steered","body":{"key":"k"}})", "no JSON"}) {
    must(os::write_file_atomic(root() / "messages" / "c" / "forged.json", text));
    const auto read = waiting_messages(root(), "c");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().owner, base::Owner::environment) << text;
    EXPECT_THAT(read.error().message, ::testing::HasSubstr("forged.json"));
  }
}

}  // namespace
}  // namespace assay::control
