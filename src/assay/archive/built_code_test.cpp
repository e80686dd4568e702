#include <assay/archive/built_code.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/archive/sample_bundle.hpp>
#include <assay/base/json.hpp>

namespace assay::archive {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string digest_of(const std::string& what) { return base::sha256(what).hex(); }

class BuiltCodeTest : public testing::Test {
 protected:
  // Ingests an evaluation of a candidate that was built to `code`.
  void ingest(const std::string& id, const std::string& body, const task::BuiltCode& code) {
    const task::EvaluationRequest request = sample_request(id, body);
    task::Evaluation evaluation = sample_evaluation(request);
    evaluation.candidate_build.code = code;
    const os::Path folder = archive_.spool() / id;
    write_bundle(folder, sample_files(request, evaluation));
    const auto result = archive_.ingest(folder, "", std::nullopt);
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(result->candidate_build.code, code);
  }

  std::vector<std::pair<base::Digest, CodeLevel>> same_as(const std::string& body,
                                                          const std::string& definition = "scale") const {
    std::vector<std::pair<base::Digest, CodeLevel>> found;
    const auto builds = archive_.same_builds(definition, content(body));
    EXPECT_TRUE(builds) << builds.error().text();
    for (const SameBuild& one : builds.value()) {
      EXPECT_EQ(one.name, "scale-by-two");
      found.emplace_back(one.candidate, one.level);
    }
    return found;
  }

  static base::Digest content(const std::string& body) { return task::identify(sample_solution(body)).content; }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "built-code-").value();
  Archive archive_ = Archive::open_writer(folder_.path() / "archive").value();
};

TEST_F(BuiltCodeTest, TheDeepestLevelAtWhichTwoAreTheSameIsNamed) {
  ingest("e-1", "a", {digest_of("p"), digest_of("s"), digest_of("m")});
  ingest("e-2", "b", {digest_of("p"), digest_of("s"), digest_of("m")});
  ingest("e-3", "c", {digest_of("p"), digest_of("s"), digest_of("other")});
  ingest("e-4", "d", {digest_of("p"), digest_of("another"), digest_of("another")});
  ingest("e-5", "e", {"", "", digest_of("alone")});
  EXPECT_THAT(same_as("a"), ElementsAre(Pair(content("b"), CodeLevel::machine_code),
                                        Pair(content("c"), CodeLevel::sass), Pair(content("d"), CodeLevel::ptx)));
  EXPECT_THAT(same_as("d"), ElementsAre(Pair(content("a"), CodeLevel::ptx), Pair(content("b"), CodeLevel::ptx),
                                        Pair(content("c"), CodeLevel::ptx)));
  EXPECT_THAT(same_as("e"), IsEmpty());
  EXPECT_THAT(same_as("never judged"), IsEmpty());
  EXPECT_THAT(same_as("a", "another definition"), IsEmpty());
}

// Digests of different levels are different things, were they equal.
TEST_F(BuiltCodeTest, LevelsAreNotMixed) {
  ingest("e-1", "a", {"", digest_of("x"), ""});
  ingest("e-2", "b", {"", "", digest_of("x")});
  EXPECT_THAT(same_as("a"), IsEmpty());
}

TEST_F(BuiltCodeTest, UnknownCodeIsLikeNothing) {
  ingest("e-1", "a", {});
  ingest("e-2", "b", {});
  EXPECT_THAT(same_as("a"), IsEmpty());
}

TEST_F(BuiltCodeTest, EachBuildOfACandidateCounts) {
  ingest("e-1", "a", {"", "", digest_of("by one compiler")});
  ingest("e-2", "a", {"", "", digest_of("by another")});
  ingest("e-3", "b", {"", "", digest_of("by another")});
  EXPECT_THAT(same_as("a"), ElementsAre(Pair(content("b"), CodeLevel::machine_code)));
}

// The list against the evaluations that it was taken from: `assay archive verify`.
TEST_F(BuiltCodeTest, IsVerifiedAgainstItsEvaluations) {
  ingest("e-1", "a", {digest_of("p"), "", digest_of("m")});
  ingest("e-2", "b", {"", "", digest_of("m")});
  ingest("e-3", "a", {digest_of("p"), "", digest_of("m")});
  const auto problems = [&] { return archive_.verify().value().problems; };
  EXPECT_THAT(problems(), IsEmpty());
  const auto damage = [&](const std::string& sql) {
    const auto done = open_raw(archive_.root()).script(sql);
    ASSERT_TRUE(done) << done.error().text();
  };
  damage("UPDATE built_code SET digest = '" + digest_of("forged") + "' WHERE level = 'ptx'");
  const std::string a = content("a").hex().substr(0, 12);
  EXPECT_THAT(problems(),
              testing::UnorderedElementsAre("candidate " + a + ": is said to have been built to ptx " +
                                                digest_of("forged") + ", and no evaluation says so",
                                            "evaluation e-1: built candidate " + a + " to ptx " + digest_of("p") +
                                                ", and the archive's list of built code lacks it"));
  damage("UPDATE built_code SET digest = '" + digest_of("p") + "' WHERE level = 'ptx'");
  EXPECT_THAT(problems(), IsEmpty());
  damage("DELETE FROM built_code WHERE candidate = (SELECT number FROM candidates WHERE content = '" +
         content("b").hex() + "')");
  EXPECT_THAT(problems(), ElementsAre(testing::HasSubstr("evaluation e-2: built candidate ")));
}

TEST_F(BuiltCodeTest, OfTheIncumbentIsVerifiedToo) {
  task::EvaluationRequest request = sample_request("e-1", "a");
  request.stage = task::Stage::sweep;
  request.incumbent = sample_solution("other");
  task::Evaluation evaluation = sample_evaluation(request);
  evaluation.incumbent_build->code.machine_code = digest_of("m");
  write_bundle(archive_.spool() / "e-1", sample_files(request, evaluation));
  ASSERT_TRUE(archive_.ingest(archive_.spool() / "e-1", "", std::nullopt));
  EXPECT_THAT(archive_.verify().value().problems, IsEmpty());
  ASSERT_TRUE(open_raw(archive_.root()).script("DELETE FROM built_code"));
  EXPECT_THAT(archive_.verify().value().problems,
              ElementsAre(testing::HasSubstr(content("other").hex().substr(0, 12) + " to machine_code")));
}

TEST(CodeLevel, SpellingsArePersisted) {
  EXPECT_EQ(to_string(CodeLevel::ptx), "ptx");
  EXPECT_EQ(to_string(CodeLevel::sass), "sass");
  EXPECT_EQ(to_string(CodeLevel::machine_code), "machine_code");
}

}  // namespace
}  // namespace assay::archive
