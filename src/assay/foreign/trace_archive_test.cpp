#include <assay/foreign/trace_archive.hpp>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <assay/foreign/archive_testing.hpp>

namespace assay::foreign {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

const std::string kDigest(64, 'a');

std::string record(const std::string& id, const std::string& more = {}) {
  return fmt::format(
      R"({{"trace":"t","evaluation":"{}","source_sha256":"{}","normalized_sha256":"{}","status":"success",)"
      R"("recorded_kind":"none","mean_latency_ms":1.5,"mean_reference_latency_ms":3.0{}}})",
      id, kDigest, kDigest, more);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string fault(const std::string& text) {
  const auto parsed = parse_evaluations(text, "e.jsonl", true);
  return parsed ? "none" : parsed.error().text();
}

TEST(TraceArchive, ReadsARecordAndKeepsWhatWasNotRecordedApartFromZero) {
  const auto parsed = parse_evaluations(
      record(
          "a",
          R"(,"controller_run":2,"score":null,"time":null,"profile":{"tool":"ncu","usable":false,"failure":"gone"})") +
          "\n\n" + record("b") + "\n",
      "e.jsonl", true);
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_THAT(*parsed, SizeIs(2));
  EXPECT_EQ(parsed->front().controller_run, 2);
  EXPECT_FALSE(parsed->front().score);
  EXPECT_FALSE(parsed->front().stored());
  EXPECT_EQ(parsed->front().profile->failure, "gone");
  EXPECT_EQ(parsed->back().place, "e.jsonl:3");
}

TEST(TraceArchive, FaultsNameFileLineAndField) {
  EXPECT_THAT(fault(record("a") + "\n{"), HasSubstr("e.jsonl:2"));
  EXPECT_THAT(fault(replaced(record("a"), kDigest, "abc")), AllOf(HasSubstr("e.jsonl:1"), HasSubstr("/source_sha256")));
  EXPECT_THAT(fault(replaced(record("a"), "1.5", "null")), HasSubstr("/mean_latency_ms"));
  EXPECT_THAT(fault(replaced(record("a"), "1.5", "0.0")), HasSubstr("/mean_latency_ms"));
  EXPECT_THAT(fault(replaced(record("a"), "1.5", "-1")), HasSubstr("/mean_latency_ms"));
  EXPECT_THAT(fault(replaced(record("a"), "1.5", "1e300")), HasSubstr("/mean_latency_ms"));
  EXPECT_THAT(fault(replaced(record("a"), "1.5", "\"NaN\"")), HasSubstr("/mean_latency_ms"));
  EXPECT_THAT(fault(replaced(record("a"), "3.0", "1e999")), HasSubstr("e.jsonl:1"));
  EXPECT_THAT(fault(replaced(record("a"), "\"success\"", "\"sucess\"")), HasSubstr("/status"));
  EXPECT_THAT(fault(replaced(record("a"), "\"none\"", "\"TIMEOUT\"")), HasSubstr("/recorded_kind"));
  EXPECT_THAT(fault(record("a", R"(,"time":"2026-04-14 18:09")")), HasSubstr("/time"));
  EXPECT_THAT(fault(record("a", R"(,"profile":{})")), HasSubstr("/profile/usable"));
  EXPECT_THAT(fault(record("a", R"(,"per_workload":[{"axes":{"n":"x"}}])")), HasSubstr("/per_workload/0/axes/n"));
  EXPECT_THAT(fault("[]"), HasSubstr("e.jsonl:1"));
  EXPECT_EQ(fault(record("a")), "none");
}

TEST(TraceArchive, APromotionMayNotContradictItsEvaluations) {
  const auto evaluations = parse_evaluations(record("a") + "\n" + record("b"), "e.jsonl", true);
  ASSERT_TRUE(evaluations);
  const auto read = [&](const std::string& after) {
    const auto promotions = parse_promotions(
        fmt::format(R"({{"id":"t#1","trace":"t","promotion":1,"old":{{"evaluation":"a"}},"new":{{{}}}}})", after),
        "p.jsonl", *evaluations);
    return promotions ? std::string("none") : promotions.error().text();
  };
  EXPECT_EQ(read(R"("evaluation":"b","mean_latency_ms":1.5)"), "none");
  EXPECT_THAT(read(R"("evaluation":"b","mean_latency_ms":1.4)"),
              AllOf(HasSubstr("p.jsonl:1"), HasSubstr("/new/mean_latency_ms"), HasSubstr("e.jsonl:2")));
  EXPECT_THAT(read(R"("evaluation":"c")"), HasSubstr("/new/evaluation"));
}

TEST(TraceArchive, ReplaysARunningMaximumOfTheScore) {
  TraceArchive archive;
  archive.evaluations = {stored_success("t", 3, "c", 0.5), stored_success("t", 1, "a", 1),
                         stored_success("t", 2, "b", 1.2), stored_success("t", 4, "d", 0.5)};
  const auto promotions = replay_promotions(archive);
  ASSERT_THAT(promotions, SizeIs(1));  // The first is none, the second was slower, the last only as good.
  EXPECT_EQ(promotions.front().before, 1U);
  EXPECT_EQ(promotions.front().after, 0U);
  EXPECT_EQ(promotions.front().id, "t#1");
}

class TraceFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-traces-");
    ASSERT_TRUE(folder);
    folder_.emplace(std::move(*folder));
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_->path() / name) << text; }
  [[nodiscard]] std::string fault() const {
    const auto archive = read_trace_archive(folder_->path());
    return archive ? "none" : archive.error().text();
  }
  std::optional<os::TemporaryDirectory> folder_;
};

TEST_F(TraceFolderTest, WantsEvaluationsAndNothingTwice) {
  EXPECT_THAT(fault(), HasSubstr("evaluations.jsonl"));
  write("evaluations.jsonl", "\n");
  EXPECT_THAT(fault(), HasSubstr("no evaluation"));
  write("evaluations.jsonl", record("a"));
  EXPECT_EQ(fault(), "none");
  write("evaluations_extra.jsonl", record("a"));
  EXPECT_THAT(fault(), AllOf(HasSubstr("evaluations_extra.jsonl:1"), HasSubstr("/evaluation")));
}

TEST_F(TraceFolderTest, WithoutPromotionsThoseOfTheReplayAreJudgedAndItSaysSo) {
  write("evaluations.jsonl", record("a"));
  const auto archive = read_trace_archive(folder_->path());
  ASSERT_TRUE(archive);
  EXPECT_FALSE(archive->promotions_recorded);
  EXPECT_THAT(archive->notes, testing::ElementsAre(HasSubstr("promotions.jsonl")));
}

TEST(TraceArchive, ReadsThePublicTraces) {
  const auto archive = read_trace_archive(os::Path(ASSAY_SOURCE_DIR) / "tests/data/traces");
  ASSERT_TRUE(archive) << archive.error().text();
  EXPECT_THAT(archive->evaluations, SizeIs(849 + 68));
  EXPECT_THAT(archive->promotions, SizeIs(39));
  EXPECT_THAT(archive->notes, testing::IsEmpty());  // The replay of the controller's rule gives the same 39.
  EXPECT_EQ(archive->unfinished, 7U);
  EXPECT_THAT(archive->traces(), SizeIs(5));
}

}  // namespace
}  // namespace assay::foreign
