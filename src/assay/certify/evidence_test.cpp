#include <assay/certify/evidence.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/certify/sample_certificate.hpp>
#include <assay/stats/online_levels.hpp>

namespace assay::certify {
namespace {

using ::testing::Contains;
using testing::edit;
using testing::forge_digests;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_files;
using ::testing::SizeIs;

Evidence evidence_of(const Files& files) {
  auto evidence = read_evidence(files);
  EXPECT_TRUE(evidence) << evidence.error().text();
  return std::move(evidence.value());
}

// Edits one file of the sweep, mends the digests of files, and returns what contradicts.
std::vector<std::string> contradicting(const std::string& path, const std::function<void(base::Json&)>& change) {
  Files files = sample_files();
  edit(files, path, change);
  forge_digests(files, path.substr(0, path.find('/')));
  std::vector<std::string> found;
  for (const Difference& one : contradictions(evidence_of(files), files)) {
    found.push_back(one.place + ": " + one.what);
  }
  return found;
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
  EXPECT_DOUBLE_EQ(evidence.sweep.plan.alpha, evidence.tested[1].level);
  EXPECT_EQ(evidence.sweep.intended.incumbent, 1);
  ASSERT_TRUE(evidence.confirmation);
  EXPECT_EQ(evidence.confirmation->intended.incumbent, 0);
  EXPECT_DOUBLE_EQ(evidence.confirmation->plan.alpha, alpha);
  EXPECT_THAT(evidence.decisions, ::testing::ElementsAre(evidence.sweep.sequence, evidence.promotion_sequence,
                                                         evidence.confirmation->sequence));
  EXPECT_EQ(evidence.manifest_of(evidence.promotion_sequence), std::nullopt);
  EXPECT_EQ(evidence.identity_of(0), task::identify(evidence.configuration.baseline));
  EXPECT_THAT(contradictions(evidence, sample_files()), IsEmpty());
}

TEST(Evidence, OfARequestThatAsksOtherwiseContradicts) {
  const std::string request = "sweep/request.json";
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["plan"]["maximum_regression"] = 0.9; }),
              Contains(HasSubstr("sweep/request.json: /plan: is ")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["workloads"].erase(1); }),
              Contains(HasSubstr("sweep/request.json: /workloads: is 1 workloads")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["stage"] = "gate"; }),
              Contains(HasSubstr("sweep/request.json: /stage: is gate, and the campaign asks for sweep")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["device"] = "cpu"; }),
              Contains(HasSubstr("sweep/request.json: /device: is cpu")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["id"] = "another"; }),
              Contains(HasSubstr("sweep/request.json: /id: is another")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["definition"]["description"] = "easier"; }),
              Contains(HasSubstr("sweep/request.json: /definition")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["seed"] = 1; }),
              Contains(HasSubstr("sweep/evaluation.json: /seed")));
  EXPECT_THAT(
      contradicting(request, [](base::Json& json) { json["disabled_probes"] = base::Json::array({"reconcile"}); }),
      Contains(HasSubstr("sweep/request.json: /disabled_probes: is 1 probes")));
}

TEST(Evidence, OfAnotherCandidateContradicts) {
  const auto swap = [](base::Json& json) { json["candidate"]["sources"][0]["content"] = "other"; };
  EXPECT_THAT(contradicting("sweep/request.json", swap),
              ::testing::AllOf(Contains(HasSubstr("sweep/request.json: /candidate: is ")),
                               Contains(HasSubstr("sweep/evaluation.json: /candidate/content: is "))));
  // A confirmation against another than the baseline.
  const auto easier = [](base::Json& json) { json["incumbent"]["sources"][0]["content"] = "slower"; };
  EXPECT_THAT(contradicting("confirmation/request.json", easier),
              Contains(HasSubstr("confirmation/request.json: /incumbent: is ")));
  EXPECT_THAT(contradicting("sweep/evaluation.json", [](base::Json& json) { json["id"] = "another"; }),
              Contains(HasSubstr("sweep/evaluation.json: /id: is another")));
}

TEST(Evidence, OfAFileThatItsManifestDoesNotNameContradicts) {
  Files files = sample_files();
  files["sweep/extra.log"] = "x";
  files["confirmation/candidate-build.log"] += "x";
  std::vector<std::string> found;
  for (const Difference& one : contradictions(evidence_of(sample_files()), files)) {
    found.push_back(one.place);
  }
  EXPECT_THAT(found, ::testing::ElementsAre("sweep/extra.log", "confirmation/candidate-build.log"));
  files.erase("confirmation/candidate-build.log");
  EXPECT_THAT(contradictions(evidence_of(sample_files()), files).back().what, HasSubstr("is missing"));
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
