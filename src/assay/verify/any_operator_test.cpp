#include <assay/verify/any_operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <assay/operators/trial_for_test.hpp>
#include <assay/verify/python_for_test.hpp>

namespace assay::verify {
namespace {

using for_test::definition_of;
using ::testing::HasSubstr;

task::Workload workload_of(std::int64_t n) {
  task::Workload workload;
  workload.uuid = "w" + std::to_string(n);
  workload.axes = {{"n", n}};
  workload.inputs = {{"x", task::RandomInput{}}, {"s", task::ScalarInput{0.5}}};
  return workload;
}

class AnyOperatorTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSAY_NEEDS_MODULE("numpy"); }

  [[nodiscard]] base::Result<std::shared_ptr<const operators::Operator>> open(const std::string& reference) const {
    AnyOperatorSettings settings;
    settings.cache = folder_.path() / "references";
    return open_operator(definition_of(reference), std::vector{workload_of(5)}, settings);
  }
  [[nodiscard]] std::size_t cached() const {
    std::error_code ignored;
    const std::filesystem::directory_iterator entries(folder_.path() / "references", ignored);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(::testing::TempDir(), "any-operator-").value();
};

constexpr const char* kDouble = "def run(x, s):\n  return x.astype('f8') * 2\n";

TEST_F(AnyOperatorTest, ComparesWithThePythonReference) {
  const auto op = open(kDouble);
  ASSERT_TRUE(op.has_value()) << op.error().text();
  EXPECT_EQ((*op)->definition_name(), "of_test");
  operators::OperatorTrial trial(**op, workload_of(5));
  (*op)->make_generator(1)->fill(workload_of(5), 0, trial.arguments());
  const auto expected = trial.reference();
  for (std::size_t i = 0; i < 5; ++i) {
    trial.out<float>(0)[i] = 2 * trial.in<float>(0)[i];
  }
  EXPECT_EQ(trial.judge(expected), "");
  trial.out<float>(0)[3] *= 1.01F;
  EXPECT_THAT(trial.judge(expected), HasSubstr("y[3]"));
}

TEST_F(AnyOperatorTest, OutputsAreKeptByTheirContents) {
  // A reference that counts its calls in what it returns: a second call would be seen.
  const auto op = open("count = 0\ndef run(x, s):\n  global count\n  count += 1\n  return x * 0 + count\n");
  ASSERT_TRUE(op.has_value()) << op.error().text();
  operators::OperatorTrial trial(**op, workload_of(5));
  const auto generator = (*op)->make_generator(1);
  const auto counted = [&](std::uint64_t call, bool perturbed = false) {
    generator->fill(workload_of(5), call, trial.arguments());
    if (perturbed) {
      generator->perturb(0, call, trial.arguments());
    }
    return trial.reference()[0][0];
  };
  EXPECT_EQ(counted(0), 1);
  EXPECT_EQ(counted(0), 1);
  EXPECT_EQ(counted(1), 2);
  EXPECT_EQ(counted(0, true), 3);
  EXPECT_EQ(counted(1), 2);
  EXPECT_EQ(cached(), 3U);
  std::get<operators::Scalar>(trial.arguments()[1]) = operators::Scalar(0.25);
  EXPECT_EQ(trial.reference()[0][0], 4) << "scalars count";
}

TEST_F(AnyOperatorTest, AnotherProcessFindsWhatThisOneLeft) {
  const std::string counting = "count = 0\ndef run(x, s):\n  global count\n  count += 1\n  return x * 0 + count\n";
  const auto value = [&](std::initializer_list<std::uint64_t> calls) {
    const auto op = open(counting);
    EXPECT_TRUE(op.has_value()) << op.error().text();
    operators::OperatorTrial trial(**op, workload_of(5));
    double last = 0;
    for (const std::uint64_t call : calls) {
      (*op)->make_generator(1)->fill(workload_of(5), call, trial.arguments());
      last = trial.reference()[0][0];
    }
    return last;
  };
  EXPECT_EQ(value({0, 1}), 2);
  EXPECT_EQ(value({1}), 2) << "kept";
  EXPECT_EQ(value({1, 2}), 1) << "computed";
}

TEST_F(AnyOperatorTest, AnotherReferenceHasOtherEntries) {
  const auto first = open(kDouble);
  const auto second = open("def run(x, s):\n  return x.astype('f8') * 3\n");
  ASSERT_TRUE(first.has_value() && second.has_value());
  std::vector<double> values;
  for (const auto& op : {*first, *second}) {
    operators::OperatorTrial trial(*op, workload_of(5));
    op->make_generator(1)->fill(workload_of(5), 0, trial.arguments());
    values.push_back(trial.reference()[0][2] / static_cast<double>(trial.in<float>(0)[2]));
  }
  EXPECT_THAT(values, ::testing::ElementsAre(::testing::DoubleNear(2, 1e-6), ::testing::DoubleNear(3, 1e-6)));
  EXPECT_EQ(cached(), 2U);
}

TEST_F(AnyOperatorTest, AfterATimeOutItStartsAnew) {
  AnyOperatorSettings settings;
  settings.limits.call = std::chrono::milliseconds(400);
  const auto op =
      open_operator(definition_of("import time\ndef run(x, s):\n  time.sleep(30 if s < 0 else 0)\n  return x\n"),
                    std::vector{workload_of(5)}, settings);
  ASSERT_TRUE(op.has_value()) << op.error().text();
  operators::OperatorTrial trial(**op, workload_of(5));
  (*op)->make_generator(1)->fill(workload_of(5), 0, trial.arguments());
  std::vector<operators::ExpectedValues> outputs;
  trial.arguments()[1] = operators::Scalar(-1.0);
  EXPECT_FALSE((*op)->reference(trial.axes(), trial.const_arguments(), outputs).has_value());
  trial.arguments()[1] = operators::Scalar(1.0);
  EXPECT_TRUE((*op)->reference(trial.axes(), trial.const_arguments(), outputs).has_value());
}

TEST_F(AnyOperatorTest, InputsInFilesAreRefusedByName) {
  task::Workload workload = workload_of(5);
  workload.inputs[0].second = task::SafetensorsInput{"blob/x.safetensors", "x"};
  const auto op = open_operator(definition_of(kDouble), std::vector{workload}, AnyOperatorSettings());
  ASSERT_FALSE(op.has_value());
  EXPECT_EQ(op.error().owner, base::Owner::input);
  EXPECT_THAT(op.error().message,
              ::testing::AllOf(HasSubstr("workload w5"), HasSubstr("/inputs/x"), HasSubstr("blob/x.safetensors")));
}

TEST_F(AnyOperatorTest, StressTrialsAreOfItsWorkloads) {
  const auto op = open(kDouble);
  ASSERT_TRUE(op.has_value());
  EXPECT_GE((*op)->stress_kinds().size(), 5U);
  for (std::uint64_t index = 0; index < 12; ++index) {
    const operators::StressTrial stress = (*op)->stress_trial(2, index, 1 << 20);
    operators::OperatorTrial trial(**op, stress.workload);
    (*op)->make_generator(2)->fill_stress(stress.kind, stress.workload, index, trial.arguments());
    EXPECT_EQ(trial.reference()[0].size(), trial.axis("n"));
  }
  EXPECT_DOUBLE_EQ((*op)->least_work({{"n", 10}}, {}).bytes, 40);
}

TEST(AnyOperatorNative, WhatIsKnownNeedsNoPython) {
  const for_test::SetVariable variable("ASSAY_PYTHON", "/nowhere/python3");
  task::Definition gemm;
  gemm.name = "gemm_n16_k32";
  gemm.op_type = "gemm";
  gemm.axes = {{"M", {}},
               {"N", {task::Axis::Kind::constant, 16, std::nullopt}},
               {"K", {task::Axis::Kind::constant, 32, std::nullopt}}};
  using Shape = std::vector<std::string>;
  constexpr auto kHalf = tensor::DType::float16;
  gemm.inputs = {{"A", {Shape{"M", "K"}, kHalf, std::nullopt}}, {"B", {Shape{"N", "K"}, kHalf, std::nullopt}}};
  gemm.outputs = {{"C", {Shape{"M", "N"}, kHalf, std::nullopt}}};
  gemm.reference = "def run(A, B):\n  return A @ B.T\n";
  task::Workload workload;
  workload.uuid = "g";
  workload.axes = {{"M", 2}};
  EXPECT_TRUE(open_operator(gemm, std::vector{workload}, AnyOperatorSettings()).has_value());
  gemm.reference = "def run(A, B):\n  return A @ B.T + 1\n";
  const auto unknown = open_operator(gemm, std::vector{workload}, AnyOperatorSettings());
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, "python.missing");
  EXPECT_THAT(unknown.error().text(), HasSubstr("does not know this definition natively"));
}

}  // namespace
}  // namespace assay::verify
