#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/archive/sample_bundle.hpp>

namespace assay::archive {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An archive with one campaign, two evaluations and three events, which a test then damages.
class CareTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(archive_.create_campaign({"c", "scale", "{}", ""}));
    ASSERT_TRUE(archive_.append({"c", 0, {{"begun", "{}"}}}));
    ASSERT_TRUE(
        archive_.ingest(put_sample(archive_.spool(), "e-1", "one"), "c", Append{"c", 1, {{"evaluated", "{}"}}}));
    ASSERT_TRUE(
        archive_.ingest(put_sample(archive_.spool(), "e-2", "two"), "c", Append{"c", 2, {{"evaluated", "{}"}}}));
  }
  void damage(const std::string& sql) {
    const auto done = open_raw(root_).script("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; " + sql);
    ASSERT_TRUE(done) << done.error().text();
  }
  std::vector<std::string> problems() const {
    const auto report = archive_.verify();
    EXPECT_TRUE(report) << report.error().text();
    return report ? report->problems : std::vector<std::string>();
  }
  std::string blob_of(const std::string& id, const std::string& file) const {
    const Database raw = open_raw(root_);
    Rows rows = raw.query(
                       "SELECT blob FROM bundle_files f JOIN evaluations e ON e.number = f.evaluation "
                       "WHERE e.id = ? AND f.name = ?",
                       {id, file})
                    .value();
    EXPECT_TRUE(rows.next().value());
    return rows.text(0);
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "care-").value();
  os::Path root_ = folder_.path() / "archive";
  Archive archive_ = Archive::open_writer(root_).value();
};

TEST_F(CareTest, ASoundArchiveHasNoProblemsAndIsCounted) {
  const auto report = archive_.verify();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_EQ(report->evaluations, 2U);
  EXPECT_EQ(report->candidates, 2U);
  // The samples are the same in both.
  EXPECT_EQ(report->blobs, 2U + 1U + 2U * 4U);
  EXPECT_GT(report->blob_bytes, 1000U);
}

TEST_F(CareTest, AReaderVerifiesToo) {
  const auto report = Archive::open_reader(root_)->verify();
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->problems, IsEmpty());
}

TEST_F(CareTest, AMissingBlobIsNamedWithItsUser) {
  const std::string hex = blob_of("e-2", "candidate-build.log");
  std::filesystem::remove(blob_path(root_, hex));
  EXPECT_THAT(problems(), ElementsAre("evaluation e-2: candidate-build.log: blob " + hex + " is missing"));
}

TEST_F(CareTest, ADamagedBlobIsNamedWithItsUser) {
  const std::string hex = blob_of("e-1", "candidate-build.log");
  const os::Path path = blob_path(root_, hex);
  ASSERT_TRUE(os::write_file_atomic(path, "built e-7\n"));
  const auto found = problems();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr("evaluation e-1: candidate-build.log: blob " + hex + " is damaged"));
}

TEST_F(CareTest, ADamagedSolutionIsNamed) {
  const Database raw = open_raw(root_);
  Rows rows = raw.query("SELECT content, solution_blob FROM candidates ORDER BY number LIMIT 1").value();
  ASSERT_TRUE(rows.next().value());
  std::filesystem::remove(blob_path(root_, rows.text(1)));
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("candidate " + rows.text(0).substr(0, 12) + ": blob")));
}

TEST_F(CareTest, ACandidateWhoseDigestsAreNotItsSolutionsIsNamed) {
  const std::string other = base::sha256("other").hex();
  damage("UPDATE candidates SET normalised = '" + other + "' WHERE number = 1");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("normalised digest")));
  damage("UPDATE candidates SET content = '" + other + "' WHERE number = 2");
  EXPECT_THAT(problems(), Contains(HasSubstr("candidate " + other.substr(0, 12) + ": the solution's content digest")));
  // The evaluation names that candidate.
  EXPECT_THAT(problems(), Contains(HasSubstr("evaluation e-2: its row says candidate")));
}

TEST_F(CareTest, ADigestOfBeforeBlanksStoppedCountingIsNoDamage) {
  const Database raw = open_raw(root_);
  Rows rows = raw.query("SELECT content FROM candidates WHERE number = 1").value();
  ASSERT_TRUE(rows.next().value());
  const auto candidate = Archive::open_reader(root_)->candidate(rows.text(0));
  ASSERT_TRUE(candidate && *candidate);
  const std::string earlier = task::earlier_normalised((*candidate)->solution).hex();
  EXPECT_NE(earlier, (*candidate)->identity.normalised.hex());
  damage("UPDATE candidates SET normalised = '" + earlier + "' WHERE number = 1");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(CareTest, ACandidateOfAnotherDefinitionIsNamed) {
  damage("UPDATE candidates SET definition = 'shift' WHERE number = 1");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("its row says definition shift and its solution says scale")));
}

TEST_F(CareTest, ARowThatDisagreesWithItsEvaluationIsNamed) {
  const auto expect = [&](const std::string& set, const std::string& undo, const std::string& message) {
    damage("UPDATE evaluations SET " + set + " WHERE id = 'e-1'");
    EXPECT_THAT(problems(), ElementsAre(HasSubstr(message)));
    damage("UPDATE evaluations SET " + undo + " WHERE number = 1");
    EXPECT_THAT(problems(), IsEmpty());
  };
  expect("outcome = 'better'", "outcome = 'measured'",
         "evaluation e-1: its row says outcome \"better\" and its evaluation.json says \"measured\"");
  expect("id = 'e-9'", "id = 'e-1'", "evaluation e-9: its row says id \"e-9\"");
  expect("stage = 'gate'", "stage = 'measure'", "its row says stage \"gate\"");
  expect("device = 'simulated:1'", "device = 'cpu'", "its row says device");
  expect("cause = 'magic'", "cause = 'correct in every trial'", "its row says cause \"magic\"");
  expect("wall_seconds = 9", "wall_seconds = 1.25", "its row says wall time \"9\"");
  expect("candidate = 2", "candidate = 1", "its row says candidate");
  expect("incumbent = 2", "incumbent = NULL", "its row says incumbent");
}

TEST_F(CareTest, AnIncompleteBundleIsNamed) {
  damage("DELETE FROM bundle_files WHERE name = 'candidate-build.log' AND evaluation = 1");
  EXPECT_THAT(problems(), ElementsAre("evaluation e-1: candidate-build.log is in the manifest and has no row"));
  damage("DELETE FROM bundle_files WHERE name = 'evaluation.json' AND evaluation = 2");
  EXPECT_THAT(problems(), Contains(HasSubstr("evaluation e-2: evaluation.json is in the manifest and has no row")));
  damage("DELETE FROM bundle_files WHERE name = 'manifest.json' AND evaluation = 1");
  EXPECT_THAT(problems(), Contains("evaluation e-1: manifest.json has no row"));
}

TEST_F(CareTest, AForeignFileInABundleIsNamed) {
  damage("UPDATE bundle_files SET name = 'other.log' WHERE name = 'candidate-build.log' AND evaluation = 1");
  EXPECT_THAT(problems(), Contains("evaluation e-1: other.log has a row and is not in the manifest"));
}

TEST_F(CareTest, AFileWithAnotherDigestOrSizeThanItsManifestIsNamed) {
  damage("UPDATE bundle_files SET blob = '" + blob_of("e-2", "candidate-build.log") +
         "' WHERE name = 'candidate-build.log' AND evaluation = 1");
  EXPECT_THAT(problems(),
              ElementsAre("evaluation e-1: candidate-build.log has another digest in its row than in the manifest"));
  damage("UPDATE bundle_files SET bytes = 1 WHERE name = 'samples.json' AND evaluation = 2");
  EXPECT_THAT(problems(), Contains(HasSubstr("evaluation e-2: samples.json has")));
}

TEST_F(CareTest, AnotherManifestThanTheRowsIsNamed) {
  damage("UPDATE evaluations SET bundle = '" + std::string(64, '0') + "' WHERE number = 1");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("evaluation e-1: its row names manifest 0000")));
}

TEST_F(CareTest, ADigestThatIsNoneIsNamed) {
  damage("UPDATE bundle_files SET blob = 'rubbish' WHERE name = 'samples.json' AND evaluation = 1");
  EXPECT_THAT(problems(), ElementsAre("evaluation e-1: samples.json: \"rubbish\" is not a digest"));
}

TEST_F(CareTest, AGapInAJournalIsNamed) {
  damage("DELETE FROM events WHERE sequence = 2");
  EXPECT_THAT(problems(), ElementsAre("campaign c: its journal lacks entries 2 to 2"));
  damage("DELETE FROM events WHERE sequence = 1");
  EXPECT_THAT(problems(), ElementsAre("campaign c: its journal lacks entries 1 to 2"));
}

TEST_F(CareTest, AnEventThatIsNotAJsonObjectIsNamed) {
  damage("UPDATE events SET body = '{\"a\":' WHERE sequence = 2; UPDATE events SET body = '[]' WHERE sequence = 3");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("campaign c: entry 2 (evaluated) is not JSON"),
                                      HasSubstr("campaign c: entry 3 (evaluated) is not a JSON object")));
}

TEST_F(CareTest, ABrokenConfigurationIsNamed) {
  damage("UPDATE campaigns SET configuration = 'nonsense'");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("campaign c: its configuration is not JSON")));
}

TEST_F(CareTest, ARowThatNamesNothingIsNamed) {
  damage("INSERT INTO events VALUES ('ghost', 1, 'k', '{}', 'now')");
  EXPECT_THAT(problems(), ElementsAre("database: a row of events names one of campaigns that does not exist"));
}

TEST_F(CareTest, AnIndexThatDisagreesWithItsTableIsNamed) {
  // Declares another order than the one in which the index was built.
  damage(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX evaluations_by_candidate ON "
      "evaluations (candidate DESC)' WHERE name = 'evaluations_by_candidate'");
  EXPECT_THAT(Archive::open_reader(root_)->verify()->problems,
              Contains(testing::AllOf(HasSubstr("database: "), HasSubstr("evaluations_by_candidate"))));
}

TEST_F(CareTest, ADamagedUnusedBlobIsNamed) {
  damage("DELETE FROM bundle_files WHERE evaluation = 1; DELETE FROM evaluations WHERE number = 1");
  EXPECT_THAT(problems(), IsEmpty());
  const auto unused = blob::BlobStore::open(root_ / "blobs")->put("unused");
  ASSERT_TRUE(unused);
  EXPECT_THAT(problems(), IsEmpty());
  const os::Path path = blob_path(root_, unused->hex());
  ASSERT_TRUE(os::write_file_atomic(path, "changed"));
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("a blob that nothing uses: blob " + unused->hex() + " is damaged")));
}

TEST_F(CareTest, GarbageIsWhatNoRowNames) {
  auto blobs = blob::BlobStore::open(root_ / "blobs").value();
  ASSERT_TRUE(blobs.put("nobody wants this"));
  ASSERT_TRUE(blobs.put("nor this"));
  const auto before = archive_.verify().value();
  const auto collected = archive_.collect_garbage();
  ASSERT_TRUE(collected) << collected.error().text();
  EXPECT_EQ(collected->blobs_removed, 2U);
  EXPECT_EQ(collected->bytes_freed, before.blob_bytes - archive_.verify()->blob_bytes);
  EXPECT_EQ(archive_.verify()->blobs, before.blobs - 2);
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_TRUE(archive_.evaluation("e-1")->has_value());
  EXPECT_EQ(archive_.collect_garbage()->blobs_removed, 0U);
}

TEST_F(CareTest, GarbageInTheSpoolIsWhatIsIngested) {
  const os::Path spool = archive_.spool();
  put_sample(spool, "e-1", "one");    // the very bundle: an interrupted removal
  put_sample(spool, "e-2", "other");  // another result under an ingested id: evidence of a bug
  put_sample(spool, "e-3", "three");  // waits for ingestion
  ASSERT_TRUE(os::create_directories(spool / "e-1.ingested"));
  ASSERT_TRUE(os::create_directories(spool / "failed-e-1-1"));
  ASSERT_TRUE(os::write_file_atomic(spool / "e-1.request.json", "{}"));
  ASSERT_TRUE(os::write_file_atomic(spool / "e-3.request.json", "{}"));
  const auto collected = archive_.collect_garbage();
  ASSERT_TRUE(collected) << collected.error().text();
  EXPECT_EQ(collected->temporaries_removed, 3U);
  EXPECT_THAT(os::list_directory(spool).value(), ElementsAre("e-2", "e-3", "e-3.request.json", "failed-e-1-1"));
  EXPECT_TRUE(archive_.ingest(spool / "e-3", "", std::nullopt));
}

}  // namespace
}  // namespace assay::archive
