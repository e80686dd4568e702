#include <assay/certify/evidence.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/certify/contradictions.hpp>
#include <assay/certify/sample_certificate.hpp>
#include <assay/stats/online_levels.hpp>

namespace assay::certify {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_files;
using ::testing::SizeIs;

Evidence evidence_of(const Files& files) {
  auto evidence = read_evidence(files);
  EXPECT_TRUE(evidence) << evidence.error().text();
  return std::move(evidence.value());
}

std::string failure(const Files& files) {
  const auto evidence = read_evidence(files);
  return evidence ? std::string("none") : evidence.error().text();
}

TEST(Evidence, IsFoldedFromTheJournal) {
  const Evidence evidence = evidence_of(sample_files());
  EXPECT_EQ(evidence.configuration.name, "scale-search");
  EXPECT_EQ(evidence.events.back().kind, "campaign_confirmed");
  EXPECT_EQ(evidence.journal.size(), evidence.events.size());
  EXPECT_EQ(evidence.promotion.by, "policy shared");
  ASSERT_THAT(evidence.tested, SizeIs(2));
  EXPECT_EQ(evidence.tested[0].candidate, 1);
  EXPECT_EQ(evidence.tested[1].candidate, evidence.promotion.candidate);
  const double alpha = evidence.configuration.policy.sweep.alpha;
  EXPECT_DOUBLE_EQ(evidence.tested[0].level, stats::online_level(alpha, 1, 0));
  EXPECT_DOUBLE_EQ(evidence.tested[1].level, stats::online_level(alpha, 2, 1));
  EXPECT_DOUBLE_EQ(evidence.sweep.asked.plan.alpha, evidence.tested[1].level);
  EXPECT_EQ(evidence.sweep.intended.incumbent, 1);
  ASSERT_TRUE(evidence.confirmation);
  EXPECT_EQ(evidence.confirmation->intended.incumbent, 0);
  EXPECT_DOUBLE_EQ(evidence.confirmation->asked.plan.alpha, alpha);
  EXPECT_THAT(evidence.decisions, ::testing::ElementsAre(evidence.sweep.sequence, evidence.promotion_sequence,
                                                         evidence.confirmation->sequence));
  EXPECT_EQ(evidence.manifest_of(evidence.promotion_sequence), std::nullopt);
  EXPECT_EQ(evidence.identity_of(0), task::identify(evidence.configuration.baseline));
  EXPECT_THAT(contradictions(evidence, sample_files()), IsEmpty());
}

TEST(Evidence, AJournalThatDoesNotFitIsRefused) {
  const std::string name(kJournalFile);
  const auto journal = [&](const std::function<void(std::string&)>& change) {
    Files files = sample_files();
    change(files[name]);
    return failure(files);
  };
  EXPECT_THAT(journal([](std::string& text) { text.pop_back(); }),
              HasSubstr("journal.jsonl: does not end with a line"));
  EXPECT_THAT(journal([](std::string& text) { text.clear(); }), HasSubstr("journal.jsonl"));
  EXPECT_THAT(journal([](std::string& text) { text.insert(1, " "); }),
              HasSubstr("journal.jsonl: line 1: is not as Assay writes it"));
  EXPECT_THAT(journal([](std::string& text) { text.erase(0, text.find('\n') + 1); }), HasSubstr("line 1"));
  EXPECT_THAT(journal([](std::string& text) { text.insert(0, "{}\n"); }),
              HasSubstr("line 1: must have exactly sequence, kind, at and body"));
  // Without its last decision it ends in the middle.
  EXPECT_THAT(journal([](std::string& text) { text.erase(text.rfind('\n', text.size() - 2) + 1); }),
              HasSubstr("goes on to entry"));
  EXPECT_THAT(journal([](std::string& text) { text.erase(text.find('\n', text.find("baseline_measured")) + 1); }),
              HasSubstr("nothing is promoted in it"));
  Files files = sample_files();
  files.erase("sweep/samples.json");
  EXPECT_THAT(failure(files), HasSubstr("sweep/samples.json: is missing"));
}

TEST(JournalLine, GivesBackWhatControlWrote) {
  EXPECT_EQ(journal_line({3, "noise", R"({"a":0.1})", "2026-11-30T10:00:00Z"}).value(),
            R"({"sequence":3,"kind":"noise","at":"2026-11-30T10:00:00Z","body":{"a":0.1}})");
  EXPECT_EQ(journal_line({3, "noise", R"({"a": 0.1})", ""}).error().code, "certificate.journal");
  EXPECT_FALSE(journal_line({3, "noise", "{", ""}));
}

}  // namespace
}  // namespace assay::certify
