#include <assay/service/import.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/evaluate.hpp>
#include <assay/service/export.hpp>
#include <assay/service/inspect.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ImportTest : public testing::Test {
 protected:
  ImportTest() : folder_(os::TemporaryDirectory::create(testing::TempDir(), "import-").value()) {
    context_.places.archive = folder_.path() / "archive";
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(os::create_directories((folder_.path() / name).parent_path()));
    ASSERT_TRUE(os::write_file_atomic(folder_.path() / name, text));
  }

  os::TemporaryDirectory folder_;
  Context context_;
};

TEST_F(ImportTest, TakesInThePublicTraces) {
  const os::Path traces = os::Path(ASSAY_SOURCE_DIR) / "tests/data/traces";
  const auto import = import_results(context_, traces);
  ASSERT_TRUE(import) << import.error().text();
  EXPECT_EQ(import->kind, "optimisation_traces");
  EXPECT_EQ(import->name, "traces");
  EXPECT_EQ(import->results, 917U);
  EXPECT_EQ(import->candidates, 0U);
  EXPECT_FALSE(import_results(context_, traces)->fresh);
  const auto results = imported_results(context_, "");
  ASSERT_TRUE(results);
  EXPECT_THAT(*results, SizeIs(917));
  EXPECT_EQ(encode(*results)[0]["outcome"], "measured");
  // By its id, as `assay show` finds it; and no candidate of ours came of it.
  const auto shown = show(context_, "8c262d32bf3245d6");
  ASSERT_TRUE(shown) << shown.error().text();
  ASSERT_THAT(shown->foreign, SizeIs(1));
  EXPECT_NEAR(*shown->foreign.front().latency_ms, 0.0271814, 1e-6);
  EXPECT_THAT(*list_candidates(context_, ""), IsEmpty());
}

TEST_F(ImportTest, SolutionsBecomeCandidatesThatAreMarkedAndNotJudged) {
  write("theirs/solutions/a/op/scale/s.json",
        R"({"name":"s","definition":"scale","author":"a","spec":{"language":"cpp","target_hardware":["cpu"],)"
        R"("entry_point":"k.cpp::run"},"sources":[{"path":"k.cpp","content":"int x;"}]})");
  const std::string trace =
      R"({"definition":"scale","workload":{"uuid":"u","axes":{"n":4},"inputs":{}},"solution":"s","evaluation":)"
      R"({"status":"RUNTIME_ERROR","environment":{"hardware":"B200","libs":{}},"timestamp":"t","log":""}})";
  write("theirs/traces/op/scale.jsonl", trace + "\n" + trace);
  const auto import = import_results(context_, folder_.path() / "theirs");
  ASSERT_TRUE(import) << import.error().text();
  EXPECT_EQ(import->candidates, 1U);
  EXPECT_EQ(import->results, 2U);  // The same workload twice is two results.
  const auto lines = list_candidates(context_, "");
  ASSERT_TRUE(lines);
  ASSERT_THAT(*lines, SizeIs(1));
  EXPECT_EQ(lines->front().outcome, "imported");
  EXPECT_THAT(lines->front().cause, HasSubstr("2 foreign results from theirs"));
  const auto shown = show(context_, lines->front().digest);
  ASSERT_TRUE(shown);
  EXPECT_THAT(shown->evaluations, IsEmpty());
  ASSERT_THAT(shown->foreign, SizeIs(2));
  EXPECT_EQ(shown->foreign.front().outcome, "runtime_error");
  EXPECT_EQ(encode(*shown)["foreign"].size(), 2U);
}

TEST_F(ImportTest, WhatOneArchiveExportsAnotherTakesIn) {
  const rehearsal::World world;
  EvaluateOptions options;
  options.candidate = world.kernel("fast.cpp", "cost=50");
  options.workloads = "all";
  const auto judged = evaluate(world.context(), options);
  ASSERT_TRUE(judged) << judged.error().text();
  const std::string digest = judged->evaluation.candidate.content.hex();
  ASSERT_TRUE(export_solution(world.context(), digest, folder_.path() / "out"));
  const auto import = import_results(context_, folder_.path() / "out");
  ASSERT_TRUE(import) << import.error().text();
  EXPECT_EQ(import->results, 4U);
  const auto shown = show(context_, digest);
  ASSERT_TRUE(shown) << shown.error().text();
  ASSERT_TRUE(shown->candidate);
  EXPECT_EQ(shown->candidate->identity, judged->evaluation.candidate);
  EXPECT_THAT(shown->evaluations, IsEmpty());
  ASSERT_THAT(shown->foreign, SizeIs(4));
  EXPECT_GT(*shown->foreign.front().latency_ms, 0);
}

TEST_F(ImportTest, WhatHoldsNoResultIsRefused) {
  EXPECT_THAT(import_results(context_, folder_.path() / "nothing").error().text(), HasSubstr("nothing"));
  ASSERT_TRUE(os::create_directories(folder_.path() / "empty"));
  EXPECT_EQ(import_results(context_, folder_.path() / "empty").error().owner, base::Owner::input);
}

}  // namespace
}  // namespace assay::service
