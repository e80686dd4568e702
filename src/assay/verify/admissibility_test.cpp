#include <assay/verify/admissibility.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include <assay/operators/arguments.hpp>

namespace assay::verify {
namespace {

using testing::HasSubstr;

// y = 2 x over [n, 4] float32, and z = the row's sum rounded to an integer; `bias` is an input that nothing reads.
class Doubling final : public operators::Operator {
 public:
  explicit Doubling(tensor::ComparisonRule rule) : rule_(rule) {}
  [[nodiscard]] const operators::Interface& interface() const override { return interface_; }
  [[nodiscard]] std::unique_ptr<operators::InputGenerator> make_generator(std::uint64_t seed) const override {
    class Generator final : public operators::InputGenerator {
     public:
      explicit Generator(std::uint64_t seed) : seed_(seed) {}
      void fill(const task::Workload&, std::uint64_t call, std::span<operators::Argument> arguments) override {
        base::Philox random(seed_, call);
        for (std::size_t position = 0; position < 2; ++position) {
          const std::span<std::byte> bytes = operators::bytes_of(arguments, position);
          for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
            operators::store(bytes, i, static_cast<float>(1 + random.next_uniform()));
          }
        }
      }
      void perturb(std::uint64_t which, std::uint64_t, std::span<operators::Argument> arguments) override {
        const std::span<std::byte> bytes = operators::bytes_of(arguments, which % 2);
        operators::store(bytes, 0, operators::load<float>(bytes, 0) + 5.0F);
      }
      void fill_stress(std::size_t, const task::Workload& workload, std::uint64_t call,
                       std::span<operators::Argument> arguments) override {
        fill(workload, call, arguments);
      }

     private:
      std::uint64_t seed_;
    };
    return std::make_unique<Generator>(seed);
  }
  [[nodiscard]] std::span<const operators::StressKind> stress_kinds() const override { return {}; }
  [[nodiscard]] operators::StressTrial stress_trial(std::uint64_t, std::uint64_t, std::uint64_t) const override {
    return {};
  }
  [[nodiscard]] base::Result<void> reference(const task::AxisValues&, std::span<const operators::ConstArgument> inputs,
                                             std::vector<operators::ExpectedValues>& outputs) const override {
    const auto& x = std::get<tensor::ConstView>(inputs[0]);
    const std::size_t elements = tensor::element_count(x.shape);
    outputs.assign(1, operators::ExpectedValues(elements));
    for (std::size_t i = 0; i < elements; ++i) {
      outputs[0][i] = 2 * tensor::element(x, i);
    }
    return {};
  }
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t) const override { return rule_; }
  [[nodiscard]] int working_bits(std::size_t) const override { return 24; }
  [[nodiscard]] operators::Work least_work(const task::AxisValues&,
                                           std::span<const operators::ConstArgument>) const override {
    return {};
  }

 private:
  operators::Interface interface_;
  tensor::ComparisonRule rule_;
};

class AdmissibilityTest : public testing::Test {
 protected:
  AdmissibilityTest() {
    definition_.name = "doubling";
    definition_.axes = {{"n", {}}, {"four", {task::Axis::Kind::constant, 4, {}}}};
    const std::vector<std::string> shape = {"n", "four"};
    definition_.inputs = {{"x", {shape, tensor::DType::float32, {}}}, {"bias", {shape, tensor::DType::float32, {}}}};
    definition_.outputs = {{"y", {shape, tensor::DType::float32, {}}}};
    task::Workload workload;
    workload.uuid = "w";
    workload.axes = {{"n", 16}};
    workload.inputs = {{"x", task::RandomInput{}}, {"bias", task::RandomInput{}}};
    workloads_ = {workload};
  }
  task::Admissibility check(tensor::ComparisonRule rule) {
    const Doubling op(rule);
    auto result = check_admissibility(op, definition_, workloads_, 3, 5);
    EXPECT_TRUE(result.has_value());
    return std::move(*result);
  }
  static std::map<std::string, const task::ImpostorResult*> by_name(const task::Admissibility& result) {
    std::map<std::string, const task::ImpostorResult*> rows;
    for (const task::ImpostorResult& row : result.impostors) {
      rows[row.impostor] = &row;
    }
    return rows;
  }
  task::Definition definition_;
  std::vector<task::Workload> workloads_;
};

TEST_F(AdmissibilityTest, ATightToleranceSeparatesEveryImpostor) {
  const task::Admissibility result = check({.relative = 1e-5, .norm = 1e-5});
  EXPECT_EQ(result.honest_trials, 5);
  EXPECT_EQ(result.honest_passed, 5);
  EXPECT_EQ(result.impostors.size(), all_impostors().size());
  for (const task::ImpostorResult& row : result.impostors) {
    EXPECT_EQ(row.trials, 5) << row.impostor;
    EXPECT_EQ(row.rejected, 5) << row.impostor;
  }
  // The contest's rule takes 11 bits for 24.
  EXPECT_EQ(by_name(result)["less_precision"]->officially_rejected, 0);
  EXPECT_EQ(by_name(result)["zeros"]->officially_rejected, 5);
}

TEST_F(AdmissibilityTest, AnInputWithoutInfluenceIsFound) {
  const task::Admissibility result = check({.relative = 1e-5, .norm = 1e-5});
  ASSERT_EQ(result.inputs.size(), 2U);
  EXPECT_EQ(result.inputs[0].seen, result.inputs[0].trials);
  EXPECT_GT(result.inputs[1].trials, 0);
  EXPECT_EQ(result.inputs[1].seen, 0);
  EXPECT_FALSE(result.proved());
}

TEST_F(AdmissibilityTest, ALooseToleranceIsVacuousAndSaysForWhat) {
  const task::Admissibility result = check({.relative = 0.8, .norm = 0.8});
  const auto rows = by_name(result);
  EXPECT_EQ(rows.at("zeros")->rejected, 5);
  EXPECT_EQ(rows.at("less_precision")->rejected, 0);
  EXPECT_LT(rows.at("wrong_row")->rejected, rows.at("wrong_row")->trials);
  EXPECT_FALSE(result.proved());
}

TEST_F(AdmissibilityTest, ARuleThatTheHonestFailIsFound) {
  const task::Admissibility result = check({.relative = 0, .norm = 0});
  EXPECT_EQ(result.honest_passed, 5);  // Doubling is exact …
  task::Admissibility failed;
  failed.honest_trials = 1;
  EXPECT_FALSE(failed.proved());  // … but where it is not, nothing is proved.
  failed.honest_passed = 1;
  EXPECT_TRUE(failed.proved());
}

TEST(AdmissibilityOfGdnDecode, IsProvedWhereTheContestsRuleIsVacuous) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  task::Definition definition;
  definition.name = op.definition_name();
  for (const auto& [name, value] : op.interface().axes) {
    definition.axes.emplace_back(name, value ? task::Axis{task::Axis::Kind::constant, *value, {}} : task::Axis{});
  }
  const auto specs = [](const auto& arguments) {
    task::Named<task::TensorSpec> result;
    for (const auto& [name, argument] : arguments) {
      result.emplace_back(name, task::TensorSpec{argument.shape, argument.dtype, {}});
    }
    return result;
  };
  definition.inputs = specs(op.interface().inputs);
  definition.outputs = specs(op.interface().outputs);
  task::Workload workload;
  workload.uuid = "one";
  workload.axes = {{"batch_size", 2}};
  workload.inputs = {{"scale", task::ScalarInput{0.088}}};
  const auto result = check_admissibility(op, definition, std::vector{workload}, 1, 8);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->proved()) << result->honest_reason;
  std::int64_t officially_passed = 0;
  for (const task::ImpostorResult& row : result->impostors) {
    EXPECT_EQ(row.rejected, row.trials) << row.output << " " << row.impostor;
    officially_passed += row.trials - row.officially_rejected;
  }
  EXPECT_GT(officially_passed, 0);
}

}  // namespace
}  // namespace assay::verify
