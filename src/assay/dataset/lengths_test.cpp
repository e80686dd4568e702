#include <assay/dataset/lengths.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <assay/dataset/dataset.hpp>
#include <assay/dataset/test_blobs.hpp>

namespace assay::dataset {
namespace {

using tensor::DType;
using ::testing::AllOf;
using testing::BlobDataset;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = StructuralInput::Kind;

// A definition whose axis n has the value that a test gives, and with one integer input of this name and shape.
task::Definition definition_with(const std::string& input, std::vector<std::string> shape, DType dtype = DType::int32) {
  task::Definition definition;
  definition.name = "d";
  for (const char* axis : {"n", "most", "total_seq_len", "num_pages", "max_num_pages", "page_size"}) {
    definition.axes.emplace_back(axis, task::Axis{});
  }
  definition.inputs = {{"x", {std::vector<std::string>{"n"}, DType::float32, std::nullopt}},
                       {input, {std::move(shape), dtype, std::nullopt}}};
  return definition;
}

template <class T>
std::span<const std::byte> contents(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

TEST(StructuralInput, IsKnownByNameShapeAndType) {
  EXPECT_EQ(structural_input(definition_with("seq_lens", {"n"}))->kind, Kind::lengths);
  EXPECT_EQ(structural_input(definition_with("cu_seqlens", {"n"}, DType::int64))->kind, Kind::boundaries);
  EXPECT_EQ(structural_input(definition_with("sparse_indices", {"n", "most"}))->kind, Kind::indices);
  EXPECT_FALSE(structural_input(definition_with("lengths", {"n"})));
  EXPECT_FALSE(structural_input(definition_with("seq_lens", {"n", "most"})));
  EXPECT_FALSE(structural_input(definition_with("sparse_indices", {"n"})));
  EXPECT_FALSE(structural_input(definition_with("seq_lens", {"n"}, DType::float32)));
}

TEST(LengthsOf, SeqLensAreLengths) {
  const task::Definition definition = definition_with("seq_lens", {"n"});
  const StructuralInput input = *structural_input(definition);
  const task::AxisValues axes = {{"n", 3}, {"max_num_pages", 2}, {"page_size", 8}};
  const std::vector<std::int32_t> good = {0, 16, 5};
  EXPECT_THAT(lengths_of(definition, axes, input, contents(good)).value(), ElementsAre(0, 16, 5));
  const std::vector<std::int32_t> negative = {0, -1, 5};
  EXPECT_THAT(lengths_of(definition, axes, input, contents(negative)).error(), HasSubstr("[1] is -1"));
  const std::vector<std::int32_t> too_long = {0, 1, 17};
  EXPECT_THAT(lengths_of(definition, axes, input, contents(too_long)).error(),
              AllOf(HasSubstr("[2] is 17"), HasSubstr("allow 16 at most")));
}

TEST(LengthsOf, BoundariesRiseFromZeroToTheTotal) {
  const task::Definition definition = definition_with("cu_seqlens", {"n"}, DType::int64);
  const StructuralInput input = *structural_input(definition);
  const task::AxisValues axes = {{"n", 4}, {"total_seq_len", 9}};
  const auto read = [&](const std::vector<std::int64_t>& values) {
    return lengths_of(definition, axes, input, contents(values));
  };
  EXPECT_THAT(read({0, 2, 2, 9}).value(), ElementsAre(2, 0, 7));
  EXPECT_THAT(read({1, 2, 2, 9}).error(), HasSubstr("[0] is 1"));
  EXPECT_THAT(read({0, 3, 2, 9}).error(), HasSubstr("[2] is 2, less than the 3"));
  EXPECT_THAT(read({0, 2, 2, 8}).error(), AllOf(HasSubstr("8 in sum"), HasSubstr("total_seq_len is 9")));
  EXPECT_THAT(lengths_of(definition, {{"n", 0}}, input, {}).error(), HasSubstr("empty"));
}

TEST(LengthsOf, IndicesAreCountedByRow) {
  const task::Definition definition = definition_with("sparse_indices", {"n", "most"});
  const StructuralInput input = *structural_input(definition);
  const task::AxisValues axes = {{"n", 3}, {"most", 2}, {"num_pages", 2}, {"page_size", 8}};
  const auto read = [&](const std::vector<std::int32_t>& values) {
    return lengths_of(definition, axes, input, contents(values));
  };
  EXPECT_THAT(read({15, -1, -1, -1, 0, 3}).value(), ElementsAre(1, 0, 2));
  EXPECT_THAT(read({15, -1, -1, 4, 0, 3}).value(), ElementsAre(1, 1, 2)) << "padding may be anywhere";
  EXPECT_THAT(read({0, -1, -1, 16, 0, 3}).error(), AllOf(HasSubstr("[1, 1] is 16"), HasSubstr("below 16")));
  EXPECT_THAT(read({0, -2, -1, -1, 0, 3}).error(), HasSubstr("[0, 1] is -2"));
}

TEST(LengthsFault, CountsAgainstTheAxes) {
  const task::Definition definition = definition_with("cu_seqlens", {"n"}, DType::int64);
  const StructuralInput input = *structural_input(definition);
  const std::vector<std::int64_t> two = {4, 5};
  EXPECT_EQ(lengths_fault(definition, {{"n", 3}, {"total_seq_len", 9}}, input, two), std::nullopt);
  EXPECT_THAT(*lengths_fault(definition, {{"n", 2}, {"total_seq_len", 9}}, input, two),
              AllOf(HasSubstr("are 2"), HasSubstr("make 1")));
  EXPECT_EQ(lengths_fault(definition, {{"n", 3}}, input, two), std::nullopt) << "a definition without a total";
  const std::vector<std::int64_t> huge = {0, std::int64_t{1} << 62U};
  EXPECT_THAT(*lengths_fault(definition, {{"n", 3}}, input, huge), HasSubstr("[1] is 4611686018427387904"));
}

TEST(LengthsOfProperty, BoundariesOfAnyLengthsAreReadBack) {
  const task::Definition definition = definition_with("cu_seqlens", {"n"}, DType::int64);
  EXPECT_TRUE(rc::check("boundaries", [&] {
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> boundaries = {0};
    for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
      lengths.push_back(*rc::gen::inRange<std::int64_t>(0, 5000));
      boundaries.push_back(boundaries.back() + lengths.back());
    }
    const task::AxisValues axes = {{"n", static_cast<std::int64_t>(boundaries.size())},
                                   {"total_seq_len", boundaries.back()}};
    const auto read = lengths_of(definition, axes, *structural_input(definition), contents(boundaries));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == lengths);
  }));
}

class ApplyLengthsTest : public ::testing::Test {
 protected:
  WorkloadFile read() const { return Dataset::open(folder_.path())->workload_file("rows").value(); }
  void write(const std::string& text) const { folder_.write("lengths/paged/rows.jsonl", text); }
  // The only problem when the lengths file is this text.
  std::string problem(const std::string& text) const {
    write(text);
    const WorkloadFile file = read();
    EXPECT_THAT(file.problems, SizeIs(1)) << text;
    EXPECT_FALSE(Dataset::open(folder_.path())->workloads("rows").has_value()) << "never passed over";
    return file.problems.empty() ? std::string() : file.problems[0].text();
  }
  BlobDataset folder_;
};

TEST_F(ApplyLengthsTest, WithoutAnythingTheyStayEmpty) {
  const WorkloadFile file = read();
  EXPECT_THAT(file.problems, IsEmpty());
  EXPECT_THAT(file.workloads[0].workload.lengths, IsEmpty());
  EXPECT_EQ(file.workloads[0].lengths, LengthsSource::generated);
}

TEST_F(ApplyLengthsTest, TheFileGivesThoseThatItHas) {
  write(R"({"uuid": "w-2", "lengths": [0, 32, 7]})"
        "\n\n");
  const WorkloadFile file = read();
  EXPECT_THAT(file.problems, IsEmpty());
  EXPECT_EQ(file.workloads[0].lengths, LengthsSource::generated);
  EXPECT_EQ(file.workloads[1].lengths, LengthsSource::file);
  EXPECT_THAT(file.workloads[1].workload.lengths, ElementsAre(0, 32, 7));
  EXPECT_THAT(Dataset::open(folder_.path())->workloads("rows").value()[1].lengths, ElementsAre(0, 32, 7));
}

TEST_F(ApplyLengthsTest, ABlobHasTheLastWord) {
  write(R"({"uuid": "w-1", "lengths": [1, 1]})");
  folder_.write_blob("w-1", {3, 16});
  const WorkloadFile file = read();
  EXPECT_THAT(file.problems, IsEmpty());
  EXPECT_EQ(file.workloads[0].lengths, LengthsSource::blob);
  EXPECT_THAT(file.workloads[0].workload.lengths, ElementsAre(3, 16));
  EXPECT_EQ(file.workloads[1].lengths, LengthsSource::generated);
}

TEST_F(ApplyLengthsTest, ABadBlobIsNeverPassedOver) {
  write(R"({"uuid": "w-1", "lengths": [1, 1]})");
  folder_.write(BlobDataset::blob("w-1"), testing::kLfsPointer);
  EXPECT_EQ(read().problems.at(0).code, "blob.lfs_pointer");
  folder_.write_blob("w-1", {3, 17});
  EXPECT_EQ(read().problems.at(0).code, "blob.contents");
  EXPECT_THAT(read().problems[0].message,
              AllOf(HasSubstr(BlobDataset::blob("w-1")), HasSubstr("workload w-1: /inputs/seq_lens"),
                    HasSubstr("[1] is 17"), HasSubstr("anew")));
  folder_.write_blob("w-1", {3, 4, 5});
  EXPECT_EQ(read().problems.at(0).code, "blob.shape");
  EXPECT_FALSE(Dataset::open(folder_.path())->workloads("rows").has_value());
}

TEST_F(ApplyLengthsTest, TheFileIsReadStrictly) {
  EXPECT_THAT(problem(R"({"uuid": "w-3", "lengths": [1, 1]})"),
              AllOf(HasSubstr("rows.jsonl:1: /uuid: \"w-3\""), HasSubstr("no workload of rows")));
  EXPECT_THAT(problem(R"({"uuid": "w-1", "lengths": [1]})"),
              AllOf(HasSubstr("rows.jsonl:1: workload w-1: /lengths:"), HasSubstr("are 1"), HasSubstr("make 2")));
  EXPECT_THAT(problem("\n"
                      R"({"uuid": "w-1", "lengths": [1, -1]})"),
              HasSubstr("rows.jsonl:2: /lengths/1"));
  EXPECT_THAT(problem(R"({"uuid": "w-1", "lengths": [1, 17]})"), HasSubstr("16 at most"));
  EXPECT_THAT(problem(R"({"uuid": "w-1", "lengths": [1, 2]})"
                      "\n"
                      R"({"uuid": "w-1", "lengths": [1, 2]})"),
              AllOf(HasSubstr("rows.jsonl:2: /uuid"), HasSubstr("rows.jsonl:1 too")));
  EXPECT_THAT(problem(R"({"uuid": "w-1", "lengths": [1, 2], "more": 1})"), HasSubstr("/more"));
  EXPECT_THAT(problem(R"({"uuid": "w-1"})"), HasSubstr("/lengths: is missing"));
  EXPECT_THAT(problem(R"({"uuid": 1, "lengths": [1, 2]})"), HasSubstr("/uuid"));
  EXPECT_THAT(problem(R"({"uuid": "w-1", "lengths": ["1", 2]})"), HasSubstr("/lengths/0"));
  EXPECT_THAT(problem("[1, 2"), HasSubstr("rows.jsonl:1"));
}

TEST_F(ApplyLengthsTest, EveryBadLineIsAProblem) {
  write(
      "x\n"
      R"({"uuid": "w-2", "lengths": [1, 2, 3]})"
      "\ny\n");
  const WorkloadFile file = read();
  EXPECT_THAT(file.problems, SizeIs(2));
  EXPECT_THAT(file.workloads[1].workload.lengths, ElementsAre(1, 2, 3));
}

TEST_F(ApplyLengthsTest, ADefinitionWithoutRowsTakesNone) {
  folder_.write("definitions/paged/plain.json", R"({"name": "plain", "op_type": "paged",
      "axes": {"n": {"type": "var"}}, "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x):\n    return x\n"})");
  folder_.write("workloads/paged/plain.jsonl",
                R"({"definition": "plain", "solution": null, "evaluation": null, )"
                R"("workload": {"uuid": "p", "axes": {"n": 1}, "inputs": {"x": {"type": "random"}}}})");
  const Dataset bare = Dataset::open(folder_.path()).value();
  EXPECT_EQ(bare.workload_file("plain")->workloads.at(0).lengths, LengthsSource::none);
  folder_.write("lengths/paged/plain.jsonl", "");
  const auto file = Dataset::open(folder_.path())->workload_file("plain").value();
  ASSERT_THAT(file.problems, SizeIs(1));
  EXPECT_THAT(file.problems[0].message, AllOf(HasSubstr("plain.jsonl"), HasSubstr("seq_lens"), HasSubstr("remove")));
}

}  // namespace
}  // namespace assay::dataset
