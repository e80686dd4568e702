#include <assay/verify/given_contents.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include <assay/base/digest.hpp>
#include <assay/operators/trial_for_test.hpp>
#include <assay/os/file.hpp>

namespace assay::verify {
namespace {

using operators::Variation;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kDecode = "gdn_decode_qk4_v8_d128_k_last";
constexpr std::size_t kA = 5;

// Two workloads of one batch entry; files give `a`, [1, 1, 8] bfloat16, of the first or of both.
class GivenContentsTest : public ::testing::Test {
 protected:
  GivenContentsTest() {
    const operators::Interface& interface = op_->interface();
    definition_.name = interface.name;
    for (const auto& [name, value] : interface.axes) {
      task::Axis axis;
      axis.kind = value ? task::Axis::Kind::constant : task::Axis::Kind::variable;
      axis.value = value.value_or(0);
      definition_.axes.emplace_back(name, axis);
    }
    for (const auto& [name, argument] : interface.inputs) {
      definition_.inputs.emplace_back(name, task::TensorSpec{argument.shape, argument.dtype, {}});
    }
    for (const char* uuid : {"w-0", "w-1"}) {
      task::Workload workload;
      workload.uuid = uuid;
      workload.axes = {{"batch_size", 1}};
      workloads_.push_back(workload);
    }
  }

  [[nodiscard]] os::Path file(std::size_t workload) const {
    return folder_.path() / ("given-" + std::to_string(workload));
  }
  // Eight bytes come before them, as a header would.
  void give(std::size_t workload, const std::vector<std::uint16_t>& values) {
    std::string text(8 + values.size() * 2, '\0');
    std::memcpy(text.data() + 8, values.data(), values.size() * 2);
    ASSERT_TRUE(os::write_file_atomic(file(workload), text));
    workloads_[workload].given = {
        {"a", file(workload).string(), 8, values.size() * 2, base::sha256(std::as_bytes(std::span(values))).hex()}};
  }
  [[nodiscard]] base::Result<GivenContents> open(std::uint64_t kept = 1U << 20U) const {
    return GivenContents::open(*op_, definition_, workloads_, kept);
  }
  [[nodiscard]] std::string fault() const {
    const auto opened = open();
    EXPECT_FALSE(opened);
    if (opened) {
      return "";
    }
    EXPECT_EQ(opened.error().owner, base::Owner::input);
    EXPECT_THAT(opened.error().text(), AllOf(HasSubstr(file(0).string()), HasSubstr("w-0"), HasSubstr("/inputs/a")));
    return opened.error().text();
  }
  [[nodiscard]] std::vector<std::uint16_t> filled(GivenContents& contents, std::size_t workload, Variation variation) {
    operators::OperatorTrial trial(*op_, workloads_[workload]);
    const auto generator = op_->make_generator(4);
    const auto done = contents.fill(*generator, workload, 1, variation, trial.arguments());
    EXPECT_TRUE(done) << done.error().text();
    const auto a = trial.in<std::uint16_t>(kA);
    return {a.begin(), a.end()};
  }

  const operators::Operator* op_ = operators::find_operator(kDecode);
  task::Definition definition_;
  std::vector<task::Workload> workloads_;
  std::vector<std::uint16_t> values_ = {1, 2, 3, 4, 5, 6, 7, 8};
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(::testing::TempDir(), "given-").value();
};

TEST_F(GivenContentsTest, FillsWhatIsGivenAndGeneratesTheRest) {
  give(0, values_);
  auto contents = open();
  ASSERT_TRUE(contents) << contents.error().text();
  EXPECT_EQ(filled(*contents, 0, Variation::none), values_);
  EXPECT_NE(filled(*contents, 1, Variation::none), values_);
  EXPECT_THAT(contents->description(), AllOf(HasSubstr("a of 1 of 2 workloads"), HasSubstr("generated")));
  workloads_[0].given.clear();
  EXPECT_EQ(open()->description(), "generated");
}

TEST_F(GivenContentsTest, ReadsAnewWhatItCouldNotKeep) {
  give(0, values_);
  const std::vector<std::uint16_t> others = {11, 12, 13, 14, 15, 16, 17, 18};
  give(1, others);
  auto contents = open(16);
  ASSERT_TRUE(contents) << contents.error().text();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(filled(*contents, 0, Variation::none), values_);
    EXPECT_EQ(filled(*contents, 1, Variation::none), others);
  }
}

TEST_F(GivenContentsTest, WhatIsWrongNamesTheFileAndTheRemedy) {
  give(0, values_);
  ASSERT_TRUE(os::write_file_atomic(file(0), std::string(24, 'x')));
  EXPECT_THAT(fault(), HasSubstr("make the request anew"));
  ASSERT_TRUE(os::write_file_atomic(file(0), "short"));
  EXPECT_NE(fault(), "");
  ASSERT_TRUE(os::remove_tree(file(0)));
  EXPECT_THAT(fault(), HasSubstr("put it back"));
  give(0, {1, 2, 3});
  EXPECT_THAT(fault(), AllOf(HasSubstr("6 bytes"), HasSubstr("16")));
  give(0, {1, 2, 3, 0x7fc0, 5, 6, 7, 8});
  EXPECT_THAT(fault(), AllOf(HasSubstr("a[0, 0, 3] is nan"), HasSubstr("fetch or write the file anew")));
}

TEST_F(GivenContentsTest, AnInputThatTheDefinitionLacksIsRefused) {
  give(0, values_);
  workloads_[0].given[0].input = "scale";
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text(), AllOf(HasSubstr("/inputs/scale"), HasSubstr("no tensor")));
}

}  // namespace
}  // namespace assay::verify
