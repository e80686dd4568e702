#include <assay/archive/archive.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay/archive/database.hpp>
#include <assay/archive/migrations.hpp>
#include <assay/archive/sample_bundle.hpp>

namespace assay::archive {
namespace {

using testing::HasSubstr;

class ArchiveTest : public testing::Test {
 protected:
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "archive-").value();
  os::Path root_ = folder_.path() / "archive";
};

TEST_F(ArchiveTest, AWriterCreatesIt) {
  const auto archive = Archive::open_writer(root_);
  ASSERT_TRUE(archive) << archive.error().text();
  EXPECT_EQ(archive->root(), root_);
  EXPECT_EQ(archive->spool(), root_ / "spool");
  EXPECT_TRUE(std::filesystem::is_directory(archive->spool()));
  EXPECT_TRUE(std::filesystem::is_regular_file(root_ / "archive.sqlite"));
  EXPECT_TRUE(archive->evaluations("", "").value().empty());
}

TEST_F(ArchiveTest, AReaderDoesNot) {
  const auto archive = Archive::open_reader(root_);
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().owner, base::Owner::input);
  EXPECT_EQ(archive.error().code, "archive.not_found");
  EXPECT_THAT(archive.error().text(), HasSubstr(root_.string()));
  EXPECT_THAT(archive.error().text(), HasSubstr("assay evaluate"));
  EXPECT_FALSE(std::filesystem::exists(root_));
}

TEST_F(ArchiveTest, ReadersAreNotHeldUpByTheWriter) {
  auto writer = Archive::open_writer(root_).value();
  ASSERT_TRUE(writer.record_candidate(sample_solution("first")));
  const auto reader = Archive::open_reader(root_);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->candidates("")->size(), 1U);
  ASSERT_TRUE(writer.record_candidate(sample_solution("second")));
  EXPECT_EQ(reader->candidates("")->size(), 2U);
}

TEST_F(ArchiveTest, AReaderChangesNothing) {
  {
    ASSERT_TRUE(Archive::open_writer(root_));
  }
  auto reader = Archive::open_reader(root_).value();
  EXPECT_EQ(reader.record_candidate(sample_solution("x")).error().owner, base::Owner::internal);
  EXPECT_EQ(reader.ingest(root_ / "spool" / "e-1", "", std::nullopt).error().code, "archive.opened_for_reading");
  EXPECT_EQ(reader.create_campaign({"c", "scale", "{}", ""}).error().code, "archive.opened_for_reading");
  EXPECT_EQ(reader.append({"c", 0, {}}).error().code, "archive.opened_for_reading");
  EXPECT_EQ(reader.collect_garbage().error().code, "archive.opened_for_reading");
}

TEST_F(ArchiveTest, ASecondWriterIsToldWhoHoldsIt) {
  const auto first = Archive::open_writer(root_).value();
  const auto second = Archive::open_writer(root_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().owner, base::Owner::environment);
  EXPECT_EQ(second.error().code, "archive.in_use");
  EXPECT_THAT(second.error().text(), HasSubstr("the archive is in use by process " + std::to_string(::getpid()) + ":"));
}

TEST_F(ArchiveTest, TheLockEndsWithItsHolder) {
  {
    ASSERT_TRUE(Archive::open_writer(root_));
  }
  ASSERT_TRUE(Archive::open_writer(root_));
  const int child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto held = Archive::open_writer(root_);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto after = Archive::open_writer(root_);
  EXPECT_TRUE(after) << after.error().text();
}

TEST_F(ArchiveTest, ANewerArchiveIsRefusedAndLeftAlone) {
  {
    ASSERT_TRUE(Archive::open_writer(root_));
  }
  {
    const Database raw = open_raw(root_);
    ASSERT_TRUE(raw.script("UPDATE meta SET schema_version = 7; PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  const std::string before = os::read_file(root_ / "archive.sqlite").value();
  for (const auto& error : {Archive::open_writer(root_).error(), Archive::open_reader(root_).error()}) {
    EXPECT_EQ(error.owner, base::Owner::input);
    EXPECT_EQ(error.code, "archive.newer");
    EXPECT_EQ(error.message, (root_ / "archive.sqlite").string() +
                                 " was written by a newer Assay (schema 7; this one knows 3): upgrade Assay");
  }
  EXPECT_EQ(os::read_file(root_ / "archive.sqlite").value(), before);
}

TEST_F(ArchiveTest, AnInterruptedCreationIsFinishedByTheNextWriter) {
  ASSERT_TRUE(os::create_directories(root_));
  ASSERT_TRUE(os::write_file_atomic(root_ / "archive.sqlite", ""));
  EXPECT_EQ(Archive::open_reader(root_).error().code, "archive.older");
  const auto archive = Archive::open_writer(root_);
  ASSERT_TRUE(archive) << archive.error().text();
  EXPECT_TRUE(Archive::open_reader(root_));
}

TEST_F(ArchiveTest, AFileThatIsNoDatabaseIsNamedAndLeftAlone) {
  ASSERT_TRUE(os::create_directories(root_));
  const std::string rubbish(8192, 'r');
  ASSERT_TRUE(os::write_file_atomic(root_ / "archive.sqlite", rubbish));
  for (const auto& error : {Archive::open_writer(root_).error(), Archive::open_reader(root_).error()}) {
    EXPECT_EQ(error.code, "archive.damaged");
    EXPECT_THAT(error.text(), HasSubstr((root_ / "archive.sqlite").string()));
    EXPECT_THAT(error.text(), HasSubstr("restore it from a copy"));
  }
  EXPECT_EQ(os::read_file(root_ / "archive.sqlite").value(), rubbish);
}

TEST_F(ArchiveTest, AnotherProgramsDatabaseIsRefused) {
  ASSERT_TRUE(os::create_directories(root_));
  {
    ASSERT_TRUE(open_raw(root_).script("CREATE TABLE songs (title TEXT)"));
  }
  EXPECT_EQ(Archive::open_writer(root_).error().code, "archive.foreign");
  EXPECT_EQ(Archive::open_reader(root_).error().code, "archive.foreign");
}

TEST_F(ArchiveTest, APlaceThatCannotBeAFolderIsNamed) {
  ASSERT_TRUE(os::write_file_atomic(root_, "a file"));
  const auto archive = Archive::open_writer(root_);
  ASSERT_FALSE(archive);
  EXPECT_THAT(archive.error().text(), HasSubstr(root_.string()));
}

}  // namespace
}  // namespace assay::archive
