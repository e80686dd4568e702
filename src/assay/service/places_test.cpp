#include <assay/service/places.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::service {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class PlacesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = os::TemporaryDirectory::create(testing::TempDir(), "places-");
    ASSERT_TRUE(folder) << folder.error().text();
    folder_ = std::make_unique<os::TemporaryDirectory>(std::move(*folder));
    surroundings_.working_directory = folder_->path() / "project" / "sub";
    surroundings_.program_directory = folder_->path() / "install" / "build" / "release" / "bin";
    make(surroundings_.working_directory);
    make(surroundings_.program_directory);
  }

  static void make(const os::Path& path) { ASSERT_TRUE(os::create_directories(path)); }

  std::unique_ptr<os::TemporaryDirectory> folder_;
  Surroundings surroundings_;
};

TEST_F(PlacesTest, OptionWinsOverVariableOverDefault) {
  make(surroundings_.working_directory / "datasets" / "contest");
  EXPECT_EQ(find_places(surroundings_).dataset, surroundings_.working_directory / "datasets" / "contest");
  surroundings_.dataset_variable = "/from/variable";
  surroundings_.archive_variable = "/archive/variable";
  EXPECT_EQ(find_places(surroundings_).dataset, "/from/variable");
  EXPECT_EQ(find_places(surroundings_).archive, "/archive/variable");
  surroundings_.dataset_option = "/from/option";
  surroundings_.archive_option = "/archive/option";
  EXPECT_EQ(find_places(surroundings_).dataset, "/from/option");
  EXPECT_EQ(find_places(surroundings_).archive, "/archive/option");
}

TEST_F(PlacesTest, AMistypedDatasetIsKeptSoThatTheErrorCanNameIt) {
  make(surroundings_.working_directory / "datasets" / "contest");
  surroundings_.dataset_option = "/no/such/folder";
  const Places places = find_places(surroundings_);
  EXPECT_EQ(places.dataset, "/no/such/folder");
  EXPECT_THAT(places.dataset_candidates, IsEmpty());
}

TEST_F(PlacesTest, NearestFolderAboveIsTakenBeforeTheInstallation) {
  make(folder_->path() / "install" / "datasets" / "contest");
  EXPECT_EQ(find_places(surroundings_).dataset, folder_->path() / "install" / "datasets" / "contest");
  make(folder_->path() / "datasets" / "contest");
  EXPECT_EQ(find_places(surroundings_).dataset, folder_->path() / "datasets" / "contest");
  make(folder_->path() / "project" / "datasets" / "contest");
  EXPECT_EQ(find_places(surroundings_).dataset, folder_->path() / "project" / "datasets" / "contest");
}

TEST_F(PlacesTest, WithoutAnyDatasetTheTriedFoldersAreTold) {
  const Places places = find_places(surroundings_);
  EXPECT_TRUE(places.dataset.empty());
  EXPECT_THAT(places.dataset_candidates, Contains(folder_->path() / "project" / "datasets" / "contest"));
  EXPECT_THAT(places.dataset_candidates, Contains(folder_->path() / "install" / "datasets" / "contest"));
  EXPECT_THAT(places.dataset_candidates,
              Contains(folder_->path() / "install" / "build" / "release" / "share" / "assay" / "datasets" / "contest"));
}

TEST_F(PlacesTest, ArchiveCacheAndProgramsHaveTheirDefaults) {
  const Places places = find_places(surroundings_);
  EXPECT_EQ(places.archive, surroundings_.working_directory / ".assay");
  EXPECT_EQ(places.build_cache, places.archive / "build-cache");
  EXPECT_EQ(places.judge, surroundings_.program_directory / "assay-judge");
  EXPECT_EQ(places.worker, surroundings_.program_directory / "assay-worker");
  surroundings_.cache_variable = "/shared/cache";
  EXPECT_EQ(find_places(surroundings_).build_cache, "/shared/cache");
}

TEST_F(PlacesTest, SkillsLieBesideTheProgramsOrWhereTheVariableSays) {
  make(surroundings_.working_directory / "skills");
  EXPECT_TRUE(find_places(surroundings_).skills.empty()) << "a folder of that name may be anybody's";
  EXPECT_THAT(find_places(surroundings_).skills_candidates,
              ElementsAre(folder_->path() / "install" / "skills",
                          folder_->path() / "install" / "build" / "release" / "share" / "assay" / "skills"));
  make(folder_->path() / "install" / "build" / "release" / "share" / "assay" / "skills");
  EXPECT_EQ(find_places(surroundings_).skills,
            folder_->path() / "install" / "build" / "release" / "share" / "assay" / "skills");
  make(folder_->path() / "install" / "skills");
  EXPECT_EQ(find_places(surroundings_).skills, folder_->path() / "install" / "skills");
  surroundings_.skills_variable = "/no/such/folder";
  EXPECT_EQ(find_places(surroundings_).skills, "/no/such/folder");
  EXPECT_THAT(find_places(surroundings_).skills_candidates, IsEmpty());
}

TEST(SurroundingsTest, ComesFromThisProcess) {
  ASSERT_EQ(setenv("ASSAY_DATASET", "/a/dataset", 1), 0);
  ASSERT_EQ(setenv("ASSAY_ARCHIVE", "", 1), 0);
  ASSERT_EQ(setenv("ASSAY_SKILLS", "/some/skills", 1), 0);
  const Surroundings surroundings = surroundings_of_this_process("/given", std::nullopt);
  EXPECT_EQ(surroundings.dataset_option, "/given");
  EXPECT_EQ(surroundings.archive_option, std::nullopt);
  EXPECT_EQ(surroundings.dataset_variable, "/a/dataset");
  EXPECT_EQ(surroundings.archive_variable, std::nullopt) << "an empty variable is as good as none";
  EXPECT_EQ(surroundings.skills_variable, "/some/skills");
  EXPECT_EQ(surroundings.working_directory, std::filesystem::current_path());
  EXPECT_EQ(surroundings.program_directory, os::executable_directory().value());
  unsetenv("ASSAY_DATASET");
  unsetenv("ASSAY_ARCHIVE");
  unsetenv("ASSAY_SKILLS");
}

}  // namespace
}  // namespace assay::service
