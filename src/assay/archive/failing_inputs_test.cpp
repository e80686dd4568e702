#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/archive/sample_bundle.hpp>

namespace assay::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FailingInputsTest : public testing::Test {
 protected:
  // An evaluation that ended on the input of this seed, by a candidate with this body.
  void fail(const std::string& id, std::uint64_t seed, const std::string& body) {
    const task::EvaluationRequest request = sample_request(id, body);
    task::Evaluation evaluation = sample_evaluation(request);
    evaluation.outcome = task::Outcome::incorrect;
    evaluation.failing_inputs = {{request.workloads.front(), "ties", seed, 5, std::nullopt, std::nullopt}};
    write_bundle(archive_.spool() / id, sample_files(request, evaluation));
    const auto ingested = archive_.ingest(archive_.spool() / id, "", std::nullopt);
    EXPECT_TRUE(ingested) << ingested.error().text();
  }
  std::vector<std::uint64_t> seeds(std::string_view definition, std::int64_t most = 100) const {
    std::vector<std::uint64_t> found;
    const auto inputs = archive_.failing_inputs(definition, most).value();
    for (const StoredFailingInput& one : inputs) {
      found.push_back(one.input.seed);
    }
    return found;
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "failing-").value();
  os::Path root_ = folder_.path() / "archive";
  Archive archive_ = Archive::open_writer(root_).value();
};

TEST_F(FailingInputsTest, AnEvaluationThatFailedLeavesItsInput) {
  ASSERT_TRUE(archive_.ingest(put_sample(archive_.spool(), "e-0"), "", std::nullopt));
  EXPECT_THAT(archive_.failing_inputs("scale").value(), IsEmpty());
  fail("e-1", 7, "wrong");
  const auto kept = archive_.failing_inputs("scale").value();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].definition, "scale");
  EXPECT_EQ(kept[0].input.stress_kind, "ties");
  EXPECT_EQ(kept[0].input.seed, 7U);
  EXPECT_EQ(kept[0].input.contents, 5U);
  EXPECT_EQ(kept[0].input.workload.axes.front().second, 16);
  EXPECT_EQ(kept[0].candidate, task::identify(sample_solution("wrong")).content);
  EXPECT_EQ(kept[0].evaluation, "e-1");
  EXPECT_EQ(kept[0].when, "2026-11-29T17:39:39Z");
  EXPECT_EQ(kept[0].failures, 1);
  EXPECT_THAT(archive_.verify()->problems, IsEmpty());
}

TEST_F(FailingInputsTest, ASeedOfAllBitsComesBackWhole) {
  fail("e-1", std::numeric_limits<std::uint64_t>::max(), "wrong");
  EXPECT_THAT(seeds("scale"), ElementsAre(std::numeric_limits<std::uint64_t>::max()));
}

TEST_F(FailingInputsTest, TheSameInputIsKeptOnceWithWhomItCaughtFirst) {
  fail("e-1", 7, "wrong");
  fail("e-2", 7, "wrong too");
  fail("e-3", 8, "wrong too");
  const auto kept = archive_.failing_inputs("").value();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1].evaluation, "e-1");
  EXPECT_EQ(kept[1].failures, 2);
  EXPECT_EQ(kept[0].failures, 1);
  EXPECT_EQ(archive_.count_failing_inputs("scale").value(), 2);
  EXPECT_EQ(archive_.count_failing_inputs("other").value(), 0);
}

TEST_F(FailingInputsTest, AreListedNewestFirstAndOfOneDefinition) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    fail("e-" + std::to_string(seed), seed, "wrong");
  }
  EXPECT_THAT(seeds("scale"), ElementsAre(3, 2, 1));
  EXPECT_THAT(seeds("scale", 2), ElementsAre(3, 2));
  EXPECT_THAT(seeds("other"), IsEmpty());
}

TEST_F(FailingInputsTest, NothingRemovesThem) {
  fail("e-1", 7, "wrong");
  ASSERT_TRUE(archive_.collect_garbage());
  EXPECT_THAT(seeds("scale"), ElementsAre(7));
  const Database raw = open_raw(root_);
  for (const char* table : {"input_failures", "failing_inputs"}) {
    const auto removed = raw.execute(std::string("DELETE FROM ") + table);
    ASSERT_FALSE(removed) << table;
    EXPECT_THAT(removed.error().text(), HasSubstr("kept for ever"));
  }
  EXPECT_THAT(seeds("scale"), ElementsAre(7));
}

TEST_F(FailingInputsTest, VerifyNamesOneThatCannotBeRead) {
  fail("e-1", 7, "wrong");
  ASSERT_TRUE(open_raw(root_).script("UPDATE failing_inputs SET input = '{\"seed\": 7}'"));
  const auto problems = archive_.verify()->problems;
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], testing::AllOf(HasSubstr("failing input 1"), HasSubstr("/workload")));
  EXPECT_FALSE(archive_.failing_inputs("scale"));
}

}  // namespace
}  // namespace assay::archive
