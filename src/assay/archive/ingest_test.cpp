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

class IngestTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""})); }
  std::vector<std::string> spool_entries() const { return os::list_directory(archive_.spool()).value(); }
  void expect_nothing_changed() const {
    EXPECT_THAT(archive_.evaluations("", "").value(), IsEmpty());
    EXPECT_THAT(archive_.candidates("").value(), IsEmpty());
    EXPECT_THAT(archive_.events("c").value(), IsEmpty());
    EXPECT_THAT(archive_.verify()->problems, IsEmpty());
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "ingest-").value();
  os::Path root_ = folder_.path() / "archive";
  Archive archive_ = Archive::open_writer(root_).value();
};

TEST_F(IngestTest, StoresEverythingAndRemovesTheFolder) {
  const auto bundle = put_sample(archive_.spool(), "e-1");
  const Append append{"c", 0, {{"evaluated", R"({"id": "e-1"})"}, {"decided", R"({"keep": true})"}}};
  const auto evaluation = archive_.ingest(bundle, "c", append);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  EXPECT_EQ(evaluation->id, "e-1");
  EXPECT_EQ(evaluation->outcome, task::Outcome::measured);
  EXPECT_THAT(spool_entries(), IsEmpty());

  const auto summaries = archive_.evaluations("c", "").value();
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].candidate, evaluation->candidate.content);
  EXPECT_EQ(archive_.candidates("scale")->size(), 1U);
  const auto events = archive_.events("c").value();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].sequence, 2);
  EXPECT_EQ(events[1].kind, "decided");
  EXPECT_EQ(archive_.bundle_file("e-1", "candidate-build.log"), "built e-1\n");
  EXPECT_THAT(archive_.verify()->problems, IsEmpty());
}

TEST_F(IngestTest, RecordsBothSolutions) {
  auto request = sample_request("e-1", "y = 2 * x;");
  request.stage = task::Stage::gate;
  request.incumbent = sample_solution("y = x + x;");
  write_bundle(archive_.spool() / "e-1", sample_files(request, sample_evaluation(request)));
  ASSERT_TRUE(archive_.ingest(archive_.spool() / "e-1", "", std::nullopt));
  EXPECT_EQ(archive_.candidates("scale")->size(), 2U);
  const auto summary = archive_.evaluations("", "").value().at(0);
  EXPECT_EQ(summary.campaign, "");
  EXPECT_EQ(summary.stage, task::Stage::gate);
  EXPECT_EQ(summary.outcome, task::Outcome::better);
  EXPECT_EQ(summary.incumbent, task::identify(*request.incumbent).content);
}

TEST_F(IngestTest, TheSameBundleAgainIsOnlyRemoved) {
  put_sample(archive_.spool(), "e-1");
  ASSERT_TRUE(archive_.ingest(archive_.spool() / "e-1", "c", Append{"c", 0, {{"evaluated", "{}"}}}));
  put_sample(archive_.spool(), "e-1");
  const auto again = archive_.ingest(archive_.spool() / "e-1", "c", Append{"c", 0, {{"evaluated", "{}"}}});
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->id, "e-1");
  EXPECT_THAT(spool_entries(), IsEmpty());
  EXPECT_EQ(archive_.evaluations("", "")->size(), 1U);
  EXPECT_EQ(archive_.events("c")->size(), 1U);
}

TEST_F(IngestTest, AnotherResultUnderTheSameIdIsRefusedWithBothDigests) {
  const auto first = put_sample(archive_.spool(), "e-1", "y = 2 * x;");
  const std::string first_digest = base::sha256(os::read_file(first / "manifest.json").value()).hex();
  ASSERT_TRUE(archive_.ingest(first, "", std::nullopt));
  const auto second = put_sample(archive_.spool(), "e-1", "y = x + x;");
  const std::string second_digest = base::sha256(os::read_file(second / "manifest.json").value()).hex();
  const auto refused = archive_.ingest(second, "", std::nullopt);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::internal);
  EXPECT_EQ(refused.error().code, "archive.conflict");
  EXPECT_THAT(refused.error().text(), HasSubstr(first_digest));
  EXPECT_THAT(refused.error().text(), HasSubstr(second_digest));
  EXPECT_THAT(spool_entries(), ElementsAre("e-1"));
  EXPECT_EQ(archive_.evaluations("", "")->size(), 1U);
}

TEST_F(IngestTest, ADamagedBundleChangesNothingAndStays) {
  const auto bundle = put_sample(archive_.spool(), "e-1");
  ASSERT_TRUE(os::write_file_atomic(bundle / "candidate-build.log", "built e-2\n"));
  const auto refused = archive_.ingest(bundle, "c", Append{"c", 0, {{"evaluated", "{}"}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "bundle.damaged");
  EXPECT_THAT(refused.error().text(), HasSubstr("candidate-build.log"));
  EXPECT_THAT(spool_entries(), ElementsAre("e-1"));
  expect_nothing_changed();
}

TEST_F(IngestTest, AStaleJournalPositionUndoesAll) {
  ASSERT_TRUE(archive_.append({"c", 0, {{"begun", "{}"}}}));
  const auto bundle = put_sample(archive_.spool(), "e-1");
  const auto refused = archive_.ingest(bundle, "c", Append{"c", 0, {{"evaluated", "{}"}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "archive.moved");
  EXPECT_THAT(archive_.evaluations("", "").value(), IsEmpty());
  EXPECT_THAT(archive_.candidates("").value(), IsEmpty());
  EXPECT_THAT(spool_entries(), ElementsAre("e-1"));
  const auto retried = archive_.ingest(bundle, "c", Append{"c", 1, {{"evaluated", "{}"}}});
  EXPECT_TRUE(retried) << retried.error().text();
  EXPECT_EQ(archive_.events("c")->size(), 2U);
}

TEST_F(IngestTest, AnEventThatIsNotAJsonObjectUndoesAll) {
  const auto bundle = put_sample(archive_.spool(), "e-1");
  for (const char* body : {"", "[]", "{\"a\":", "3"}) {
    const auto refused = archive_.ingest(bundle, "c", Append{"c", 0, {{"evaluated", body}}});
    ASSERT_FALSE(refused) << body;
    EXPECT_EQ(refused.error().owner, base::Owner::internal);
  }
  expect_nothing_changed();
}

TEST_F(IngestTest, AnUnknownCampaignIsRefusedWithTheKnownOnes) {
  const auto bundle = put_sample(archive_.spool(), "e-1");
  const auto refused = archive_.ingest(bundle, "night", std::nullopt);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_THAT(refused.error().text(), HasSubstr("\"night\""));
  const auto appended = archive_.ingest(bundle, "", Append{"night", 0, {{"evaluated", "{}"}}});
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, "campaign.not_found");
  expect_nothing_changed();
}

TEST_F(IngestTest, AJudgesErrorIsReturnedAndSetAside) {
  const Files failed = {{"request.json", "{}"},
                        {"error.json", R"({"owner": "environment", "code": "compiler.missing", "message": "no g++"})"}};
  for (const char* name : {"failed-e-1-1", "failed-e-1-2"}) {
    write_bundle(archive_.spool() / "e-1", failed);
    const auto refused = archive_.ingest(archive_.spool() / "e-1", "c", Append{"c", 0, {{"evaluated", "{}"}}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().owner, base::Owner::environment);
    EXPECT_EQ(refused.error().code, "compiler.missing");
    EXPECT_THAT(refused.error().text(), HasSubstr("no g++"));
    EXPECT_THAT(refused.error().text(), HasSubstr(name));
    EXPECT_TRUE(std::filesystem::exists(archive_.spool() / name / "error.json"));
  }
  EXPECT_THAT(spool_entries(), ElementsAre("failed-e-1-1", "failed-e-1-2"));
  expect_nothing_changed();
  // The way is free for another try.
  EXPECT_TRUE(archive_.ingest(put_sample(archive_.spool(), "e-1"), "c", std::nullopt));
}

TEST_F(IngestTest, AHalfDeletedBundleOfAnEarlierIngestionIsNoObstacle) {
  ASSERT_TRUE(os::create_directories(archive_.spool() / "e-1.ingested"));
  ASSERT_TRUE(os::write_file_atomic(archive_.spool() / "e-1.ingested" / "samples.json", "left over"));
  ASSERT_TRUE(archive_.ingest(put_sample(archive_.spool(), "e-1"), "", std::nullopt));
  EXPECT_THAT(spool_entries(), IsEmpty());
}

TEST_F(IngestTest, ABundleOutsideTheSpoolIsTakenToo) {
  const auto bundle = put_sample(folder_.path(), "carried");
  ASSERT_TRUE(archive_.ingest(bundle, "", std::nullopt));
  EXPECT_FALSE(std::filesystem::exists(bundle));
  EXPECT_TRUE(archive_.evaluation("carried")->has_value());
}

TEST_F(IngestTest, EqualFilesAreStoredOnce) {
  for (const char* id : {"e-1", "e-2", "e-3"}) {
    ASSERT_TRUE(archive_.ingest(put_sample(archive_.spool(), id), "", std::nullopt));
  }
  // Apart from the solution and the samples, which all three share: four files each.
  EXPECT_EQ(archive_.verify()->blobs, 2U + 3U * 4U);
}

TEST_F(IngestTest, ACandidateIsRecordedOnce) {
  ASSERT_TRUE(archive_.record_candidate(sample_solution("y = 2 * x;")));
  task::Solution renamed = sample_solution("y = 2 * x;");
  renamed.name = "another-name";
  ASSERT_TRUE(archive_.record_candidate(renamed));
  const auto all = archive_.candidates("").value();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].solution.name, "scale-by-two");
}

TEST_F(IngestTest, ASourceThatCannotBeGivenBackIsRefused) {
  const auto refused = archive_.record_candidate(sample_solution("y = 2 * x; // \xff\xfe"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_THAT(refused.error().text(), HasSubstr("UTF-8"));
  EXPECT_THAT(archive_.candidates("").value(), IsEmpty());
}

}  // namespace
}  // namespace assay::archive
