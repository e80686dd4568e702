#include <assay/dataset/blob.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/dataset/dataset.hpp>
#include <assay/dataset/test_blobs.hpp>

namespace assay::dataset {
namespace {

using tensor::DType;
using ::testing::AllOf;
using testing::blob_text;
using testing::BlobDataset;
using testing::filled;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class BlobTest : public ::testing::Test {
 protected:
  task::Definition definition() const { return Dataset::open(folder_.path())->definition("rows").value(); }
  // The first workload; its lengths do not matter here.
  task::Workload workload() const {
    return Dataset::open(folder_.path())->workload_file("rows")->workloads[0].workload;
  }
  BlobCheck check() const {
    const task::Workload one = workload();
    return check_blobs(folder_.path(), definition(), one, task::resolve_axes(definition(), one.axes).value());
  }
  // The only problem: its code and its message.
  std::pair<std::string, std::string> problem() const {
    const BlobCheck checked = check();
    EXPECT_THAT(checked.problems, SizeIs(1));
    if (checked.problems.empty()) {
      return {};
    }
    const base::Error& error = checked.problems.front();
    EXPECT_EQ(error.owner, base::Owner::input);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr(folder_.path(BlobDataset::blob("w-1")).string()), HasSubstr("workload w-1: /inputs/")));
    return {error.code, error.message};
  }
  void write(const std::string& text) const { folder_.write(BlobDataset::blob("w-1"), text); }

  BlobDataset folder_;
  // What a good file holds.
  testing::FilledTensor x_ = filled("x", DType::bfloat16, {2, 4}, std::vector<std::uint16_t>(8, 7));
  testing::FilledTensor lengths_ = filled("seq_lens", DType::int32, {2}, std::vector<std::int32_t>{3, 16});
};

TEST_F(BlobTest, AGoodFileHasNoProblems) {
  write(blob_text({x_, lengths_}));
  const BlobCheck checked = check();
  EXPECT_TRUE(checked.problems.empty());
  EXPECT_TRUE(checked.missing.empty());
  EXPECT_EQ(checked.named, 1U) << "two inputs, one file";
  EXPECT_EQ(checked.present, 1U);
}

TEST_F(BlobTest, TensorsCanBeRead) {
  write(blob_text({x_, lengths_}));
  const task::SafetensorsInput place = {"./" + BlobDataset::blob("w-1"), "seq_lens"};
  ASSERT_TRUE(blob_exists(folder_.path(), place));
  const auto blob = open_blob(folder_.path(), {"w-1", "seq_lens"}, place);
  ASSERT_TRUE(blob) << blob.error().text();
  const auto entry =
      find_tensor(*blob, {"w-1", "seq_lens"}, place, *task::find(definition().inputs, "seq_lens"), {{"rows", 2}});
  ASSERT_TRUE(entry) << entry.error().text();
  EXPECT_EQ(read_tensor(*blob, **entry).value(), lengths_.bytes);
}

TEST_F(BlobTest, AMissingFileSaysHowToGetIt) {
  const BlobCheck checked = check();
  EXPECT_TRUE(checked.problems.empty());
  EXPECT_EQ(checked.present, 0U);
  ASSERT_THAT(checked.missing, SizeIs(1));
  EXPECT_EQ(checked.missing[0].code, "blob.missing");
  EXPECT_THAT(checked.missing[0].message,
              AllOf(HasSubstr(BlobDataset::blob("w-1")), HasSubstr("workload w-1: /inputs/x/path"),
                    HasSubstr("assay dataset materialise")));
  EXPECT_FALSE(blob_exists(folder_.path(), {BlobDataset::blob("w-1"), "x"}));
}

TEST_F(BlobTest, AGitLfsPointerSaysHowToPullIt) {
  write(testing::kLfsPointer);
  const auto [code, message] = problem();
  EXPECT_EQ(code, "blob.lfs_pointer");
  EXPECT_THAT(message, HasSubstr("git lfs pull --include \"blob/w-1.safetensors\""));
  write(testing::kLfsPointer.substr(0, 20));
  EXPECT_EQ(problem().first, "blob.damaged") << "only the beginning of one";
  write(testing::kLfsPointer + std::string(2000, ' '));
  EXPECT_EQ(problem().first, "blob.damaged") << "too long for one";
}

TEST_F(BlobTest, AWrongKeyIsSuggested) {
  testing::FilledTensor other = lengths_;
  other.tensor.name = "seq_len";
  write(blob_text({x_, other}));
  const auto [code, message] = problem();
  EXPECT_EQ(code, "blob.key");
  EXPECT_THAT(message, AllOf(HasSubstr("/inputs/seq_lens/tensor_key"), HasSubstr("\"seq_lens\""),
                             HasSubstr("did you mean \"seq_len\"?")));
  write(blob_text({x_}));
  EXPECT_THAT(problem().second, HasSubstr("it has x;"));
  folder_.write("blob/w-1.safetensors", blob_text({}));
  EXPECT_THAT(check().problems, SizeIs(2));
  EXPECT_THAT(check().problems[0].message, HasSubstr("it has none;"));
}

TEST_F(BlobTest, AWrongShapeNamesBoth) {
  x_ = filled("x", DType::bfloat16, {4, 2}, std::vector<std::uint16_t>(8));
  write(blob_text({x_, lengths_}));
  const auto [code, message] = problem();
  EXPECT_EQ(code, "blob.shape");
  EXPECT_THAT(message, AllOf(HasSubstr("/inputs/x/"), HasSubstr("[4, 2]"), HasSubstr("[2, 4]"), HasSubstr("axes")));
}

TEST_F(BlobTest, AWrongTypeNamesBoth) {
  x_ = filled("x", DType::float16, {2, 4}, std::vector<std::uint16_t>(8));
  write(blob_text({x_, lengths_}));
  const auto [code, message] = problem();
  EXPECT_EQ(code, "blob.dtype");
  EXPECT_THAT(message, AllOf(HasSubstr("float16"), HasSubstr("bfloat16"), HasSubstr("fetch or write")));
}

TEST_F(BlobTest, ATruncatedFileIsDamagedWhereverItEnds) {
  const std::string whole = blob_text({x_, lengths_});
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    write(whole.substr(0, size));
    const auto [code, message] = problem();
    EXPECT_EQ(code, "blob.damaged") << size;
    EXPECT_THAT(message, AllOf(HasSubstr("fetch or write it anew"), HasSubstr("/inputs/x/path"))) << size;
  }
  write("something else altogether, that is long enough");
  EXPECT_EQ(problem().first, "blob.damaged");
}

TEST_F(BlobTest, AFolderIsNoFile) {
  ASSERT_TRUE(os::create_directories(folder_.path(BlobDataset::blob("w-1"))));
  const BlobCheck checked = check();
  ASSERT_THAT(checked.problems, SizeIs(1));
  EXPECT_EQ(checked.problems[0].code, "file.not_regular");
  EXPECT_THAT(checked.problems[0].text(), HasSubstr("workload w-1: /inputs/x/path"));
}

TEST_F(BlobTest, APathStaysInTheDataset) {
  for (const char* path : {"../x.safetensors", "/etc/passwd", "blob/../../x"}) {
    const task::SafetensorsInput place = {path, "x"};
    EXPECT_FALSE(blob_exists(folder_.path(), place)) << path;
    const auto blob = open_blob(folder_.path(), {"w-1", "x"}, place);
    ASSERT_FALSE(blob) << path;
    EXPECT_EQ(blob.error().code, "blob.path");
    EXPECT_THAT(blob.error().message, AllOf(HasSubstr("workload w-1: /inputs/x/path"), HasSubstr(path)));
  }
}

}  // namespace
}  // namespace assay::dataset
