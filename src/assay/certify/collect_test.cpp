#include <assay/certify/collect.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/archive/sample_bundle.hpp>
#include <assay/certify/sample_certificate.hpp>
#include <assay/control/campaign.hpp>

namespace assay::certify {
namespace {

using control::testing::Laboratory;
using control::testing::must;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

base::Json certificate_of(const Files& files) {
  return must(base::parse_json(files.at(std::string(kCertificateFile)), "certificate"));
}

TEST(Collect, TakesTheLastPromotionWithItsConfirmation) {
  const Files& files = testing::sample_files();
  for (const char* path : {"certificate.json", "certificate.md", "configuration.json", "journal.jsonl",
                           "sweep/manifest.json", "sweep/request.json", "sweep/evaluation.json", "sweep/samples.json",
                           "sweep/candidate-build.log", "confirmation/samples.json"}) {
    EXPECT_THAT(files, Contains(Key(path)));
  }
  const base::Json json = certificate_of(files);
  EXPECT_EQ(json["status"], "confirmed");
  EXPECT_EQ(json["promotion"]["by"], "policy shared");
  EXPECT_EQ(json["incumbent"]["number"], 1);
  EXPECT_EQ(json["incumbent"]["name"], "a|b");
  EXPECT_EQ(json["baseline"]["name"], "plain");
  EXPECT_EQ(json["hypotheses"]["shared_by"], "e-LOND");
  EXPECT_EQ(json["artefacts"].size(), files.size() - 2);
  EXPECT_EQ(json["policy"]["contract"]["name"], "shared");
  EXPECT_EQ(json["sweep"]["environment"]["cpu"], "a test's");
}

TEST(Collect, GivesTheSameBytesEachTime) {
  Laboratory laboratory(testing::sample_configuration());
  testing::run_beside_another(laboratory);
  const Files first = must(collect(laboratory.archive(), "scale-search", std::nullopt));
  EXPECT_EQ(must(collect(laboratory.archive(), "scale-search", std::nullopt)), first);
  const int number = certificate_of(first)["candidate"]["number"].get<int>();
  EXPECT_EQ(must(collect(laboratory.archive(), "scale-search", number)), first);
}

TEST(Collect, AnEarlierPromotionIsCertifiedAsItStoodThen) {
  Laboratory laboratory(testing::sample_configuration());
  testing::run_beside_another(laboratory);
  const Files files = must(collect(laboratory.archive(), "scale-search", 1));
  EXPECT_EQ(testing::refusal(files), "");
  EXPECT_THAT(files, Not(Contains(Key("confirmation/samples.json"))));
  const base::Json json = certificate_of(files);
  EXPECT_EQ(json["status"], "unconfirmed");
  EXPECT_TRUE(json["confirmation"].is_null());
  EXPECT_EQ(json["candidate"]["name"], "a|b");
  EXPECT_EQ(json["incumbent"]["number"], 0);
  EXPECT_EQ(json["chain"][0]["predecessor"], std::string(64, '0'));
}

TEST(Collect, NamesThePersonWhoApproved) {
  control::CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.approval = promote::Approval::person;
  Laboratory laboratory(configuration);
  must(laboratory.run());
  EXPECT_EQ(collect(laboratory.archive(), "scale-search", std::nullopt).error().code, "certificate.nothing_promoted")
      << "nobody has said yes";
  must(control::approve(laboratory.archive(), "scale-search", true, "Ada", "read the source"));
  const base::Json promotion =
      certificate_of(must(collect(laboratory.archive(), "scale-search", std::nullopt)))["promotion"];
  EXPECT_EQ(promotion["by"], "Ada");
  EXPECT_EQ(promotion["why"], "read the source");
  EXPECT_EQ(promotion["approval"], "person");
  EXPECT_THAT(promotion["at"].get<std::string>(), ::testing::EndsWith("Z"));
}

TEST(Collect, ASweepThatPromotedNothingStaysInTheChain) {
  // After the promotion another candidate, as fast but for what the gate cannot tell, fails in its sweep.
  control::CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied = {control::testing::sample_solution("a", "a\n// speed: 0.5\n"),
                            control::testing::sample_solution("b", "b\n// speed: 0.5006\n// sweep: incorrect\n")};
  configuration.rounds = 0;
  configuration.policy.sweeps_per_round = 2;
  Laboratory laboratory(configuration);
  must(laboratory.run());
  const Files files = must(collect(laboratory.archive(), "scale-search", std::nullopt));
  const base::Json json = certificate_of(files);
  ASSERT_EQ(json["hypotheses"]["tested"].size(), 2U);
  EXPECT_EQ(json["hypotheses"]["tested"][1]["verdict"], "keep_incumbent");
  ASSERT_EQ(json["chain"].size(), 4U);
  EXPECT_EQ(json["chain"][2]["kind"], "candidate_swept");
  EXPECT_TRUE(json["chain"][2]["evidence"].is_string()) << "its bundle stays in the archive, its manifest is named";
  Files edited = files;
  testing::edit(edited, "certificate.json",
                [](base::Json& one) { one["chain"][2]["evidence"] = std::string(64, 'a'); });
  EXPECT_THAT(testing::refusal(edited), HasSubstr("/chain/2/record"));
}

// Two promotions, of which a confirmation takes back the second; `first` is said of the first, to the fake judge.
control::CampaignConfiguration demoting_configuration(const std::string& first) {
  control::CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied = {control::testing::sample_solution("a", "a\n// speed: 0.9\n" + first)};
  configuration.tunable = control::testing::sample_solution("b", "b\n// confirm: incorrect\n");
  configuration.tunable->tuning = task::Tuning{{{"BLOCK", {4}}, {"UNROLL", {2}}}, {}};
  return configuration;
}

TEST(Collect, AfterADemotionTheIncumbentBeforeIsConfirmedAndTheDemotedOneIsNot) {
  Laboratory laboratory(demoting_configuration(""));
  const control::CampaignState state = must(laboratory.run());
  ASSERT_EQ(state.incumbent, 1);
  ASSERT_TRUE(state.candidate(2).demotion);
  const Files first = must(collect(laboratory.archive(), "scale-search", 1));
  EXPECT_EQ(testing::refusal(first), "");
  base::Json json = certificate_of(first);
  EXPECT_EQ(json["status"], "confirmed");
  EXPECT_EQ(json["candidate"]["name"], "a");
  EXPECT_EQ(json["promotion"]["by"], "policy shared");
  EXPECT_EQ(json["confirmation"]["candidate"], 1);
  EXPECT_EQ(json["confirmation"]["evaluation"], state.confirmation_evaluation);
  std::vector<std::string> kinds;
  for (const base::Json& link : json["chain"]) {
    kinds.push_back(link["kind"].get<std::string>());
  }
  EXPECT_THAT(kinds,
              ::testing::ElementsAre("candidate_swept", "candidate_promoted", "candidate_swept", "candidate_promoted",
                                     "campaign_confirmed", "candidate_demoted", "campaign_confirmed"))
      << "what came between is in the chain";
  EXPECT_EQ(must(collect(laboratory.archive(), "scale-search", std::nullopt)), first) << "the incumbent is certified";

  const Files second = must(collect(laboratory.archive(), "scale-search", 2));
  EXPECT_EQ(testing::refusal(second), "");
  json = certificate_of(second);
  EXPECT_EQ(json["status"], "not_confirmed");
  EXPECT_EQ(json["candidate"]["name"], "b@4-2");
  EXPECT_EQ(json["confirmation"]["candidate"], 2);
}

TEST(Collect, WhereAllAreDemotedTheLastPromotionIsCertifiedAsNotConfirmed) {
  Laboratory laboratory(demoting_configuration("// confirm: crashed\n"));
  ASSERT_FALSE(must(laboratory.run()).incumbent);
  const Files last = must(collect(laboratory.archive(), "scale-search", std::nullopt));
  EXPECT_EQ(certificate_of(last)["candidate"]["name"], "b@4-2");
  EXPECT_EQ(certificate_of(last)["status"], "not_confirmed");
  const base::Json first = certificate_of(must(collect(laboratory.archive(), "scale-search", 1)));
  EXPECT_EQ(first["status"], "not_confirmed");
  EXPECT_EQ(first["candidate"]["name"], "a");
}

TEST(Collect, AnotherPromotionsConfirmationIsNotTakenForTheOwn) {
  Laboratory laboratory(demoting_configuration(""));
  must(laboratory.run());
  Files files = must(collect(laboratory.archive(), "scale-search", 1));
  // As if the certificate were of the second: its journal ends with the confirmation of the first.
  testing::edit(files, "certificate.json", [](base::Json& one) { one["candidate"]["number"] = 2; });
  EXPECT_THAT(testing::refusal(files), HasSubstr("/candidate/number: is 2, and the evidence gives 1"));
}

TEST(Collect, WhatWasNotPromotedHasNoCertificate) {
  Laboratory laboratory(testing::sample_configuration());
  EXPECT_EQ(collect(laboratory.archive(), "scale-search", std::nullopt).error().code, "certificate.nothing_promoted");
  must(laboratory.run());
  const auto other = collect(laboratory.archive(), "scale-search", 99);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().owner, base::Owner::input);
  EXPECT_THAT(other.error().message, HasSubstr("candidate 99 of campaign scale-search was not promoted"));
  EXPECT_EQ(collect(laboratory.archive(), "nowhere", std::nullopt).error().code, "campaign.not_found");
}

TEST(Collect, ADamagedArchiveGivesNoCertificate) {
  Laboratory laboratory(testing::sample_configuration());
  must(laboratory.run());
  // Behind the archive's back another person is said to have approved.
  const auto done = archive::open_raw(laboratory.archive().root())
                        .script(R"(UPDATE events SET body = replace(body, 'policy shared', 'Eve')
                                   WHERE kind = 'candidate_promoted')");
  ASSERT_TRUE(done) << done.error().text();
  const auto files = collect(laboratory.archive(), "scale-search", std::nullopt);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().owner, base::Owner::environment);
  EXPECT_THAT(files.error().message, AllOf(HasSubstr("cannot be proved"), HasSubstr("assay archive verify")));
  EXPECT_THAT(must(laboratory.archive().verify()).problems, Contains(HasSubstr("decision 2")));
}

}  // namespace
}  // namespace assay::certify
