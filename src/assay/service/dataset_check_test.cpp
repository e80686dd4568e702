#include <assay/service/dataset_check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/dataset/test_blobs.hpp>

namespace assay::service {
namespace {

using dataset::BlobDemand;
using dataset::testing::BlobDataset;
using testing::HasSubstr;

TEST(DatasetCheckTest, ChecksTheDatasetOfTheRun) {
  const BlobDataset folder;
  Context context;
  context.places.dataset = folder.path();
  auto check = check_dataset(context, BlobDemand::optional);
  ASSERT_TRUE(check) << check.error().text();
  EXPECT_EQ(encode(*check)["sound"], true);
  check = check_dataset(context, BlobDemand::required);
  EXPECT_EQ(encode(*check)["sound"], false);
  context.places.dataset = folder.path("nowhere");
  EXPECT_EQ(check_dataset(context, BlobDemand::optional).error().code, "dataset.not_found");
  context.places.dataset.clear();
  EXPECT_EQ(check_dataset(context, BlobDemand::optional).error().code, "dataset.none");
}

TEST(DatasetCheckTest, IsEncodedWithEveryProblem) {
  const BlobDataset folder;
  folder.write_blob("w-1", {3, 4});
  folder.write(BlobDataset::blob("w-2"), dataset::testing::kLfsPointer);
  folder.write("lengths/paged/lost.jsonl", "");
  Context context;
  context.places.dataset = folder.path();
  const base::Json json = encode(check_dataset(context, BlobDemand::optional).value());
  EXPECT_EQ(json["dataset"], folder.path().string());
  const base::Json& rows = json["definitions"][0];
  EXPECT_EQ(rows["name"], "rows");
  EXPECT_EQ(rows["op_type"], "paged");
  EXPECT_EQ(rows["workloads"], 2);
  EXPECT_EQ(rows["blobs"], (base::Json{{"named", 2}, {"present", 2}}));
  EXPECT_EQ(rows["lengths"], (base::Json{{"from_blobs", 1}, {"from_file", 0}, {"generated", 1}}));
  ASSERT_EQ(rows["problems"].size(), 1U);
  EXPECT_EQ(rows["problems"][0]["code"], "blob.lfs_pointer");
  EXPECT_EQ(rows["problems"][0]["owner"], "input");
  EXPECT_THAT(rows["problems"][0]["message"].get<std::string>(), HasSubstr("w-2"));
  ASSERT_EQ(json["problems"].size(), 1U);
  EXPECT_EQ(json["problems"][0]["code"], "dataset.no_definition");
}

}  // namespace
}  // namespace assay::service
