#include <assay/foreign/flashinfer_traces.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::foreign {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

const std::string kWorkload = R"({"definition":"scale","workload":{"uuid":"u","axes":{"n":4},"inputs":{}}})";
const std::string kResult =
    R"({"definition":"scale","workload":{"uuid":"u","axes":{"n":4},"inputs":{}},"solution":"s","evaluation":)"
    R"({"status":"PASSED","environment":{"hardware":"B200","libs":{}},"timestamp":"2026-01-01T00:00:00","log":"",)"
    R"("correctness":{"max_relative_error":0,"max_absolute_error":0},)"
    R"("performance":{"latency_ms":0.5,"reference_latency_ms":1,"speedup_factor":2}}})";
const std::string kSolution =
    R"({"name":"s","definition":"scale","author":"a","spec":{"language":"cpp","target_hardware":["cpu"],)"
    R"("entry_point":"k.cpp::run"},"sources":[{"path":"k.cpp","content":"int x;"}]})";

TEST(FlashinferTraces, KeepsResultsAndLeavesWorkloadsOut) {
  FlashinferResults results;
  ASSERT_TRUE(parse_flashinfer_traces(kWorkload + "\n" + kResult + "\n", "t.jsonl", results));
  ASSERT_THAT(results.traces, SizeIs(1));
  EXPECT_EQ(results.places.front(), "t.jsonl:2");
  EXPECT_EQ(results.traces.front().evaluation->performance->latency_ms, 0.5);
}

TEST(FlashinferTraces, FaultsNameFileLineAndField) {
  FlashinferResults results;
  std::string wrong = kResult;
  wrong.replace(wrong.find("PASSED"), 6, "PASSD");
  const auto parsed = parse_flashinfer_traces(kResult + "\n" + wrong, "t.jsonl", results);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().owner, base::Owner::input);
  EXPECT_THAT(parsed.error().text(), AllOf(HasSubstr("t.jsonl:2"), HasSubstr("/evaluation/status")));
}

TEST(FlashinferTraces, ReadsAFolderInTheirLayoutAndRefusesOneWithoutResults) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "flashinfer-");
  ASSERT_TRUE(folder);
  const auto write = [&](const char* name, const std::string& text) {
    const os::Path file = folder->path() / name;
    ASSERT_TRUE(os::create_directories(file.parent_path()));
    ASSERT_TRUE(os::write_file_atomic(file, text));
  };
  write("solutions/a/op/scale/s.json", kSolution);
  EXPECT_THAT(read_flashinfer_results(folder->path()).error().text(), HasSubstr("no trace with an evaluation"));
  write("traces/op/scale.jsonl", kResult);
  const auto results = read_flashinfer_results(folder->path());
  ASSERT_TRUE(results) << results.error().text();
  EXPECT_THAT(results->solutions, SizeIs(1));
  ASSERT_THAT(results->files, SizeIs(2));
  EXPECT_EQ(results->files.front().name, "traces/op/scale.jsonl");
  EXPECT_THAT(read_flashinfer_results(folder->path() / "traces/op/scale.jsonl")->files, SizeIs(1));
  write("solutions/b/op/scale/s.json", kSolution);
  EXPECT_THAT(read_flashinfer_results(folder->path()).error().text(), AllOf(HasSubstr("/name"), HasSubstr("\"s\"")));
}

}  // namespace
}  // namespace assay::foreign
