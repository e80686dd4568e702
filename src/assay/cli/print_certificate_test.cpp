#include <assay/cli/print_certificate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

certify::Verification verification() {
  certify::Verification made;
  made.campaign = "tune";
  made.status = "not_confirmed";
  made.candidate = 3;
  made.name = "block_size\x1b[2J";
  made.promoted_by = "Ada";
  made.files = 14;
  made.samples = 96;
  return made;
}

TEST(PrintCertificate, SaysWhatHoldsAndWhatWasRecomputed) {
  const std::string text = print_verification(verification());
  EXPECT_THAT(text, StartsWith("holds: "));
  EXPECT_THAT(text, HasSubstr("campaign tune: candidate 3 (block_size"));
  EXPECT_THAT(text, HasSubstr("promoted by Ada; not confirmed\n  14 files, 96 raw samples\n  sha256 0000"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(PrintCertificate, SaysHowOthersCheckIt) {
  const std::string text = print_certificate(verification(), "proof");
  EXPECT_THAT(text, StartsWith("certificate: proof\n"));
  EXPECT_THAT(text, HasSubstr("check it with: assay verify-certificate proof\n"));
}

TEST(PrintCertificate, ListsDifferencesUpToALimit) {
  certify::Verification refused = verification();
  refused.differences.push_back({"sweep/samples.json", "has SHA-256 a, and the certificate says b"});
  EXPECT_EQ(print_verification(refused),
            "REFUSED: 1 difference\n  sweep/samples.json: has SHA-256 a, and the certificate says b\n");
  refused.differences.resize(25, {"/x", "y"});
  const std::string text = print_verification(refused);
  EXPECT_THAT(text, StartsWith("REFUSED: 25 differences\n"));
  EXPECT_THAT(text, HasSubstr("and 5 more"));
  EXPECT_THAT(text, Not(HasSubstr("holds")));
}

}  // namespace
}  // namespace assay::cli
