#include <assay/foreign/wording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/foreign/archive_testing.hpp>

namespace assay::foreign {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One promotion from 1 ms to `latency_ms`, among three pairs of repeats that lie 5 % apart.
Audit promoted(double latency_ms, double reference_ms = 10, const std::string& code = "new") {
  TraceArchive archive;
  archive.evaluations = {stored_success("op_one_d8", 1, "old", 1),
                         stored_success("op_one_d8", 2, code, latency_ms, reference_ms)};
  for (int i = 0; i < 6; ++i) {
    archive.evaluations.push_back(stored_success("op_two_d8", i, std::to_string(i / 2), std::exp(0.05 * (i % 2))));
  }
  archive.promotions = {{"op_one_d8#1", "op_one_d8", 1, 0, 1}};
  return audit(std::move(archive));
}

std::string first(const Audit& audit) { return sentences(audit, audit.promotions.front()).front(); }

TEST(Wording, SaysWhatDecided) {
  EXPECT_THAT(first(promoted(0.5, 10, "old")), AllOf(HasSubstr("byte for byte"), HasSubstr("is noise")));
  EXPECT_THAT(first(promoted(0.5, 30, "old")), AllOf(HasSubstr("byte for byte"), HasSubstr("the environment’s")));
  EXPECT_THAT(first(promoted(0.5, 30)), HasSubstr("took 3.0 times as long"));
  EXPECT_THAT(first(promoted(1.01, 11)), AllOf(HasSubstr("slower by 1.0 %"), HasSubstr("too, by 10.0 %")));
  EXPECT_THAT(first(promoted(1.01, 9)), Not(HasSubstr("score rose")));
  EXPECT_THAT(first(promoted(0.96)), AllOf(HasSubstr("−4.0 %"), HasSubstr("up to ±10.3 %")));
  EXPECT_THAT(first(promoted(0.4)), AllOf(HasSubstr("2.5 times faster"), HasSubstr("9.3 times the noise")));
}

TEST(Wording, EveryReasonHasItsSentence) {
  const Audit found = promoted(0.4);
  PromotionAudit promotion = found.promotions.front();
  for (int reason = 0; reason <= static_cast<int>(Reason::workloads_differ); ++reason) {
    promotion.reasons = {static_cast<Reason>(reason)};
    EXPECT_GT(sentences(found, promotion).back().size(), 20U) << to_string(promotion.reasons.front());
  }
}

TEST(Wording, SaysHowFarTheWeightsMayShift) {
  Audit found = promoted(0.4);
  found.promotions.front().weights = stats::WeightTolerance{0.125, 1.5};
  EXPECT_THAT(sentences(found, found.promotions.front()).back(), AllOf(HasSubstr("12 %"), HasSubstr("1.50")));
  found.promotions.front().weights = stats::WeightTolerance{};
  EXPECT_THAT(sentences(found, found.promotions.front()).back(), HasSubstr("faster on every workload"));
}

TEST(Wording, SaysHowWellTheNoiseIsKnown) {
  const std::string text = noise_sentences(promoted(0.85)).back();
  EXPECT_THAT(text, HasSubstr("1 of the plausible promotions would be inside"));
  EXPECT_THAT(noise_sentences(audit({})).front(), HasSubstr("No code was ever measured twice"));
}

TEST(Wording, SaysWhatWasPickedAndWhatWasFastest) {
  const Audit found = promoted(0.5);
  EXPECT_THAT(choice_sentence(found, found.traces.front()), HasSubstr("fastest evaluation of all, 500 µs"));
  EXPECT_THAT(choice_sentence(found, TraceAudit()), HasSubstr("nothing was picked"));
}

TEST(Wording, NumbersForPeople) {
  EXPECT_EQ(latency_text(0.0271814), "27.2 µs");
  EXPECT_EQ(latency_text(1228.4), "1.23 s");
  EXPECT_EQ(latency_text(0.9996), "1.00 ms");
  EXPECT_EQ(change_text(std::log(0.96)), "−4.0 %");
  EXPECT_EQ(change_text(std::log(9.57)), "9.6 times slower");
  EXPECT_EQ(short_name("gdn_decode_qk4_v8_d128_k_last"), "gdn decode");
  EXPECT_EQ(short_name("8x8"), "8x8");
}

}  // namespace
}  // namespace assay::foreign
