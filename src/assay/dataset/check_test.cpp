#include <assay/dataset/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/dataset/test_blobs.hpp>
#include <assay/dataset/test_dataset.hpp>

namespace assay::dataset {
namespace {

using testing::BlobDataset;
using testing::DatasetFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

template <class Folder>
DatasetCheck checked(const Folder& folder, BlobDemand demand = BlobDemand::optional) {
  return check_dataset(Dataset::open(folder.path()).value(), demand);
}

std::vector<std::string> codes(const std::vector<base::Error>& problems) {
  std::vector<std::string> result;
  for (const base::Error& problem : problems) {
    result.push_back(problem.code);
  }
  return result;
}

TEST(CheckDataset, CountsWhatIsSound) {
  const DatasetCheck check = checked(DatasetFolder());
  EXPECT_EQ(check.problem_count(), 0U);
  EXPECT_EQ(check.exit_code(), 0);
  ASSERT_THAT(check.definitions, SizeIs(1));
  const DefinitionCheck& add = check.definitions[0];
  EXPECT_EQ(add.name, "add");
  EXPECT_EQ(add.op_type, "elementwise");
  EXPECT_EQ(add.workloads, 2U);
  EXPECT_EQ(add.solutions, 1U);
  EXPECT_EQ(add.blobs_named, 0U);
  EXPECT_EQ(add.lengths_generated, 0U);
}

TEST(CheckDataset, ADefinitionNeedsAllOfItsBlobsOrNone) {
  const BlobDataset folder;
  DatasetCheck check = checked(folder);
  EXPECT_EQ(check.problem_count(), 0U);
  EXPECT_EQ(check.definitions[0].blobs_named, 2U);
  EXPECT_EQ(check.definitions[0].blobs_present, 0U);
  EXPECT_EQ(check.definitions[0].lengths_generated, 2U);

  EXPECT_THAT(codes(checked(folder, BlobDemand::required).definitions[0].problems),
              ElementsAre("blob.missing", "blob.missing"));

  folder.write_blob("w-1", {3, 16});
  check = checked(folder);
  EXPECT_THAT(codes(check.definitions[0].problems), ElementsAre("blob.missing"));
  EXPECT_THAT(check.definitions[0].problems[0].message, HasSubstr("workload w-2"));
  EXPECT_EQ(check.exit_code(), 2);

  folder.write_blob("w-2", {0, 1, 2});
  check = checked(folder, BlobDemand::required);
  EXPECT_EQ(check.problem_count(), 0U);
  EXPECT_EQ(check.definitions[0].blobs_present, 2U);
  EXPECT_EQ(check.definitions[0].lengths_from_blobs, 2U);
}

TEST(CheckDataset, ABadBlobIsToldOnce) {
  const BlobDataset folder;
  folder.write_blob("w-2", {0, 1, 2});
  folder.write(BlobDataset::blob("w-1"), testing::kLfsPointer);
  EXPECT_THAT(codes(checked(folder).definitions[0].problems), ElementsAre("blob.lfs_pointer"));
}

TEST(CheckDataset, GoesOnAfterEveryFault) {
  const DatasetFolder folder;
  folder.write("definitions/elementwise/broken.json", "{");
  folder.write("definitions/elementwise/bare.json", DatasetFolder::definition("bare"));
  folder.write("workloads/elementwise/add.jsonl",
               "x\n" + DatasetFolder::workload("add", "a", 1) + "\n" + DatasetFolder::workload("add", "a", 2) + "\n");
  folder.write("workloads/elementwise/lost.jsonl", "");
  folder.write("lengths/elementwise/add.jsonl", "");
  folder.write("solutions/someone/elementwise/add/bad.json", "[]");
  const DatasetCheck check = checked(folder);
  ASSERT_THAT(check.definitions, SizeIs(3));
  EXPECT_THAT(codes(check.definitions[0].problems),
              ElementsAre("json.syntax", "dataset.duplicate", "dataset.lengths", "schema.invalid"));
  EXPECT_EQ(check.definitions[0].workloads, 1U);
  EXPECT_EQ(check.definitions[0].solutions, 1U);
  EXPECT_THAT(codes(check.definitions[1].problems), ElementsAre("dataset.no_workloads"));
  EXPECT_THAT(codes(check.definitions[2].problems), ElementsAre("json.syntax"));
  EXPECT_EQ(check.definitions[2].op_type, "");
  ASSERT_THAT(codes(check.problems), ElementsAre("dataset.no_definition"));
  EXPECT_THAT(check.problems[0].message, HasSubstr("lost.jsonl"));
  EXPECT_EQ(check.problem_count(), 7U);
}

TEST(CheckDataset, TheExitCodeSaysWhoIsToBlame) {
  DatasetCheck check;
  EXPECT_EQ(check.exit_code(), 0);
  check.problems.push_back({base::Owner::environment, "file.read", "the disk", {}});
  EXPECT_EQ(check.exit_code(), 3);
  check.definitions.emplace_back();
  check.definitions[0].problems.push_back({base::Owner::input, "x", "y", {}});
  EXPECT_EQ(check.exit_code(), 2);
  EXPECT_EQ(check.problem_count(), 2U);
}

}  // namespace
}  // namespace assay::dataset
