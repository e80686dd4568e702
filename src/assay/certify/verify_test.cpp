#include <assay/certify/verify.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/certify/chain.hpp>
#include <assay/certify/collect.hpp>
#include <assay/certify/derive.hpp>
#include <assay/certify/page.hpp>
#include <assay/certify/sample_certificate.hpp>

namespace assay::certify {
namespace {

using ::testing::AllOf;
using testing::edit;
using testing::forge_digests;
using ::testing::HasSubstr;
using testing::refusal;
using testing::sample_files;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kDocument(kCertificateFile);

TEST(Verify, SaysWhatItRecomputed) {
  const auto verification = verify(sample_files());
  ASSERT_TRUE(verification) << verification.error().text();
  EXPECT_TRUE(verification->holds());
  EXPECT_EQ(verification->files, sample_files().size());
  EXPECT_GT(verification->samples, 40U);
  EXPECT_EQ(verification->campaign, "scale-search");
  EXPECT_EQ(verification->name, "blocked@2-2");
  EXPECT_EQ(verification->promoted_by, "policy shared");
  EXPECT_EQ(verification->status, "confirmed");
  EXPECT_THAT(verification->links, SizeIs(4));
  EXPECT_EQ(verification->digest, base::sha256(sample_files().at(kDocument)));
  const base::Json json = encode(*verification);
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["differences"], base::Json::array());
  EXPECT_EQ(json["candidate"], verification->candidate);
}

TEST(Verify, WhatIsNoCertificateIsAnErrorOfTheInput) {
  Files files = sample_files();
  files.erase(kDocument);
  EXPECT_EQ(verify(files).error().code, "certificate.not_found");
  for (const char* text : {"", "{", "[]", "{}", R"({"version": "1"})", R"({"version": 3})"}) {
    files[kDocument] = text;
    const auto verification = verify(files);
    ASSERT_FALSE(verification) << text;
    EXPECT_EQ(verification.error().owner, base::Owner::input) << text;
  }
  EXPECT_THAT(verify(files).error().message, AllOf(HasSubstr("is 3"), HasSubstr("this Assay reads 1 and 2")));
}

TEST(Verify, AnEmptyCertificateHasEveryFieldMissing) {
  Files files = sample_files();
  files[kDocument] = R"({"version": 1})";
  EXPECT_THAT(refusal(files),
              AllOf(HasSubstr("/candidate: is missing"), HasSubstr("/chain"), HasSubstr("/policy: is missing")));
}

TEST(Verify, AFileWithoutANameIsRefusedByItsPlace) {
  Files files = sample_files();
  edit(files, kDocument, [](base::Json& certificate) { certificate["artefacts"][0]["path"] = ""; });
  const auto verification = verify(files);
  ASSERT_TRUE(verification) << verification.error().text();
  for (const Difference& one : verification->differences) {
    EXPECT_NE(one.place, "") << one.what;
  }
  EXPECT_THAT(refusal(files), HasSubstr("/artefacts/0/path: is \"\", and the evidence gives \"configuration.json\""));
}

TEST(Verify, OtherWritingOfTheSameIsRefused) {
  Files files = sample_files();
  files[kDocument].insert(1, " ");
  EXPECT_THAT(refusal(files), HasSubstr("certificate.json: says the right things and is not written as Assay writes "
                                        "it, from byte 1 on"));
}

TEST(Verify, APageThatSaysOtherwiseIsRefusedByItsLine) {
  Files files = sample_files();
  std::string& page = files[std::string(kPageFile)];
  const std::size_t at = page.find("times as fast");
  ASSERT_NE(at, std::string::npos);
  page.replace(at, 5, "TIMES");
  EXPECT_THAT(refusal(files),
              StartsWith("certificate.md: differs from what the certificate gives, from byte " + std::to_string(at)));
}

// Whoever edits a sample and mends all digests of files still has the journal, the chain and the decision against them.
TEST(Verify, AForgedSampleIsSeenThoughTheDigestsOfFilesFitIt) {
  Files files = sample_files();
  edit(files, "sweep/samples.json", [](base::Json& samples) {
    for (std::size_t i = 0; i < samples["elapsed_ns"].size(); ++i) {
      if (samples["side"].get<std::string>()[i] == 'c') {
        samples["elapsed_ns"][i] = samples["elapsed_ns"][i].get<std::int64_t>() * 9 / 10;
      }
    }
  });
  forge_digests(files, "sweep");
  EXPECT_THAT(refusal(files), AllOf(HasSubstr("sweep/samples.json: the samples of process pair 0"),
                                    HasSubstr("the judge and its own samples disagree")));
}

// Even if the judge's words are mended as well.
TEST(Verify, AForgedEvaluationIsSeenByTheJournalAndTheChain) {
  Files files = sample_files();
  edit(files, "sweep/evaluation.json", [](base::Json& evaluation) { evaluation["environment"]["cpu"] = "faster"; });
  forge_digests(files, "sweep");
  EXPECT_THAT(refusal(files), AllOf(HasSubstr("/sweep/environment/cpu: is \"a test's\", and the evidence gives "
                                              "\"faster\""),
                                    HasSubstr("/sweep/manifest"), HasSubstr("/chain/0/evidence")));
}

TEST(Verify, AnotherApproverIsSeenByTheChain) {
  Files files = sample_files();
  std::string& journal = files[std::string(kJournalFile)];
  const std::string by = R"("by":"policy shared")";
  const std::size_t at = journal.rfind(by);
  ASSERT_NE(at, std::string::npos);
  journal.replace(at, by.size(), R"("by":"Ada Lovelace")");
  forge_digests(files, "journal");
  EXPECT_THAT(refusal(files), AllOf(HasSubstr("/promotion/by: is \"policy shared\", and the evidence gives \"Ada "
                                              "Lovelace\""),
                                    HasSubstr("/chain/2/journal"), HasSubstr("/chain/2/digest")));
}

TEST(Verify, AWeakerPolicyIsSeen) {
  Files files = sample_files();
  edit(files, std::string(kConfigurationFile),
       [](base::Json& configuration) { configuration["policy"]["sweep"]["alpha"] = 0.5; });
  forge_digests(files, "configuration");
  EXPECT_THAT(refusal(files), AllOf(HasSubstr("sweep/request.json: /plan"), HasSubstr("/policy/contract/sweep/alpha"),
                                    HasSubstr("/chain/0/configuration")));
}

// As an Assay of before wrote it, from the same evidence.
Files of_first_version() {
  Files files = sample_files();
  const base::Json now = base::parse_json(files.at(std::string(kCertificateFile)), "now").value();
  const auto derived = derive(read_evidence(files).value(), files, decode_links(now["chain"], "chain").value(),
                              kFirstCertificateVersion);
  const base::Json certificate = rounded(derived.value());
  const std::string text = base::dump_pretty(certificate) + "\n";
  files[std::string(kCertificateFile)] = text;
  files[std::string(kPageFile)] = render_page(certificate, base::sha256(text));
  return files;
}

TEST(Verify, ACertificateOfTheFirstVersionStillHoldsAndIsNoneOfTheSecond) {
  Files files = of_first_version();
  EXPECT_EQ(refusal(files), "");
  EXPECT_THAT(files.at(std::string(kPageFile)), HasSubstr("checked calls of the candidate (and "));
  EXPECT_THAT(sample_files().at(std::string(kPageFile)), HasSubstr("checked calls of the candidate on new inputs"));
  edit(files, std::string(kCertificateFile), [](base::Json& certificate) { certificate["version"] = 2; });
  EXPECT_THAT(refusal(files), HasSubstr("/sweep/correctness/strata/0"));
}

TEST(Verify, AForgeryOfEverythingIsSeenOnlyByASecondCopyOfTheChain) {
  control::testing::Laboratory laboratory(testing::sample_configuration());
  testing::run_beside_another(laboratory);
  const auto chain = laboratory.archive().decisions().value();
  const Files files = collect(laboratory.archive(), "scale-search", std::nullopt).value();
  const Verification certificate = verify(files).value();
  EXPECT_THAT(chain_differences(certificate, chain), SizeIs(0));
  // Another run of the same campaign is another archive: its chain has other times of day.
  auto other = chain;
  other.back().digest = base::sha256("other");
  const auto found = chain_differences(certificate, other);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].place, "/chain/3/digest");
  EXPECT_THAT(found[0].what, HasSubstr(other.back().digest.hex()));
  other.pop_back();
  EXPECT_THAT(chain_differences(certificate, other)[0].what, HasSubstr("has none of that number"));
}

}  // namespace
}  // namespace assay::certify
