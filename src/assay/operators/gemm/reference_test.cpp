#include <assay/operators/gemm/reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include <assay/operators/gemm/layout.hpp>
#include <assay/operators/gemm/operator.hpp>
#include <assay/operators/half_definitions_for_test.hpp>
#include <assay/operators/half_elements.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators::gemm {
namespace {

constexpr auto kHalf = tensor::DType::float16;

task::Workload workload_of(std::int64_t m) {
  task::Workload workload;
  workload.uuid = "reference";
  workload.axes = {{"M", m}};
  return workload;
}

/// A trial and its two matrices.
struct Case {
  explicit Case(std::int64_t m, std::int64_t n, std::int64_t k, tensor::DType dtype = kHalf)
      : op(recognise(operators::for_test::gemm_definition(n, k, dtype))),
        trial(*op, workload_of(m)),
        a(trial.input(kA).bytes, dtype),
        b(trial.input(kB).bytes, dtype) {}
  void fill(std::size_t kind, std::uint64_t call = 0) {
    generator->fill_stress(kind, workload_of(1), call, trial.arguments());
  }
  std::shared_ptr<const Operator> op;
  std::unique_ptr<InputGenerator> generator = op->make_generator(17);
  OperatorTrial trial;
  HalfElements a;
  HalfElements b;
};

/// Another algorithm: one rank-1 update a step of k, in long double with compensated sums (Kahan).
std::vector<double> by_outer_products(const Case& of, std::size_t m, std::size_t n, std::size_t depth) {
  std::vector<long double> sums(m * n);
  std::vector<long double> lost(m * n);
  for (std::size_t k = depth; k-- > 0;) {
    for (std::size_t row = 0; row < m; ++row) {
      const auto x = static_cast<long double>(of.a.get(row * depth + k));
      for (std::size_t column = 0; column < n; ++column) {
        const std::size_t at = row * n + column;
        const long double term = x * static_cast<long double>(of.b.get(column * depth + k)) - lost[at];
        const long double next = sums[at] + term;
        lost[at] = (next - sums[at]) - term;
        sums[at] = next;
      }
    }
  }
  return {sums.begin(), sums.end()};
}

TEST(GemmReference, AgreesWithOuterProducts) {
  constexpr std::int64_t kShapes[][3] = {{1, 1, 1},   {1, 8, 3},    {2, 7, 5},    {3, 9, 16},
                                         {5, 17, 31}, {31, 24, 40}, {257, 8, 12}, {4, 33, 1000}};
  for (const tensor::DType dtype : {tensor::DType::float16, tensor::DType::bfloat16}) {
    for (const auto& [m, n, k] : kShapes) {
      Case of(m, n, k, dtype);
      for (std::size_t kind = 0; kind < of.op->stress_kinds().size(); ++kind) {
        of.fill(kind);
        const auto got = of.trial.reference();
        const auto other = by_outer_products(of, static_cast<std::size_t>(m), static_cast<std::size_t>(n),
                                             static_cast<std::size_t>(k));
        const double square = std::inner_product(other.begin(), other.end(), other.begin(), 0.0);
        const double rms = std::sqrt(square / static_cast<double>(other.size()));
        for (std::size_t i = 0; i < other.size(); ++i) {
          ASSERT_NEAR(got[kC][i], other[i], 1e-10 * rms)
              << m << "x" << n << "x" << k << " kind " << of.op->stress_kinds()[kind].name << " at " << i;
        }
      }
    }
  }
}

TEST(GemmReference, ATinyOneByHand) {
  Case of(2, 3, 2);
  const float a[] = {1, 2, -3, 0.5};
  const float b[] = {4, 5, 6, -7, 0, 8};
  for (std::size_t i = 0; i < 4; ++i) {
    of.a.set(i, a[i]);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    of.b.set(i, b[i]);
  }
  const auto got = of.trial.reference();
  EXPECT_THAT(got[kC], ::testing::ElementsAre(14, -8, 16, -9.5, -21.5, 4));
  EXPECT_THAT(got[kRowNorms], ::testing::ElementsAre(std::sqrt(5.0), std::sqrt(9.25)));
  EXPECT_THAT(got[kColumnNorms], ::testing::ElementsAre(std::sqrt(41.0), std::sqrt(85.0), 8.0));
}

TEST(GemmReference, WhatRoundsToAnInfinityIsOne) {
  Case of(1, 2, 1);
  of.a.set(0, 256);
  of.b.set(0, -256);
  of.b.set(1, 255);
  const auto got = of.trial.reference();
  EXPECT_EQ(got[kC][0], -HUGE_VAL);
  EXPECT_EQ(got[kC][1], 65280);
  Case wide(1, 1, 1, tensor::DType::bfloat16);
  wide.a.set(0, 256);
  wide.b.set(0, 256);
  EXPECT_EQ(wide.trial.reference()[kC][0], 65536);
}

TEST(GemmReference, ScalesByPowersOfTwo) {
  Case of(5, 9, 20);
  of.fill(0);
  const auto before = of.trial.reference();
  for (std::size_t i = 0; i < of.a.size(); ++i) {
    of.a.set(i, of.a.get(i) * 4);
  }
  for (std::size_t i = 0; i < of.b.size(); ++i) {
    of.b.set(i, of.b.get(i) * -0.5F);
  }
  const auto after = of.trial.reference();
  for (std::size_t i = 0; i < before[kC].size(); ++i) {
    // float16 has no digits to lose here but in its subnormals.
    EXPECT_NEAR(after[kC][i], -2 * before[kC][i], 1e-3);
  }
}

TEST(GemmReference, RowsAndColumnsMayBePermutedAndSplit) {
  Case whole(6, 10, 20);
  whole.fill(1);
  const auto all = whole.trial.reference();
  Case part(2, 10, 20);
  // Rows 4 and 1, in this order, by themselves.
  for (std::size_t k = 0; k < 20; ++k) {
    part.a.set(k, whole.a.get(4 * 20 + k));
    part.a.set(20 + k, whole.a.get(1 * 20 + k));
  }
  for (std::size_t i = 0; i < whole.b.size(); ++i) {
    part.b.set(i, whole.b.get((i + 20) % whole.b.size()));  // Row n + 1 where n was.
  }
  const auto some = part.trial.reference();
  for (std::size_t n = 0; n < 10; ++n) {
    EXPECT_EQ(some[kC][n], all[kC][40 + (n + 1) % 10]);
    EXPECT_EQ(some[kC][10 + n], all[kC][10 + (n + 1) % 10]);
  }
}

TEST(GemmReference, OtherArgumentsAreABug) {
  Case of(2, 3, 4);
  std::vector<ExpectedValues> outputs;
  auto arguments = of.trial.const_arguments();
  arguments.pop_back();
  EXPECT_EQ(of.op->reference(of.trial.axes(), arguments, outputs).error().owner, base::Owner::internal);
  EXPECT_EQ(of.op->reference({{"M", 2}}, of.trial.const_arguments(), outputs).error().owner, base::Owner::internal);
}

}  // namespace
}  // namespace assay::operators::gemm
