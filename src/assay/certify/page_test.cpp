#include <assay/certify/page.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/certify/sample_certificate.hpp>

namespace assay::certify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

base::Json sample() { return base::parse_json(testing::sample_files().at("certificate.json"), "c").value(); }

std::string page_of(const base::Json& json) { return render_page(json, base::sha256("it")); }

TEST(Page, SaysTheSameInWords) {
  const base::Json json = sample();
  const std::string page = page_of(json);
  EXPECT_THAT(page, StartsWith("# Certificate: blocked\\@2-2 for scale\n\nIn campaign scale-search on simulated:7, "));
  EXPECT_THAT(page, AllOf(HasSubstr("took the place of candidate 1 (a\\|b)"), HasSubstr("Promoted by policy shared at"),
                          HasSubstr("Confirmed in a new session against the baseline."),
                          HasSubstr("Confirmation, against the baseline plain: better; 1.3")));
  EXPECT_THAT(page, AllOf(HasSubstr("## Hypotheses tested"), HasSubstr("shared by e-LOND"), HasSubstr("Log e-value"),
                          HasSubstr("95th percentile"), HasSubstr("weakest stratum"), HasSubstr("| cpu | a test's |")));
  EXPECT_THAT(page,
              AllOf(HasSubstr(base::sha256("it").hex()), HasSubstr(json["chain"].back()["digest"].get<std::string>()),
                    HasSubstr("| sweep/samples.json | ")));
}

TEST(Page, SaysPlainlyWhatIsNotConfirmed) {
  base::Json json = sample();
  json["status"] = "not_confirmed";
  EXPECT_THAT(page_of(json), HasSubstr("**Not confirmed**: the new session"));
  json["status"] = "unconfirmed";
  json["confirmation"] = nullptr;
  const std::string page = page_of(json);
  EXPECT_THAT(page, AllOf(HasSubstr("**Not confirmed yet**"), Not(HasSubstr("## Confirmation"))));
}

TEST(Page, ASessionWithoutATestHasNone) {
  base::Json json = sample();
  for (const char* field : {"test", "guards", "correctness", "incumbent_against_itself"}) {
    json["confirmation"][field] = nullptr;
  }
  json["confirmation"]["decision"]["speedup_upper"] = "Infinity";
  EXPECT_THAT(page_of(json), HasSubstr("to inf,"));
}

TEST(Page, SaysWhatIsTooSlowAndWhatIsVoid) {
  base::Json json = sample();
  json["sweep"]["guards"]["workloads"][0]["too_slow"] = true;
  json["sweep"]["guards"]["p95"]["too_slow"] = true;
  json["sweep"]["incumbent_against_itself"] = {{"pair_log_ratios", base::Json::array()},
                                               {"log_ratio", {{"mean", 0.1}, {"lower", 0.05}, {"upper", 0.15}}},
                                               {"noise_floor", 0.15},
                                               {"void", true}};
  EXPECT_THAT(page_of(json), AllOf(HasSubstr(" (too slow) |"), HasSubstr("is allowed: **too slow**"),
                                   HasSubstr("noise floor 0.15: **the session is void**")));
}

TEST(Page, WhatPeopleWroteIsNoMarkup) {
  base::Json json = sample();
  json["promotion"]["why"] = "fine\n\n# Forged [x](y) <b> `c` https://example.com www.example.com *d* a|b\x1b[2J";
  const std::string page = page_of(json);
  EXPECT_THAT(page, HasSubstr("fine  \\# Forged \\[x\\](y) \\<b\\> \\`c\\` https\\://example.com www\\.example.com "
                              "\\*d\\* a\\|b"));
  EXPECT_THAT(page, Not(HasSubstr("\n# Forged")));
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace assay::certify
