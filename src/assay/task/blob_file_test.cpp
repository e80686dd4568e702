#include <assay/task/blob_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Workload workload(Named<InputSpec> inputs) {
  Workload made;
  made.uuid = "w";
  made.inputs = std::move(inputs);
  return made;
}

TEST(BlobFiles, AreThoseOfTheSafetensorsInputs) {
  const Workload mixed = workload({{"x", RandomInput{}},
                                   {"q", SafetensorsInput{"./blob/b.safetensors", "q"}},
                                   {"scale", ScalarInput{1.0}},
                                   {"k", SafetensorsInput{"blob/a.safetensors", "k"}},
                                   {"v", SafetensorsInput{"blob//./b.safetensors", "v"}}});
  const std::vector<BlobFile> files = blob_files(mixed);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, "blob/b.safetensors");
  EXPECT_THAT(files[0].inputs, ElementsAre("q", "v"));
  EXPECT_EQ(files[1].path, "blob/a.safetensors");
  EXPECT_THAT(files[1].inputs, ElementsAre("k"));
  EXPECT_EQ(blob_place(mixed, "v").path, "blob//./b.safetensors");
  EXPECT_EQ(blob_place(mixed, "v").tensor_key, "v");
}

TEST(BlobFiles, AWorkloadMayHaveNone) {
  EXPECT_TRUE(blob_files(workload({{"x", RandomInput{}}, {"scale", ScalarInput{1.0}}})).empty());
  EXPECT_TRUE(blob_files(workload({})).empty());
}

TEST(BlobPath, StaysInTheDataset) {
  for (const char* good : {"a", "./a", "blob/workloads/x.safetensors", "blob/..x", "blob/x..y/z"}) {
    EXPECT_EQ(blob_path_fault(good), std::nullopt) << good;
  }
  for (const auto& [bad, why] : std::vector<std::pair<std::string, std::string>>{{"/etc/x", "absolute"},
                                                                                 {"../x", "leads out"},
                                                                                 {"blob/../../x", "leads out"},
                                                                                 {"blob/..", "leads out"},
                                                                                 {"", "names a folder"},
                                                                                 {"blob/", "names a folder"},
                                                                                 {"blob/.", "names a folder"},
                                                                                 {"a\nb", "control"},
                                                                                 {std::string("a\0b", 3), "control"}}) {
    EXPECT_THAT(blob_path_fault(bad).value_or("no fault"), HasSubstr(why)) << bad;
  }
}

TEST(BundledBlobs, HaveNamesThatNeverChange) {
  EXPECT_EQ(bundled_blob_name(0), "blob-0.safetensors");
  EXPECT_EQ(bundled_blob_name(12), "blob-12.safetensors");
}

}  // namespace
}  // namespace assay::task
