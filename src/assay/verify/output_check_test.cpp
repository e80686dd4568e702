#include <assay/verify/output_check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace assay::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y[i] = i + 1, compared to a thousandth.
class Counting final : public operators::Operator {
 public:
  [[nodiscard]] const operators::Interface& interface() const override { return interface_; }
  [[nodiscard]] std::unique_ptr<operators::InputGenerator> make_generator(std::uint64_t) const override {
    return nullptr;
  }
  [[nodiscard]] base::Result<void> reference(const task::AxisValues&, std::span<const operators::ConstArgument>,
                                             std::vector<operators::ExpectedValues>& outputs) const override {
    outputs = {{1, 2, 3, 4}, {5, 6}};
    return {};
  }
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t) const override { return {1e-3, 0, 1e-3, 0}; }
  [[nodiscard]] std::span<const operators::StressKind> stress_kinds() const override { return {}; }
  [[nodiscard]] operators::StressTrial stress_trial(std::uint64_t, std::uint64_t, std::uint64_t) const override {
    return {};
  }
  [[nodiscard]] operators::Work least_work(const task::AxisValues&,
                                           std::span<const operators::ConstArgument>) const override {
    return {};
  }

 private:
  operators::Interface interface_;
};

class OutputCheckTest : public ::testing::Test {
 protected:
  OutputCheckTest() {
    layout_.outputs = {{"y", tensor::DType::float32, {2, 2}, 4096, 16}, {"z", tensor::DType::float32, {2}, 8256, 8}};
    layout_.outputs_size = 8264 + 4096;
    memory_.resize(layout_.outputs_size);
    guard_.emplace(layout_, memory_, 1, 1);
  }

  void write(std::size_t output, std::size_t at, float value) {
    std::memcpy(memory_.data() + layout_.outputs[output].offset + at * 4, &value, 4);
  }
  void write_all_right() {
    for (std::size_t i = 0; i < 4; ++i) {
      write(0, i, static_cast<float>(i + 1));
    }
    write(1, 0, 5);
    write(1, 1, 6);
  }
  std::vector<task::Finding> check() {
    std::vector<operators::ExpectedValues> expected;
    EXPECT_TRUE(op_.reference({}, {}, expected).has_value());
    return check_outputs(op_, {}, {}, layout_, memory_, *guard_, expected);
  }

  Counting op_;
  Layout layout_;
  std::vector<std::byte> memory_;
  std::optional<OutputGuard> guard_;
};

TEST_F(OutputCheckTest, RightOutputsHaveNoFinding) {
  write_all_right();
  EXPECT_TRUE(check().empty());
}

TEST_F(OutputCheckTest, AWrongElementIsAMismatchWithItsPlace) {
  write_all_right();
  write(0, 2, 3.5F);
  const auto findings = check();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "mismatch");
  EXPECT_EQ(findings[0].tensor, "y");
  EXPECT_THAT(*findings[0].index, ElementsAre(1, 0));
  EXPECT_DOUBLE_EQ(*findings[0].expected, 3);
  EXPECT_DOUBLE_EQ(*findings[0].got, 3.5);
}

TEST_F(OutputCheckTest, AWrongValueThatHappensToBeThePoisonIsNotUnwritten) {
  write_all_right();
  guard_.emplace(layout_, memory_, 1, 1);  // Everything is poison again …
  for (std::size_t i = 1; i < 4; ++i) {
    write(0, i, 50);  // … and all but one element are written, wrongly.
  }
  write(1, 0, 5);
  write(1, 1, 6);
  const auto findings = check();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "mismatch");
}

TEST_F(OutputCheckTest, SeveralWrongElementsAreDrawn) {
  write_all_right();
  write(0, 2, 3.5F);
  EXPECT_TRUE(check()[0].picture.empty());  // One is named, and that is enough.
  write(0, 3, 4.5F);
  const auto findings = check();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].message, HasSubstr("all wrong elements lie in [1, 0..1], and there 100 % are wrong"));
  EXPECT_THAT(findings[0].picture, ElementsAre("  ", "##"));
}

TEST_F(OutputCheckTest, AnElementLeftOutIsUnwrittenWhateverThePoison) {
  for (std::uint64_t call = 0; call < 20; ++call) {
    guard_.emplace(layout_, memory_, 1, call);
    for (std::size_t i = 0; i < 3; ++i) {
      write(0, i, static_cast<float>(i + 1));
    }
    write(1, 0, 5);
    write(1, 1, 6);
    const auto findings = check();
    ASSERT_EQ(findings.size(), 1U) << call;
    EXPECT_EQ(findings[0].kind, "unwritten");
    EXPECT_THAT(*findings[0].index, ElementsAre(1, 1));
    EXPECT_THAT(findings[0].message, HasSubstr("1 of 4 elements"));
  }
}

TEST_F(OutputCheckTest, TheLargestErrorIsThatOfAllFloatingOutputs) {
  const std::vector<operators::ExpectedValues> expected = {{1, 2, 3, 4}, {5, 6}};
  write_all_right();
  EXPECT_EQ(largest_errors(layout_, memory_, expected)->absolute, 0);
  write(0, 3, 4.5);
  write(1, 1, 8);
  EXPECT_EQ(largest_errors(layout_, memory_, expected)->absolute, 2);
  EXPECT_NEAR(largest_errors(layout_, memory_, expected)->relative, 2.0 / 6, 1e-6);
  layout_.outputs[1].dtype = tensor::DType::int32;
  EXPECT_EQ(largest_errors(layout_, memory_, expected)->absolute, 0.5) << "integers have no such error";
  layout_.outputs[0].dtype = tensor::DType::int32;
  EXPECT_FALSE(largest_errors(layout_, memory_, expected));
}

TEST_F(OutputCheckTest, EachWrongOutputHasAFinding) {
  const auto findings = check();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].message, HasSubstr("4 of 4"));
  EXPECT_EQ(findings[1].tensor, "z");
}

}  // namespace
}  // namespace assay::verify
