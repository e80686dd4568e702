#include <assay/certify/chain.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/certify/sample_certificate.hpp>

namespace assay::certify {
namespace {

using control::testing::must;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ChainTest : public ::testing::Test {
 protected:
  ChainTest() {
    testing::run_beside_another(laboratory_);
    chain_ = must(laboratory_.archive().decisions());
    evidence_ = must(read_evidence(testing::sample_files()));
  }
  control::testing::Laboratory laboratory_{testing::sample_configuration()};
  std::vector<archive::ChainedDecision> chain_;
  Evidence evidence_;
};

TEST_F(ChainTest, BeginsWithTheSweepAndHoldsWhatLiesBetween) {
  // The archive has links 1 to 3 of the first promotion and 4 to 7 of the second: sweep, another's, promotion, confirmation.
  ASSERT_THAT(chain_, SizeIs(7));
  const auto links = must(choose_links(chain_, evidence_));
  ASSERT_THAT(links, SizeIs(4));
  EXPECT_EQ(links[0].number, 4);
  EXPECT_TRUE(links[0].own);
  EXPECT_FALSE(links[1].own);
  EXPECT_EQ(links[1].record, chain_[4].record);
  EXPECT_TRUE(links[3].own);
}

TEST_F(ChainTest, GivesAwayNothingOfAnotherCampaign) {
  const base::Json json = derive_chain(must(choose_links(chain_, evidence_)), evidence_);
  EXPECT_EQ(json[1].size(), 4U);
  EXPECT_FALSE(json[1].contains("campaign"));
  EXPECT_EQ(json[0]["kind"], "candidate_swept");
  EXPECT_EQ(json[2]["kind"], "candidate_promoted");
  EXPECT_TRUE(json[2]["evidence"].is_null());
}

TEST_F(ChainTest, ComesBackFromTheCertificate) {
  const auto given = base::parse_json(testing::sample_files().at("certificate.json"), "c").value()["chain"];
  const auto links = must(decode_links(given, "chain"));
  EXPECT_EQ(derive_chain(links, evidence_), given);
}

TEST_F(ChainTest, ADecisionThatIsInNoLinkIsADamagedArchive) {
  chain_.erase(chain_.begin() + 5);
  const auto links = choose_links(chain_, evidence_);
  ASSERT_FALSE(links);
  EXPECT_EQ(links.error().owner, base::Owner::environment);
  EXPECT_THAT(links.error().message, HasSubstr("1 of its decisions"));
}

TEST_F(ChainTest, WhatIsLeftOutIsDerivedAllTheSame) {
  auto links = must(choose_links(chain_, evidence_));
  links.pop_back();
  const base::Json json = derive_chain(links, evidence_);
  ASSERT_THAT(json, SizeIs(4));
  EXPECT_EQ(json[3]["kind"], "campaign_confirmed");
  EXPECT_EQ(json[3]["number"], 7);
}

TEST_F(ChainTest, WhatIsNoChainIsRefusedWithThePlace) {
  const base::Json good = derive_chain(must(choose_links(chain_, evidence_)), evidence_);
  const auto failure = [&](const std::function<void(base::Json&)>& change) {
    base::Json json = good;
    change(json);
    const auto links = decode_links(json, "c");
    return links ? std::string("none") : links.error().text();
  };
  EXPECT_THAT(failure([](base::Json& json) { json = nullptr; }), HasSubstr("c: "));
  EXPECT_THAT(failure([](base::Json& json) { json = base::Json::array(); }), HasSubstr("c: "));
  EXPECT_THAT(failure([](base::Json& json) { json[0].erase("record"); }), HasSubstr("/0/record"));
  EXPECT_THAT(failure([](base::Json& json) { json[1]["predecessor"] = "00"; }), HasSubstr("/1/predecessor"));
  EXPECT_THAT(failure([](base::Json& json) { json[2]["chained"] = "somehow"; }), HasSubstr("/2/chained"));
  EXPECT_THAT(failure([](base::Json& json) { json[2]["evidence"] = 3; }), HasSubstr("/2/evidence"));
  EXPECT_THAT(failure([](base::Json& json) { json[3]["number"] = 0; }), HasSubstr("/3/number"));
}

}  // namespace
}  // namespace assay::certify
