#include <assay/operators/gemm/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstring>
#include <set>

#include <assay/operators/half_definitions_for_test.hpp>
#include <assay/operators/half_elements.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::gemm {
namespace {

using operators::for_test::gemm_definition;
constexpr auto kFloat16 = tensor::DType::float16;

TEST(GemmRecognise, ThePublicDefinitionsWhateverTheirConstants) {
  constexpr std::int64_t kPublic[][2] = {{128, 2048},   {256, 7168},   {2048, 4096}, {4096, 4096},
                                         {4096, 14336}, {28672, 4096}, {5120, 2048}, {6144, 4096}};
  for (const auto& [n, k] : kPublic) {
    for (const tensor::DType dtype : {kFloat16, tensor::DType::bfloat16}) {
      const task::Definition definition = gemm_definition(n, k, dtype);
      const auto op = recognise(definition);
      ASSERT_NE(op, nullptr);
      EXPECT_EQ(op->definition_name(), definition.name);
      EXPECT_TRUE(op->check_interface(definition).has_value());
    }
  }
}

TEST(GemmRecognise, IsFoundByDefinition) {
  EXPECT_NE(find_operator(gemm_definition(3, 5, kFloat16)), nullptr);
  EXPECT_EQ(find_operator("gemm_n3_k5"), nullptr) << "not by name";
}

TEST(GemmRecognise, WhatHasAnotherStructureIsLeftAlone) {
  const task::Definition good = gemm_definition(16, 32, kFloat16);
  const auto refused = [&good](auto change) {
    task::Definition definition = good;
    change(definition);
    return recognise(definition) == nullptr;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& d) { d.op_type = "moe"; }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs[0].second.dtype = tensor::DType::float32; }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs[1].second.dtype = tensor::DType::bfloat16; }));
  EXPECT_TRUE(refused([](auto& d) { d.outputs[0].second.dtype = tensor::DType::float32; }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs[1].second.shape = std::vector<std::string>{"K", "N"}; }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs[0].first = "X"; }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs.pop_back(); }));
  EXPECT_TRUE(refused([](auto& d) { d.inputs.clear(); }));
  EXPECT_TRUE(refused([](auto& d) { d.axes[0].second = operators::for_test::constant(4); }));
  EXPECT_TRUE(refused([](auto& d) { d.axes[1].second = operators::for_test::variable(); }));
  EXPECT_TRUE(refused([](auto& d) { d.axes.emplace_back("L", operators::for_test::constant(4)); }));
}

TEST(GemmRecognise, WhatSaysMoreThanTheProductIsLeftAlone) {
  task::Definition definition = gemm_definition(16, 32, kFloat16);
  for (const char* body : {"return A @ B.T", "C = A @ B.T\n    return C", "return torch.matmul(A, B.T)",
                           "M, K = A.shape\n    assert K == 32\n    return torch.matmul(A, B.T)"}) {
    definition.reference = std::string("import torch\ndef run(A, B):\n    ") + body + "\n";
    EXPECT_NE(recognise(definition), nullptr) << body;
  }
  for (const char* body : {"return A @ B", "return 2 * (A @ B.T)", "C = A @ B.T\n    return C.relu()",
                           "C = A @ B.T\n    C = C + 1\n    return C", "B = B.abs()\n    return A @ B.T"}) {
    definition.reference = std::string("import torch\ndef run(A, B):\n    ") + body + "\n";
    EXPECT_EQ(recognise(definition), nullptr) << body;
  }
  definition.reference = "def run(B, A):\n    return A @ B.T\n";
  EXPECT_EQ(recognise(definition), nullptr);
}

TEST(GemmWork, IsWhatMustMoveAndBeComputed) {
  const auto op = recognise(gemm_definition(3, 5, kFloat16));
  const Work work = op->least_work({{"M", 2}, {"N", 3}, {"K", 5}}, {});
  EXPECT_DOUBLE_EQ(work.bytes, 2 * (10 + 15 + 6));
  EXPECT_DOUBLE_EQ(work.operations, 60);
}

class GemmGenerator : public ::testing::Test {
 protected:
  GemmGenerator() {
    workload_.uuid = "generator";
    workload_.axes = {{"M", 9}};
  }
  std::vector<std::byte> filled(std::uint64_t seed, std::uint64_t call) {
    OperatorTrial trial(*op_, workload_);
    op_->make_generator(seed)->fill(workload_, call, trial.arguments());
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 2; ++i) {
      bytes.insert(bytes.end(), trial.input(i).bytes.begin(), trial.input(i).bytes.end());
    }
    return bytes;
  }
  std::shared_ptr<const Operator> op_ = recognise(gemm_definition(24, 40, kFloat16));
  task::Workload workload_;
};

TEST_F(GemmGenerator, TheSameSeedAndCallGiveTheSameBytes) {
  EXPECT_EQ(filled(1, 0), filled(1, 0));
  EXPECT_NE(filled(1, 0), filled(1, 1));
  EXPECT_NE(filled(1, 0), filled(2, 0));
}

TEST_F(GemmGenerator, PerturbingAnArgumentMovesAnOutputByMoreThanIsAllowed) {
  const auto generator = op_->make_generator(4);
  for (std::uint64_t which = 0; which < 40; ++which) {
    OperatorTrial trial(*op_, workload_);
    generator->fill(workload_, which, trial.arguments());
    const auto before = trial.reference();
    const HalfElements c(trial.output(0).bytes, kFloat16);
    for (std::size_t i = 0; i < c.size(); ++i) {
      c.set(i, static_cast<float>(before[0][i]));
    }
    ASSERT_EQ(trial.judge(before), "");
    generator->perturb(which, which, trial.arguments());
    EXPECT_NE(trial.judge(trial.reference()), "") << which;
  }
}

TEST_F(GemmGenerator, StressTrialsHaveEveryKindAndOddShapesWithinTheirBytes) {
  std::set<std::int64_t> sizes;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const StressTrial trial = op_->stress_trial(6, index, 8000);
    EXPECT_EQ(trial.kind, index % op_->stress_kinds().size());
    sizes.insert(*task::find(trial.workload.axes, "M"));
  }
  EXPECT_THAT(sizes, ::testing::IsSupersetOf({1, 2, 15, 16, 17, 31}));
  EXPECT_LE(*sizes.rbegin(), (8000 - 24 * 40 * 2) / (64 * 2));
  EXPECT_EQ(*task::find(op_->stress_trial(6, 0, 0).workload.axes, "M"), 1);
}

TEST_F(GemmGenerator, KindsAreWhatTheySay) {
  const auto generator = op_->make_generator(4);
  const auto elements = [&](std::size_t kind, std::size_t input) {
    OperatorTrial trial(*op_, workload_);
    generator->fill_stress(kind, workload_, 0, trial.arguments());
    const HalfElements of(trial.input(input).bytes, kFloat16);
    std::vector<float> values;
    for (std::size_t i = 0; i < of.size(); ++i) {
      values.push_back(of.get(i));
    }
    return values;
  };
  using ::testing::AllOf, ::testing::Each, ::testing::Ge, ::testing::Le, ::testing::Contains;
  EXPECT_THAT(elements(2, 0), Each(AllOf(Ge(-0x1p-13F), Le(0x1p-13F))));
  EXPECT_THAT(elements(3, 0)[20], -elements(3, 0)[0]);
  EXPECT_THAT(elements(4, 0), Each(AllOf(Ge(0.5F), Le(1.0F))));
  EXPECT_THAT(elements(5, 0), Contains(256.0F).Times(1));
  EXPECT_THAT(elements(5, 1), Contains(-240.0F).Times(1));
  EXPECT_THAT(elements(6, 1), Contains(0.0F).Times(Ge(80)));
}

}  // namespace
}  // namespace assay::operators::gemm
