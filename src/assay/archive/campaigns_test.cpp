#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/archive.hpp>
#include <assay/archive/sample_bundle.hpp>

namespace assay::archive {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class CampaignsTest : public testing::Test {
 protected:
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "campaigns-").value();
  os::Path root_ = folder_.path() / "archive";
  Archive archive_ = Archive::open_writer(root_).value();
};

TEST_F(CampaignsTest, ACampaignComesBackAsItWas) {
  ASSERT_TRUE(archive_.create_campaign({"night run", "scale", R"({"budget": 24})", "2026-11-29T17:39:39Z"}));
  const auto found = archive_.campaign("night run");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->definition, "scale");
  EXPECT_EQ((*found)->configuration, R"({"budget": 24})");
  EXPECT_EQ((*found)->created, "2026-11-29T17:39:39Z");
  EXPECT_FALSE(archive_.campaign("other")->has_value());
}

TEST_F(CampaignsTest, WithoutADateItIsCreatedNow) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
  EXPECT_THAT((*archive_.campaign("c"))->created, testing::EndsWith("Z"));
}

TEST_F(CampaignsTest, CampaignsAreListedInTheirOrder) {
  for (const char* name : {"z", "a", "m"}) {
    ASSERT_TRUE(archive_.create_campaign({name, "scale", "{}", ""}));
  }
  std::vector<std::string> names;
  const auto campaigns = archive_.campaigns().value();
  for (const Campaign& campaign : campaigns) {
    names.push_back(campaign.name);
  }
  EXPECT_THAT(names, testing::ElementsAre("z", "a", "m"));
}

TEST_F(CampaignsTest, ANameIsTakenOnce) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", R"({"first": 1})", ""}));
  const auto again = archive_.create_campaign({"c", "scale", "{}", ""});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().owner, base::Owner::input);
  EXPECT_THAT(again.error().text(), HasSubstr("assay campaign resume"));
  EXPECT_EQ((*archive_.campaign("c"))->configuration, R"({"first": 1})");
}

TEST_F(CampaignsTest, ANameMustBeUsableAndAConfigurationJson) {
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("a\x1b[2J"), std::string(" a"),
                                  std::string(201, 'a'), std::string("\xff")}) {
    EXPECT_EQ(archive_.create_campaign({name, "scale", "{}", ""}).error().code, "campaign.name") << name;
  }
  for (const char* configuration : {"", "[]", "{", "nonsense"}) {
    EXPECT_EQ(archive_.create_campaign({"c", "scale", configuration, ""}).error().owner, base::Owner::internal);
  }
  EXPECT_THAT(archive_.campaigns().value(), IsEmpty());
}

TEST_F(CampaignsTest, EventsAreNumberedFromOneInEachCampaign) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
  ASSERT_TRUE(archive_.create_campaign({"d", "scale", "{}", ""}));
  ASSERT_TRUE(archive_.append({"c", 0, {{"begun", R"({"a":1})"}, {"proposed", R"({"b":2})"}}}));
  ASSERT_TRUE(archive_.append({"d", 0, {{"begun", "{}"}}}));
  ASSERT_TRUE(archive_.append({"c", 2, {{"evaluated", R"({"c":3})"}}}));
  const auto events = archive_.events("c").value();
  ASSERT_EQ(events.size(), 3U);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i) + 1);
    EXPECT_THAT(events[i].at, testing::EndsWith("Z"));
  }
  EXPECT_EQ(events[2].kind, "evaluated");
  EXPECT_EQ(events[2].body, R"({"c":3})");
  EXPECT_EQ(archive_.events("d")->size(), 1U);
}

TEST_F(CampaignsTest, AWriterWithAStalePositionIsRefused) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
  ASSERT_TRUE(archive_.append({"c", 0, {{"a", "{}"}, {"b", "{}"}}}));
  for (const std::int64_t after : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{-1}}) {
    const auto refused = archive_.append({"c", after, {{"x", "{}"}}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "archive.moved");
    EXPECT_THAT(refused.error().text(), HasSubstr("entry 2"));
  }
  EXPECT_EQ(archive_.events("c")->size(), 2U);
}

TEST_F(CampaignsTest, AnAppendLandsWhollyOrNotAtAll) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
  EXPECT_FALSE(archive_.append({"c", 0, {{"good", "{}"}, {"bad", "nonsense"}}}));
  EXPECT_FALSE(archive_.append({"c", 0, {{"good", "{}"}, {"", "{}"}}}));
  EXPECT_THAT(archive_.events("c").value(), IsEmpty());
  EXPECT_TRUE(archive_.append({"c", 0, {}}));
}

TEST_F(CampaignsTest, AnUnknownCampaignIsNamedWithTheNearest) {
  EXPECT_THAT(archive_.events("nite-run").error().text(), HasSubstr("assay campaign run"));
  ASSERT_TRUE(archive_.create_campaign({"night-run", "scale", "{}", ""}));
  for (const auto& error : {archive_.events("nigt-run").error(), archive_.append({"nigt-run", 0, {}}).error()}) {
    EXPECT_EQ(error.owner, base::Owner::input);
    EXPECT_EQ(error.code, "campaign.not_found");
    EXPECT_THAT(error.text(), HasSubstr("night-run"));
  }
}

TEST_F(CampaignsTest, ANewCampaignHasAnEmptyJournal) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
  EXPECT_THAT(archive_.events("c").value(), IsEmpty());
}

}  // namespace
}  // namespace assay::archive
