#include <assay/operators/generic/generator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <assay/tensor/comparison.hpp>

namespace assay::operators::generic {
namespace {

using tensor::DType;

constexpr DType kAll[] = {DType::float64,     DType::float32,     DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                          DType::float8_e5m2, DType::float4_e2m1, DType::int64,   DType::int32,    DType::int16,
                          DType::int8,        DType::uint32,      DType::uint8,   DType::boolean};

/// One tensor of each type, and a scalar.
class Arguments {
 public:
  explicit Arguments(std::size_t count = 1000) {
    for (const DType dtype : kAll) {
      memory_.emplace_back(tensor::byte_size(dtype, count));
      arguments_.emplace_back(
          tensor::View{std::string(to_string(dtype)), dtype, {static_cast<std::int64_t>(count)}, memory_.back()});
    }
    arguments_.emplace_back(Scalar(0.5));
  }
  [[nodiscard]] std::span<Argument> all() { return arguments_; }
  [[nodiscard]] std::vector<double> values(DType dtype) const {
    for (const Argument& argument : arguments_) {
      const auto* view = std::get_if<tensor::View>(&argument);
      if (view != nullptr && view->dtype == dtype) {
        std::vector<double> result;
        for (std::size_t i = 0; i < tensor::element_count(view->shape); ++i) {
          result.push_back(tensor::element(tensor::as_const(*view), i));
        }
        return result;
      }
    }
    return {};
  }
  [[nodiscard]] const std::vector<std::vector<std::byte>>& memory() const { return memory_; }
  [[nodiscard]] double scalar() const { return std::get<double>(std::get<Scalar>(arguments_.back())); }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<Argument> arguments_;
};

task::Workload workload(const std::string& uuid = "generic") {
  task::Workload result;
  result.uuid = uuid;
  return result;
}

TEST(GenericGenerator, FillsEachTypeInTheRangeThatTheSchemaSays) {
  Arguments arguments;
  Generator(3).fill(workload(), 0, arguments.all());
  const auto range = [&](DType dtype) {
    const auto values = arguments.values(dtype);
    return std::pair(*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end()));
  };
  using testing::AllOf, testing::Each, testing::Ge, testing::Le;
  EXPECT_THAT(arguments.values(DType::int8), Each(AllOf(Ge(-128), Le(127))));
  EXPECT_LT(range(DType::int8).first, -100);
  EXPECT_GT(range(DType::int8).second, 100);
  for (const DType dtype : {DType::int16, DType::int32, DType::int64}) {
    EXPECT_THAT(arguments.values(dtype), Each(AllOf(Ge(-1024), Le(1023))));
    EXPECT_LT(range(dtype).first, -900);
    EXPECT_GT(range(dtype).second, 900);
  }
  EXPECT_EQ(range(DType::boolean), std::pair(0.0, 1.0));
  EXPECT_THAT(arguments.values(DType::uint8), Each(AllOf(Ge(0), Le(255))));
  EXPECT_GT(range(DType::uint8).second, 200);
  EXPECT_THAT(arguments.values(DType::uint32), Each(AllOf(Ge(0), Le(2047))));
  EXPECT_GT(range(DType::uint32).second, 1800);
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2, DType::float4_e2m1}) {
    EXPECT_EQ(range(dtype), std::pair(-2.0, 2.0));
  }
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    EXPECT_LT(range(dtype).first, -2.5);
    EXPECT_GT(range(dtype).second, 2.5);
  }
  EXPECT_EQ(arguments.scalar(), 0.5) << "scalars are the workload's";
}

TEST(GenericGenerator, SeedWorkloadAndCallDecideTheBytes) {
  const auto filled = [](std::uint64_t seed, const std::string& uuid, std::uint64_t call) {
    Arguments arguments;
    Generator(seed).fill(workload(uuid), call, arguments.all());
    return arguments.memory();
  };
  const auto first = filled(1, "a", 0);
  EXPECT_EQ(first, filled(1, "a", 0));
  for (const auto& other : {filled(2, "a", 0), filled(1, "b", 0), filled(1, "a", 1)}) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NE(first[i], other[i]) << to_string(kAll[i]);
    }
  }
}

TEST(GenericGenerator, PerturbingChangesOneElementOfOneFloatingTensor) {
  std::set<std::size_t> touched;
  Generator generator(3);
  for (std::uint64_t which = 0; which < 28; ++which) {
    Arguments arguments;
    generator.fill(workload(), which, arguments.all());
    std::vector<std::vector<double>> before;
    for (const DType dtype : kAll) {
      before.push_back(arguments.values(dtype));
    }
    generator.perturb(which, which, arguments.all());
    std::size_t changed = 0;
    for (std::size_t i = 0; i < std::size(kAll); ++i) {
      const auto after = arguments.values(kAll[i]);
      for (std::size_t at = 0; at < after.size(); ++at) {
        if (after[at] != before[i][at]) {
          ++changed;
          touched.insert(i);
          EXPECT_GE(std::fabs(after[at] - before[i][at]), 3) << to_string(kAll[i]);
        }
      }
    }
    EXPECT_EQ(changed, 1U) << which;
  }
  EXPECT_THAT(touched, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(GenericGenerator, WithoutFloatingTensorsNothingIsPerturbed) {
  std::vector<std::byte> bytes(40);
  std::vector<Argument> arguments = {tensor::View{"i", DType::int32, {10}, bytes}};
  Generator generator(3);
  generator.fill(workload(), 0, arguments);
  const auto before = bytes;
  generator.perturb(0, 0, arguments);
  EXPECT_EQ(bytes, before);
}

TEST(GenericStress, KindsAreWhatTheySay) {
  Generator generator(3);
  const auto of_kind = [&generator](std::size_t kind) {
    Arguments arguments;
    generator.fill_stress(kind, workload(), 0, arguments.all());
    return arguments;
  };
  const Arguments ordinary = of_kind(0);
  using testing::AllOf, testing::Each, testing::Ge, testing::Le;
  EXPECT_THAT(of_kind(1).values(DType::bfloat16), Each(0));
  EXPECT_THAT(of_kind(1).values(DType::int64), Each(0));
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    EXPECT_DOUBLE_EQ(of_kind(2).values(dtype)[7], ordinary.values(dtype)[7] * 1024);
    EXPECT_DOUBLE_EQ(of_kind(3).values(dtype)[7], ordinary.values(dtype)[7] / 1024);
  }
  EXPECT_DOUBLE_EQ(of_kind(2).values(DType::float16)[7], ordinary.values(DType::float16)[7] * 8);
  EXPECT_THAT(of_kind(2).values(DType::float4_e2m1), Each(AllOf(Ge(-4), Le(4))));
  const auto mixed = of_kind(4).values(DType::float32);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    EXPECT_EQ(mixed[i] > 0, i % 2 == 0);
    EXPECT_NEAR(std::fabs(mixed[i]), 1.25, 0.5);
  }
  EXPECT_THAT(of_kind(5).values(DType::float32), testing::Contains(4096).Times(1));
  for (std::size_t kind = 2; kind < kStressKinds.size(); ++kind) {
    EXPECT_EQ(of_kind(kind).values(DType::int32), ordinary.values(DType::int32)) << "integers keep their ranges";
    for (const DType dtype : {DType::float16, DType::float8_e4m3fn, DType::float8_e5m2}) {
      for (const double value : of_kind(kind).values(dtype)) {
        ASSERT_TRUE(std::isfinite(value)) << kStressKinds[kind].name;
      }
    }
  }
}

class GenericStressTrial : public testing::Test {
 protected:
  GenericStressTrial() {
    definition_.name = "segments";
    definition_.axes = {{"n", {}}, {"offsets", {}}, {"width", {task::Axis::Kind::constant, 4, std::nullopt}}};
    using Shape = std::vector<std::string>;
    definition_.inputs = {{"x", {Shape{"n", "width"}, DType::float32, std::nullopt}},
                          {"begin", {Shape{"offsets"}, DType::int32, std::nullopt}}};
    definition_.outputs = {{"y", {Shape{"n"}, DType::float32, std::nullopt}}};
    definition_.constraints = {"n % 2 == 0", "n == begin[-1].item()"};
    for (const std::int64_t n : {64, 8}) {
      task::Workload example;
      example.uuid = "w" + std::to_string(n);
      example.axes = {{"n", n}, {"offsets", 5}};
      example.inputs = {{"x", task::RandomInput{}}, {"begin", task::RandomInput{}}};
      examples_.push_back(example);
    }
  }
  task::Definition definition_;
  std::vector<task::Workload> examples_;
};

TEST_F(GenericStressTrial, VariesAxesWithinConstraintsAndBytes) {
  std::set<std::int64_t> n;
  for (std::uint64_t index = 0; index < 300; ++index) {
    const StressTrial trial = make_stress_trial(definition_, examples_, 4, index, 2000);
    EXPECT_EQ(trial.kind, index % kStressKinds.size());
    EXPECT_EQ(trial.workload.uuid, "stress-segments-4-" + std::to_string(index));
    const std::int64_t rows = *task::find(trial.workload.axes, "n");
    EXPECT_EQ(rows % 2, 0) << "a constraint on axes holds";
    EXPECT_LE(rows * 5 * 4, 2000);
    n.insert(rows);
  }
  EXPECT_THAT(n, testing::IsSupersetOf({2, 8, 64}));
}

TEST_F(GenericStressTrial, WhereNothingFitsItIsTheSmallestExample) {
  const StressTrial trial = make_stress_trial(definition_, examples_, 4, 0, 0);
  EXPECT_EQ(trial.workload.axes, examples_[1].axes);
}

TEST(GenericRule, ZerosAndOneStepLessPrecisionFailForEveryFloatingType) {
  // 1,000 values of N(0, 1) as they are, and with the rounding of the next coarser type.
  constexpr std::size_t kCount = 1000;
  base::Philox random(1, 2);
  std::vector<double> expected(kCount);
  for (double& value : expected) {
    value = random.next_normal();
  }
  const auto judge = [&](DType dtype, auto convert) {
    std::vector<float> got(kCount);
    std::transform(expected.begin(), expected.end(), got.begin(),
                   [&](double value) { return convert(static_cast<float>(value)); });
    const tensor::ConstView view{"y", DType::float32, {kCount}, std::as_bytes(std::span(got))};
    return tensor::compare(view, expected, rule(dtype)).has_value();
  };
  const auto half = [](float x) { return tensor::from_float16(tensor::to_float16(x)); };
  const auto brain = [](float x) { return tensor::from_bfloat16(tensor::to_bfloat16(x)); };
  const auto e4m3 = [](float x) { return tensor::from_float8_e4m3fn(tensor::to_float8_e4m3fn(x)); };
  const auto e5m2 = [](float x) { return tensor::from_float8_e5m2(tensor::to_float8_e5m2(x)); };
  const auto e2m1 = [](float x) { return tensor::from_float4_e2m1(tensor::to_float4_e2m1(x)); };
  const auto same = [](float x) { return x; };
  EXPECT_FALSE(judge(DType::float32, same));
  EXPECT_TRUE(judge(DType::float32, half));
  EXPECT_FALSE(judge(DType::float16, half));
  EXPECT_TRUE(judge(DType::float16, brain));
  EXPECT_FALSE(judge(DType::bfloat16, brain));
  EXPECT_TRUE(judge(DType::bfloat16, e4m3));
  EXPECT_FALSE(judge(DType::float8_e4m3fn, e4m3));
  EXPECT_FALSE(judge(DType::float8_e5m2, e5m2));
  EXPECT_TRUE(judge(DType::float8_e4m3fn, e2m1));
  EXPECT_FALSE(judge(DType::float4_e2m1, e2m1));
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2,
                            DType::float4_e2m1}) {
    EXPECT_TRUE(judge(dtype, [](float) { return 0.0F; })) << to_string(dtype);
  }
}

}  // namespace
}  // namespace assay::operators::generic
