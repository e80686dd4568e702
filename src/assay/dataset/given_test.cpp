#include <assay/dataset/given.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/base/digest.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/dataset/test_blobs.hpp>
#include <assay/os/file_stream.hpp>

namespace assay::dataset {
namespace {

using ::testing::AllOf;
using testing::BlobDataset;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GivenTest : public ::testing::Test {
 protected:
  task::Definition definition() const { return Dataset::open(folder_.path())->definition("rows").value(); }
  std::vector<task::Workload> workloads() const { return Dataset::open(folder_.path())->workloads("rows").value(); }
  base::Result<std::vector<task::Workload>> found() const {
    std::vector<task::Workload> all = workloads();
    ASSAY_TRY(find_given(folder_.path(), definition(), all));
    return all;
  }

  BlobDataset folder_;
};

TEST_F(GivenTest, WithoutFilesNothingIsGiven) {
  const std::vector<task::Workload> workloads = found().value();
  for (const task::Workload& workload : workloads) {
    EXPECT_THAT(workload.given, IsEmpty());
  }
}

TEST_F(GivenTest, NamesTheBytesOfEachInput) {
  folder_.write_blob("w-1", {3, 16});
  const auto all = found();
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_THAT((*all)[1].given, IsEmpty()) << "its file is not there";
  const std::vector<task::GivenInput>& given = (*all)[0].given;
  ASSERT_THAT(given, SizeIs(2));
  EXPECT_EQ(given[1].input, "seq_lens");
  EXPECT_EQ(given[1].bytes, 8U);
  const auto file = os::FileReader::open(given[1].file);
  ASSERT_TRUE(file) << file.error().text();
  std::vector<std::int32_t> lengths(2);
  ASSERT_TRUE(file->read_at(given[1].offset, std::as_writable_bytes(std::span(lengths))));
  EXPECT_THAT(lengths, ::testing::ElementsAre(3, 16));
  EXPECT_EQ(given[1].sha256, base::sha256(std::as_bytes(std::span(lengths))).hex());
}

TEST_F(GivenTest, AChangedByteIsAnotherDigest) {
  folder_.write_blob("w-1", {3, 16});
  const std::string before = (*found())[0].given[1].sha256;
  folder_.write_blob("w-1", {3, 15});
  EXPECT_NE((*found())[0].given[1].sha256, before);
}

TEST_F(GivenTest, ABadFileIsNeverPassedOver) {
  std::vector<task::Workload> one = {workloads().front()};
  const auto fault = [&](const std::string& text) {
    folder_.write(BlobDataset::blob("w-1"), text);
    const auto result = find_given(folder_.path(), definition(), one);
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().code + " " + result.error().text();
  };
  EXPECT_THAT(fault(testing::kLfsPointer),
              AllOf(HasSubstr("blob.lfs_pointer"), HasSubstr("w-1.safetensors"), HasSubstr("git lfs pull")));
  EXPECT_THAT(fault("short"), HasSubstr("blob.damaged"));
  const testing::FilledTensor lengths =
      testing::filled("seq_lens", tensor::DType::int32, {2}, std::vector<std::int32_t>{3, 16});
  EXPECT_THAT(fault(testing::blob_text({lengths})), AllOf(HasSubstr("blob.key"), HasSubstr("/inputs/x/tensor_key")));
  const testing::FilledTensor wide =
      testing::filled("x", tensor::DType::bfloat16, {2, 5}, std::vector<std::uint16_t>(10));
  EXPECT_THAT(fault(testing::blob_text({wide, lengths})), AllOf(HasSubstr("blob.shape"), HasSubstr("[2, 4]")));
}

TEST_F(GivenTest, SomeOfAWorkloadsFilesAreAnIncompleteDownload) {
  folder_.write_blob("w-1", {3, 16});
  std::vector<task::Workload> one = {workloads().front()};
  for (auto& [name, input] : one[0].inputs) {
    if (name == "x") {
      std::get<task::SafetensorsInput>(input).path = "blob/elsewhere.safetensors";
    }
  }
  const auto result = find_given(folder_.path(), definition(), one);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "blob.missing");
  EXPECT_THAT(result.error().text(), HasSubstr("elsewhere.safetensors"));
}

}  // namespace
}  // namespace assay::dataset
