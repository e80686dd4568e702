#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/archive/archive.hpp>
#include <assay/archive/sample_bundle.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>

namespace assay::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class QueriesTest : public testing::Test {
 protected:
  void ingest(std::string_view id, std::string_view body, std::string_view campaign = "") {
    const auto result = archive_.ingest(put_sample(archive_.spool(), id, body), campaign, std::nullopt);
    ASSERT_TRUE(result) << result.error().text();
  }
  static base::Digest content(std::string_view body) { return task::identify(sample_solution(body)).content; }
  std::vector<std::string> ids(std::string_view campaign, std::string_view candidate) const {
    std::vector<std::string> found;
    const auto summaries = archive_.evaluations(campaign, candidate).value();
    for (const auto& summary : summaries) {
      found.push_back(summary.id);
    }
    return found;
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "queries-").value();
  Archive archive_ = Archive::open_writer(folder_.path() / "archive").value();
};

TEST_F(QueriesTest, ACandidateIsFoundByItsDigestAndByAPrefix) {
  const task::Solution solution = sample_solution("y = 2 * x;");
  ASSERT_TRUE(archive_.record_candidate(solution));
  const std::string hex = content("y = 2 * x;").hex();
  for (const std::string& name : {hex, hex.substr(0, 12), hex.substr(0, 4)}) {
    const auto found = archive_.candidate(name);
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_TRUE(found->has_value()) << name;
    EXPECT_EQ((*found)->identity, task::identify(solution));
    EXPECT_EQ((*found)->solution.sources[0].content, "y = 2 * x;");
    EXPECT_THAT((*found)->first_seen, testing::EndsWith("Z"));
  }
}

TEST_F(QueriesTest, AnUnknownCandidateIsNoError) {
  const auto found = archive_.candidate("abcd");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_value());
}

TEST_F(QueriesTest, WhatCannotBeADigestIsRefused) {
  for (const std::string& name : {std::string(), std::string("abc"), std::string("ABCD"), std::string("e-1234"),
                                  std::string(65, 'a'), std::string("%%%%")}) {
    const auto found = archive_.candidate(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().owner, base::Owner::input);
    EXPECT_EQ(found.error().code, "candidate.prefix");
  }
}

TEST_F(QueriesTest, AnAmbiguousPrefixListsWhatItCouldBe) {
  // 400 random digests share the first four hexadecimal digits somewhere almost surely; look for such a pair.
  std::map<std::string, std::string> bodies;
  std::string first;
  std::string second;
  for (int i = 0; second.empty(); ++i) {
    const std::string body = "y = " + std::to_string(i) + " * x;";
    const auto [place, fresh] = bodies.emplace(content(body).hex().substr(0, 4), body);
    if (!fresh) {
      first = place->second;
      second = body;
    }
  }
  ASSERT_TRUE(archive_.record_candidate(sample_solution(first)));
  ASSERT_TRUE(archive_.record_candidate(sample_solution(second)));
  const auto found = archive_.candidate(content(first).hex().substr(0, 4));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().owner, base::Owner::input);
  EXPECT_EQ(found.error().code, "archive.ambiguous");
  EXPECT_THAT(found.error().text(), HasSubstr(content(first).hex()));
  EXPECT_THAT(found.error().text(), HasSubstr(content(second).hex()));
  EXPECT_TRUE(archive_.candidate(content(first).hex())->has_value());
}

TEST_F(QueriesTest, CandidatesAreListedByDefinition) {
  ASSERT_TRUE(archive_.record_candidate(sample_solution("a", "scale")));
  ASSERT_TRUE(archive_.record_candidate(sample_solution("b", "shift")));
  // The same content solves another definition: another candidate of that.
  ASSERT_TRUE(archive_.record_candidate(sample_solution("a", "shift")));
  EXPECT_EQ(archive_.candidates("scale")->size(), 1U);
  EXPECT_EQ(archive_.candidates("shift")->size(), 2U);
  EXPECT_EQ(archive_.candidates("")->size(), 3U);
  EXPECT_THAT(archive_.candidates("none").value(), IsEmpty());
  EXPECT_EQ((*archive_.candidate(content("a").hex()))->solution.definition, "scale");
}

TEST_F(QueriesTest, TheEarliestCandidateWithTheSameNormalisedSourceIsFound) {
  ASSERT_TRUE(archive_.record_candidate(sample_solution("y = 2 * x; // one way\n", "shift")));
  ASSERT_TRUE(archive_.record_candidate(sample_solution("y = 2 * x; // the first\n")));
  ASSERT_TRUE(archive_.record_candidate(sample_solution("y = 2 * x; // the second\n")));
  const auto identity = task::identify(sample_solution("y = 2 * x; // the third\n"));
  const auto found = archive_.candidate_by_normalised("scale", identity.normalised);
  ASSERT_TRUE(found && *found);
  EXPECT_THAT((*found)->solution.sources[0].content, HasSubstr("the first"));
  EXPECT_FALSE(archive_.candidate_by_normalised("scale", base::sha256("other"))->has_value());
  EXPECT_FALSE(archive_.candidate_by_normalised("none", identity.normalised)->has_value());
}

TEST_F(QueriesTest, AnEvaluationComesBackAsItWas) {
  const auto request = sample_request("e-1");
  const auto evaluation = sample_evaluation(request);
  ingest("e-1", "y = 2 * x;");
  const auto found = archive_.evaluation("e-1");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(base::dump_compact(task::encode(**found)), base::dump_compact(task::encode(evaluation)));
  EXPECT_EQ(base::dump_compact(task::encode(archive_.request("e-1").value())),
            base::dump_compact(task::encode(request)));
  const auto samples = archive_.samples("e-1").value();
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[3].elapsed_ns, 1003);
}

TEST_F(QueriesTest, AnEvaluationIsFoundByAPrefixUnlessAmbiguous) {
  ingest("night-1", "a");
  ingest("night-11", "b");
  ingest("day-1", "c");
  EXPECT_EQ((*archive_.evaluation("d"))->id, "day-1");
  EXPECT_EQ((*archive_.evaluation("night-1"))->id, "night-1");
  EXPECT_EQ((*archive_.evaluation("night-11"))->id, "night-11");
  EXPECT_FALSE(archive_.evaluation("week")->has_value());
  EXPECT_FALSE(archive_.evaluation("%")->has_value());
  const auto ambiguous = archive_.evaluation("night");
  ASSERT_FALSE(ambiguous);
  EXPECT_THAT(ambiguous.error().text(), HasSubstr("night-1, night-11"));
  EXPECT_FALSE(archive_.evaluation(""));
}

TEST_F(QueriesTest, EvaluationsAreFilteredAndNewestComesLast) {
  ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
  ingest("z-first", "a", "c");
  ingest("m-second", "b", "c");
  ingest("a-third", "a");
  EXPECT_THAT(ids("", ""), ElementsAre("z-first", "m-second", "a-third"));
  EXPECT_THAT(ids("c", ""), ElementsAre("z-first", "m-second"));
  EXPECT_THAT(ids("", content("a").hex()), ElementsAre("z-first", "a-third"));
  EXPECT_THAT(ids("c", content("a").brief()), ElementsAre("z-first"));
  EXPECT_THAT(ids("none", ""), IsEmpty());
  EXPECT_FALSE(archive_.evaluations("", "zz"));
}

TEST_F(QueriesTest, ASummaryAgreesWithItsEvaluation) {
  ingest("e-1", "a");
  const EvaluationSummary summary = archive_.evaluations("", "").value().at(0);
  EXPECT_EQ(summary.definition, "scale");
  EXPECT_EQ(summary.stage, task::Stage::measure);
  EXPECT_EQ(summary.device, "cpu");
  EXPECT_EQ(summary.outcome, task::Outcome::measured);
  EXPECT_EQ(summary.cause, "correct in every trial");
  EXPECT_EQ(summary.started, "2026-11-29T17:39:39Z");
  EXPECT_EQ(summary.wall_seconds, 1.25);
  EXPECT_FALSE(summary.incumbent);
}

TEST_F(QueriesTest, BundleFilesAreNamedAndRead) {
  ingest("e-1", "a");
  EXPECT_THAT(archive_.bundle_files("e-1").value(),
              ElementsAre("candidate-build.log", "evaluation.json", "manifest.json", "request.json", "samples.json"));
  EXPECT_EQ(archive_.bundle_file("e-1", "candidate-build.log").value(), "built e-1\n");
  EXPECT_EQ(archive_.bundle_file("e-1", "other.log").error().code, "bundle.no_file");
  for (const auto& error : {archive_.bundle_file("e-2", "samples.json").error(), archive_.bundle_files("e-2").error(),
                            archive_.request("e-2").error(), archive_.samples("e-2").error()}) {
    EXPECT_EQ(error.owner, base::Owner::input);
    EXPECT_EQ(error.code, "evaluation.not_found");
    EXPECT_THAT(error.text(), HasSubstr("\"e-2\""));
  }
}

TEST_F(QueriesTest, ARowThatThisProgramCannotReadIsDamageNotNothing) {
  ingest("e-1", "a");
  ASSERT_TRUE(open_raw(archive_.root()).script("UPDATE evaluations SET outcome = 'splendid'"));
  const auto found = archive_.evaluations("", "");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("splendid"));
}

TEST(Stages, AreReadInTheirPersistedSpelling) {
  EXPECT_EQ(parse_stage("build"), task::Stage::build);
  EXPECT_EQ(parse_stage("measure"), task::Stage::measure);
  EXPECT_EQ(parse_stage("gate"), task::Stage::gate);
  EXPECT_EQ(parse_stage("sweep"), task::Stage::sweep);
  EXPECT_EQ(parse_stage("Sweep"), std::nullopt);
  EXPECT_EQ(parse_stage(""), std::nullopt);
}

}  // namespace
}  // namespace assay::archive
