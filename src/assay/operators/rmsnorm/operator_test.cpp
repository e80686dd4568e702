#include <assay/operators/rmsnorm/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <assay/operators/half_definitions_for_test.hpp>
#include <assay/operators/half_elements.hpp>
#include <assay/operators/rmsnorm/layout.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::rmsnorm {
namespace {

using operators::for_test::rmsnorm_definition;
constexpr auto kBrain = tensor::DType::bfloat16;

task::Workload workload_of(std::int64_t rows) {
  task::Workload workload;
  workload.uuid = "rmsnorm";
  workload.axes = {{"batch_size", rows}};
  return workload;
}

TEST(RmsNormRecognise, ThePublicDefinitionsWhateverTheirWidth) {
  for (const std::int64_t width : {128, 512, 1536, 2048, 4096, 7168}) {
    for (const bool adds_residual : {false, true}) {
      const task::Definition definition = rmsnorm_definition(width, adds_residual, kBrain);
      const auto op = find_operator(definition);
      ASSERT_NE(op, nullptr) << definition.name;
      EXPECT_TRUE(op->check_interface(definition).has_value());
    }
  }
}

TEST(RmsNormRecognise, GemmasHasTheSameStructureAndAnotherMeaning) {
  task::Definition definition = rmsnorm_definition(64, false, kBrain);
  const auto replace = [&definition](const std::string& from, const std::string& to) {
    task::Definition changed = definition;
    const std::size_t at = changed.reference.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.reference.replace(at, from.size(), to);
    return recognise(changed);
  };
  EXPECT_EQ(replace("* weight.to(torch.float32)", "* (1.0 + weight.to(torch.float32))"), nullptr);
  EXPECT_EQ(replace("+ EPS", ""), nullptr);
  EXPECT_EQ(replace("EPS = 1e-6", "EPS = 1e-6 * 2"), nullptr);
  EXPECT_EQ(replace("EPS = 1e-6", "EPS = -1"), nullptr);
  EXPECT_EQ(replace("EPS = 1e-6", "EPS = 1e-6\n    EPS = 1e-5"), nullptr);
  EXPECT_EQ(replace("(hidden_states, weight)", "(weight, hidden_states)"), nullptr);
  EXPECT_NE(replace("EPS = 1e-6", "EPS = 0.00001"), nullptr);
  EXPECT_NE(replace("# Check constants", "# Other words"), nullptr);
}

TEST(RmsNormRecognise, WhatHasAnotherStructureIsLeftAlone) {
  const auto refused = [](auto change) {
    task::Definition definition = rmsnorm_definition(64, true, kBrain);
    change(definition);
    return recognise(definition) == nullptr;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& d) { d.op_type = "norm"; }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs.erase(d.inputs.begin() + 1); })) << "the reference still adds";
  EXPECT_TRUE(refused([](auto& d) { d.outputs.push_back({"residual_out", d.outputs[0].second}); }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs[2].second.dtype = tensor::DType::float32; }));
  EXPECT_TRUE(refused([](auto& d) { d.axes[1].second = operators::for_test::variable(); }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs.clear(); }));
}

/// One definition with its trial.
struct Case {
  Case(std::int64_t rows, std::int64_t width, bool adds_residual, const std::string& epsilon = "1e-6",
       tensor::DType type = kBrain)
      : dtype(type),
        variant{adds_residual, std::stod(epsilon)},
        op(recognise(rmsnorm_definition(width, adds_residual, type, epsilon))),
        trial(*op, workload_of(rows)) {}
  [[nodiscard]] HalfElements input(std::size_t position) { return {trial.input(position).bytes, dtype}; }
  void fill(std::size_t kind) { generator->fill_stress(kind, workload_of(1), 0, trial.arguments()); }
  tensor::DType dtype;
  Variant variant;
  std::shared_ptr<const Operator> op;
  std::unique_ptr<InputGenerator> generator = op->make_generator(23);
  OperatorTrial trial;
};

/// Another algorithm: rows scaled by their largest element, squares summed as a tree in long double, and the quotient
/// taken of the sum (sum + n epsilon) rather than of the mean.
std::vector<double> by_scaled_tree(Case& of, std::size_t rows, std::size_t width) {
  std::vector<double> result;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<long double> x(width);
    long double largest = 0;
    for (std::size_t i = 0; i < width; ++i) {
      x[i] = static_cast<long double>(of.input(kHiddenStates).get(row * width + i));
      if (of.variant.adds_residual) {
        x[i] += static_cast<long double>(of.input(kResidual).get(row * width + i));
      }
      largest = std::max(largest, std::fabs(x[i]));
    }
    std::vector<long double> squares(std::max<std::size_t>(1, width));
    for (std::size_t i = 0; i < width && largest > 0; ++i) {
      squares[i] = (x[i] / largest) * (x[i] / largest);
    }
    for (std::size_t step = 1; step < width; step *= 2) {
      for (std::size_t i = 0; i + step < width; i += 2 * step) {
        squares[i] += squares[i + step];
      }
    }
    const auto count = static_cast<long double>(width);
    const long double total = squares[0] * largest * largest + count * static_cast<long double>(of.variant.epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      const auto weight = static_cast<long double>(of.input(of.variant.weight()).get(i));
      result.push_back(static_cast<double>(weight * x[i] * std::sqrt(count / total)));
    }
  }
  return result;
}

TEST(RmsNormReference, AgreesWithAScaledTree) {
  constexpr std::int64_t kShapes[][2] = {{1, 1}, {2, 3}, {3, 16}, {7, 31}, {17, 72}, {5, 1000}};
  for (const auto dtype : {kBrain, tensor::DType::float16}) {
    for (const bool adds_residual : {false, true}) {
      for (const auto& [rows, width] : kShapes) {
        Case of(rows, width, adds_residual, "1e-5", dtype);
        for (std::size_t kind = 0; kind < of.op->stress_kinds().size(); ++kind) {
          of.fill(kind);
          const auto got = of.trial.reference();
          const auto other = by_scaled_tree(of, static_cast<std::size_t>(rows), static_cast<std::size_t>(width));
          const double square = std::inner_product(other.begin(), other.end(), other.begin(), 0.0);
          const double rms = std::sqrt(square / static_cast<double>(other.size()));
          for (std::size_t i = 0; i < other.size(); ++i) {
            ASSERT_NEAR(got[0][i], other[i], 1e-10 * rms) << of.op->stress_kinds()[kind].name << " at " << i;
          }
        }
      }
    }
  }
}

TEST(RmsNormReference, ATinyOneByHand) {
  Case of(2, 4, true, "0.25");
  // Row 0: x = (1, 1, 1, 1) + residual 0 => mean 1, plus 0.25, root 1.118…; row 1: hidden + residual = (3, 0, 0, 0).
  const float hidden[] = {1, 1, 1, 1, 1, 2, 0, -1};
  const float residual[] = {0, 0, 0, 0, 2, -2, 0, 1};
  const float weight[] = {1, 2, -1, 0};
  for (std::size_t i = 0; i < 8; ++i) {
    of.input(kHiddenStates).set(i, hidden[i]);
    of.input(kResidual).set(i, residual[i]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    of.input(2).set(i, weight[i]);
  }
  const double first = 1 / std::sqrt(1.25);
  const double second = 3 / std::sqrt(2.5);
  using ::testing::DoubleEq;
  EXPECT_THAT(of.trial.reference()[0], ::testing::ElementsAre(DoubleEq(first), DoubleEq(2 * first), DoubleEq(-first), 0,
                                                              DoubleEq(second), 0, 0, 0));
}

TEST(RmsNormReference, RowsAreIndependentAndColumnsMayBePermuted) {
  Case all(5, 20, false);
  all.fill(1);
  const auto expected = all.trial.reference();
  Case one(1, 20, false);
  for (std::size_t i = 0; i < 20; ++i) {
    const std::size_t from = (7 * i) % 20;
    one.input(0).set(i, all.input(0).get(3 * 20 + from));
    one.input(1).set(i, all.input(1).get(from));
  }
  const auto got = one.trial.reference();
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(got[0][i], expected[0][3 * 20 + (7 * i) % 20], 1e-12);
  }
}

TEST(RmsNormReference, AScaleBeyondEpsilonDoesNotMatter) {
  Case of(3, 20, false, "1e-6");
  of.fill(0);
  const auto before = of.trial.reference();
  for (std::size_t i = 0; i < of.input(0).size(); ++i) {
    of.input(0).set(i, of.input(0).get(i) * 0x1p30F);
  }
  const auto after = of.trial.reference();
  for (std::size_t i = 0; i < before[0].size(); ++i) {
    EXPECT_NEAR(after[0][i], before[0][i], 1e-5);
  }
}

TEST(RmsNormWork, IsWhatMustMoveAndBeComputed) {
  const task::AxisValues axes = {{"batch_size", 3}, {"hidden_size", 8}};
  EXPECT_DOUBLE_EQ(Case(1, 8, false).op->least_work(axes, {}).bytes, 2 * (2 * 24 + 8));
  EXPECT_DOUBLE_EQ(Case(1, 8, true).op->least_work(axes, {}).bytes, 2 * (3 * 24 + 8));
  EXPECT_DOUBLE_EQ(Case(1, 8, true).op->least_work(axes, {}).operations, 5 * 24);
}

TEST(RmsNormGenerator, TheSameSeedAndCallGiveTheSameBytes) {
  const auto filled = [](std::uint64_t seed, std::uint64_t call) {
    Case of(4, 40, true);
    of.op->make_generator(seed)->fill(workload_of(4), call, of.trial.arguments());
    const auto bytes = of.trial.input(1).bytes;
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(filled(1, 0), filled(1, 0));
  EXPECT_NE(filled(1, 0), filled(1, 1));
  EXPECT_NE(filled(1, 0), filled(2, 0));
}

TEST(RmsNormGenerator, PerturbingAnArgumentMovesAnOutputByMoreThanIsAllowed) {
  for (const bool adds_residual : {false, true}) {
    Case of(5, 40, adds_residual);
    const auto generator = of.op->make_generator(4);
    for (std::uint64_t which = 0; which < 30; ++which) {
      generator->fill(workload_of(5), which, of.trial.arguments());
      const auto before = of.trial.reference();
      const HalfElements output(of.trial.output(0).bytes, kBrain);
      for (std::size_t i = 0; i < output.size(); ++i) {
        output.set(i, static_cast<float>(before[0][i]));
      }
      ASSERT_EQ(of.trial.judge(before), "");
      generator->perturb(which, which, of.trial.arguments());
      EXPECT_NE(of.trial.judge(of.trial.reference()), "") << which;
    }
  }
}

TEST(RmsNormGenerator, StressTrialsHaveEveryKindAndOddShapesWithinTheirBytes) {
  const Case of(1, 40, true);
  std::set<std::int64_t> sizes;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const StressTrial trial = of.op->stress_trial(6, index, 4000);
    EXPECT_EQ(trial.kind, index % of.op->stress_kinds().size());
    sizes.insert(*task::find(trial.workload.axes, "batch_size"));
  }
  EXPECT_THAT(sizes, ::testing::IsSupersetOf({1, 2, 7, 8, 9, 15}));
  EXPECT_LE(*sizes.rbegin(), 4000 / (3 * 80));
}

}  // namespace
}  // namespace assay::operators::rmsnorm
