#include <assay/task/launch_plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kPlan = R"json({"run": {
  "scratch_bytes": "rows * 16",
  "launches": [{
    "kernel": "scale_rows", "grid": ["ceil_div(rows, TILE)", 2], "block": [64, "TILE"],
    "cluster": [1, 2], "shared_bytes": "columns * 4", "cooperative": true,
    "arguments": [{"input": "x"}, {"output": "norm"}, {"scalar": "scale", "type": "float32"},
                  {"value": "rows", "type": "int32"}, {"value": 1.5, "type": "float64"},
                  {"value": -1, "type": "int64"}, {"scratch": "rows * 8"}]
  }]
}})json";

Solution device_only(std::string plan, const std::string& symbol = "run") {
  Solution solution = testing::sample_solution("kernels");
  solution.spec.language = Language::cuda;
  solution.spec.entry_point = "launch.json::" + symbol;
  solution.sources = {{"kernel.cu", "extern \"C\" __global__ void scale_rows() {}\n"},
                      {"launch.json", std::move(plan)}};
  return solution;
}

base::Result<ResolvedPlan> resolve(const std::string& text, std::int64_t rows = 9,
                                   const Named<std::int64_t>& parameters = {{"TILE", 4}}) {
  ASSAY_TRY_ASSIGN(const LaunchPlan plan, read_launch_plan(device_only(text)));
  return resolve_launch_plan(plan, testing::sample_definition(), {{"rows", rows}, {"columns", 64}}, parameters);
}

// The plan with one place changed, and what is said about it.
std::string complaint(const std::string& pointer, const Json& value, std::int64_t rows = 9) {
  Json json = Json::parse(kPlan);
  json[Json::json_pointer("/run" + pointer)] = value;
  const auto resolved = resolve(json.dump(), rows);
  EXPECT_FALSE(resolved) << pointer;
  if (resolved) {
    return "";
  }
  EXPECT_EQ(resolved.error().owner, base::Owner::input);
  return resolved.error().text();
}

TEST(LaunchPlan, TheEntryFileDecidesTheTier) {
  EXPECT_EQ(tier_of(device_only(kPlan)), Tier::device_only);
  Solution host = device_only(kPlan);
  host.spec.entry_point = "kernel.cu::run";
  EXPECT_EQ(tier_of(host), Tier::host_and_device);
  host.spec.language = Language::cpp;
  EXPECT_EQ(tier_of(host), std::nullopt);
}

TEST(LaunchPlan, ResolvesToNumbers) {
  const auto resolved = resolve(kPlan);
  ASSERT_TRUE(resolved) << resolved.error().text();
  EXPECT_EQ(resolved->scratch_bytes, 144U);
  ASSERT_EQ(resolved->launches.size(), 1U);
  const ResolvedLaunch& launch = resolved->launches[0];
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{64, 4, 1}));
  EXPECT_EQ(launch.cluster, (std::array<std::uint32_t, 3>{1, 2, 1}));
  EXPECT_EQ(launch.shared_bytes, 256U);
  EXPECT_TRUE(launch.cooperative);
  ASSERT_EQ(launch.arguments.size(), 7U);
  EXPECT_EQ(std::get<ResolvedPointer>(launch.arguments[0]).argument, 0U);
  EXPECT_EQ(std::get<ResolvedPointer>(launch.arguments[1]).argument, 3U) << "behind two inputs and an output";
  EXPECT_EQ(std::get<ResolvedScalar>(launch.arguments[2]).input, 1U);
  EXPECT_EQ(std::get<ResolvedValue>(launch.arguments[3]).bits, 9U);
  EXPECT_EQ(std::get<ResolvedValue>(launch.arguments[3]).size, 4U);
  double real = 0;
  std::memcpy(&real, &std::get<ResolvedValue>(launch.arguments[4]).bits, sizeof real);
  EXPECT_EQ(real, 1.5);
  EXPECT_EQ(std::get<ResolvedValue>(launch.arguments[5]).bits, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::get<ResolvedScratch>(launch.arguments[6]).offset, 72U);
}

TEST(LaunchPlan, WhatIsOutOfBoundsIsNamedWithItsValues) {
  EXPECT_THAT(complaint("/launches/0/grid/0", "rows - 9"),
              AllOf(HasSubstr("launch.json: /run/launches/0/grid/0"), HasSubstr("is 0, with rows = 9"),
                    HasSubstr("from 1 to 2147483647")));
  EXPECT_THAT(complaint("/launches/0/grid/1", 65536), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(complaint("/launches/0/grid/1", 3), HasSubstr("no multiple of the cluster's 2"));
  EXPECT_THAT(complaint("/launches/0/block/0", 512), HasSubstr("has 2048 threads"));
  EXPECT_THAT(complaint("/launches/0/block", Json::array({1, 1, 65})), HasSubstr("block/2"));
  EXPECT_THAT(complaint("/launches/0/cluster", Json::array({3, 2, 2})), HasSubstr("12 blocks"));
  EXPECT_THAT(complaint("/launches/0/shared_bytes", 232449), HasSubstr("from 0 to 232448"));
  EXPECT_THAT(complaint("/scratch_bytes", "1 + 16 * 1024 ** 3"), HasSubstr("/run/scratch_bytes"));
  EXPECT_THAT(complaint("/launches/0/arguments/6/scratch", "rows * 16"), HasSubstr("from 0 to 143"));
  EXPECT_THAT(complaint("/scratch_bytes", 0), HasSubstr("declare scratch_bytes"));
}

TEST(LaunchPlan, ExpressionsFailWithTheirPlace) {
  EXPECT_THAT(complaint("/launches/0/grid/0", "rows * 9223372036854775807"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(complaint("/launches/0/grid/0", "rows // (rows - 9)"), HasSubstr("divides by zero"));
  EXPECT_THAT(complaint("/launches/0/grid/0", "lines"), AllOf(HasSubstr("\"lines\""), HasSubstr("axes")));
  EXPECT_THAT(complaint("/launches/0/grid/0", "rows +"), HasSubstr("/run/launches/0/grid/0"));
  EXPECT_THAT(complaint("/launches/0/grid/0", ""), HasSubstr("/run/launches/0/grid/0"));
  EXPECT_THAT(complaint("/launches/0/arguments/3/value", "rows * 2 ** 40"), HasSubstr("does not fit int32"));
}

TEST(LaunchPlan, ArgumentsAreHeldAgainstTheDefinition) {
  EXPECT_THAT(complaint("/launches/0/arguments/0/input", "y"),
              AllOf(HasSubstr("no input \"y\""), HasSubstr("x, scale")));
  EXPECT_THAT(complaint("/launches/0/arguments/0/input", "scale"), HasSubstr("is a scalar"));
  EXPECT_THAT(complaint("/launches/0/arguments/1/output", "x"), HasSubstr("no output \"x\""));
  EXPECT_THAT(complaint("/launches/0/arguments/2/scalar", "x"), HasSubstr("is a tensor"));
  EXPECT_THAT(complaint("/launches/0/arguments/2/type", "int32"), HasSubstr("float32 or float64"));
  EXPECT_THAT(complaint("/launches/0/arguments/2/type", "float16"), HasSubstr("arguments/2/type"));
}

TEST(LaunchPlan, TheFormIsStrict) {
  EXPECT_THAT(complaint("/launches/0/stream", 1), HasSubstr("/run/launches/0/stream"));
  EXPECT_THAT(complaint("/launches/0/kernel", ""), HasSubstr("/run/launches/0/kernel"));
  EXPECT_THAT(complaint("/launches/0/kernel", std::string(901, 'k')), HasSubstr("900 printable"));
  EXPECT_THAT(complaint("/launches/0/grid", Json::array({1, 1, 1, 1})), HasSubstr("three extents"));
  EXPECT_THAT(complaint("/launches/0/grid/0", 1.5), HasSubstr("/run/launches/0/grid/0"));
  EXPECT_THAT(complaint("/launches", Json::array()), HasSubstr("/run/launches"));
  EXPECT_THAT(complaint("/launches/0/arguments/0", Json{{"input", "x"}, {"output", "y"}}), HasSubstr("one of input"));
  EXPECT_THAT(complaint("/launches/0/arguments/0", Json::object()), HasSubstr("one of input"));
  EXPECT_THAT(complaint("/launches/0/arguments/3", Json{{"value", 1.5}, {"type", "int32"}}), HasSubstr("no integer"));
  Json many = Json::parse(kPlan);
  many["run"]["launches"] = Json::array_t(kMostLaunches + 1, many["run"]["launches"][0]);
  EXPECT_THAT(resolve(many.dump()).error().text(), HasSubstr("more than 64 launches"));
  many["run"]["launches"] = Json::array_t(kMostLaunches, many["run"]["launches"][0]);
  EXPECT_TRUE(resolve(many.dump()));
  many["run"]["launches"][3]["arguments"] = Json::array_t(kMostLaunchArguments + 1, {{"input", "x"}});
  EXPECT_THAT(resolve(many.dump()).error().text(), HasSubstr("/run/launches/3/arguments"));
}

TEST(LaunchPlan, TheMemberOfTheEntryPointIsRead) {
  EXPECT_THAT(read_launch_plan(device_only(kPlan, "other")).error().text(), HasSubstr("launch.json"));
  EXPECT_THAT(read_launch_plan(device_only("[]")).error().text(), HasSubstr("launch.json"));
  EXPECT_THAT(read_launch_plan(device_only("{")).error().text(), HasSubstr("launch.json"));
}

TEST(LaunchPlan, AParameterWithTheNameOfAnAxisIsRefused) {
  EXPECT_THAT(resolve(kPlan, 9, {{"TILE", 4}, {"rows", 1}}).error().text(), HasSubstr("rename the parameter"));
}

TEST(ParameterValue, FitsOrIsRefused) {
  EXPECT_EQ(parameter_value(std::int64_t{-1}, ParameterType::int32)->bits, 0xffffffffU);
  EXPECT_FALSE(parameter_value(std::int64_t{1} << 31U, ParameterType::int32));
  EXPECT_EQ(parameter_value(std::int64_t{1} << 31U, ParameterType::uint32)->bits, std::uint64_t{1} << 31U);
  EXPECT_FALSE(parameter_value(std::int64_t{-1}, ParameterType::uint32));
  EXPECT_FALSE(parameter_value(std::int64_t{-1}, ParameterType::uint64));
  EXPECT_EQ(parameter_value(std::int64_t{1}, ParameterType::boolean)->size, 1U);
  EXPECT_FALSE(parameter_value(std::int64_t{2}, ParameterType::boolean));
  EXPECT_EQ(parameter_value(std::int64_t{1}, ParameterType::float32)->bits, 0x3f800000U);
  EXPECT_EQ(parameter_value(0.5, ParameterType::float32)->bits, 0x3f000000U);
  EXPECT_FALSE(parameter_value(1e300, ParameterType::float32));
  EXPECT_FALSE(parameter_value(1.0, ParameterType::int32));
  for (const ParameterType type :
       {ParameterType::boolean, ParameterType::int32, ParameterType::int64, ParameterType::uint32,
        ParameterType::uint64, ParameterType::float32, ParameterType::float64}) {
    EXPECT_EQ(parameter_value(std::int64_t{1}, type)->size, size_of(type)) << to_string(type);
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The example's plan, for each workload of the dataset that it is an example for.
TEST(LaunchPlan, TheExampleResolvesForEveryWorkload) {
  const std::string name = "gdn_decode_qk4_v8_d128_k_last";
  const auto definition = load_definition(content_of("datasets/contest/definitions/gdn/" + name + ".json"), name);
  ASSERT_TRUE(definition) << definition.error().text();
  const auto plan = read_launch_plan(device_only(content_of("examples/gdn_decode/device_only.launch.json")));
  ASSERT_TRUE(plan) << plan.error().text();
  std::ifstream lines(std::string(ASSAY_SOURCE_DIR) + "/datasets/contest/workloads/gdn/" + name + ".jsonl");
  int workloads = 0;
  for (std::string line; std::getline(lines, line); ++workloads) {
    const std::int64_t batch = Json::parse(line)["workload"]["axes"]["batch_size"].get<std::int64_t>();
    const auto axes = resolve_axes(*definition, {{"batch_size", batch}});
    ASSERT_TRUE(axes);
    const auto resolved = resolve_launch_plan(*plan, *definition, *axes, {});
    ASSERT_TRUE(resolved) << resolved.error().text();
    EXPECT_EQ(resolved->scratch_bytes, static_cast<std::uint64_t>(batch) * 64);
    EXPECT_EQ(resolved->launches.at(0).grid[0], (batch * 8 + 127) / 128);
    EXPECT_EQ(resolved->launches.at(1).grid[1], batch * 8);
  }
  EXPECT_EQ(workloads, 54);
}

// What an integer becomes in memory, against the compiler's own conversions.
template <class T>
void expect_integers(ParameterType type) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> values = {kLeast, kLeast + 1, -1, 0, 1, 2, kMost - 1, kMost};
  for (const int bits : {7, 8, 31, 32, 33}) {
    const std::int64_t power = std::int64_t{1} << bits;
    values.insert(values.end(), {power - 1, power, power + 1, -power - 1, -power, 1 - power});
  }
  for (const std::int64_t value : values) {
    const auto made = parameter_value(value, type);
    const bool fits = std::in_range<T>(value);
    ASSERT_EQ(made.has_value(), fits) << value << " as " << to_string(type);
    if (fits) {
      T read = 0;
      std::memcpy(&read, &made->bits, sizeof read);
      EXPECT_TRUE(std::cmp_equal(read, value)) << value << " as " << to_string(type);
      EXPECT_EQ(made->size, sizeof(T));
      EXPECT_EQ(made->size < 8 ? made->bits >> (8 * made->size) : 0, 0U) << "nothing lies above the value's bytes";
    }
  }
}

TEST(ParameterValue, IntegersFitAsTheCompilerSays) {
  expect_integers<std::int32_t>(ParameterType::int32);
  expect_integers<std::int64_t>(ParameterType::int64);
  expect_integers<std::uint32_t>(ParameterType::uint32);
  expect_integers<std::uint64_t>(ParameterType::uint64);
}

TEST(ParameterValue, RealsThatAreNotFiniteStayWhatTheyAre) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parameter_value(infinite, ParameterType::float32)->bits, 0x7f800000U);
  EXPECT_EQ(parameter_value(-infinite, ParameterType::float32)->bits, 0xff800000U);
  EXPECT_EQ(parameter_value(infinite, ParameterType::float64)->bits, std::uint64_t{0x7ff} << 52U);
  EXPECT_TRUE(parameter_value(std::numeric_limits<double>::quiet_NaN(), ParameterType::float32));
  EXPECT_TRUE(parameter_value(static_cast<double>(std::numeric_limits<float>::max()), ParameterType::float32));
  EXPECT_FALSE(parameter_value(2 * static_cast<double>(std::numeric_limits<float>::max()), ParameterType::float32));
  EXPECT_EQ(parameter_value(-0.0, ParameterType::float32)->bits, 0x80000000U) << "zero keeps its sign";
}

// The values at each end of a bound are taken, those beyond it refused.
struct Bound {
  std::string pointer;
  std::int64_t least;
  std::int64_t most;
};
class LaunchBound : public ::testing::TestWithParam<Bound> {};

TEST_P(LaunchBound, HoldsItsEndsAndNothingBeyond) {
  const auto [pointer, least, most] = GetParam();
  // One launch that leaves every bound free: no cluster, one thread, no argument that leans on scratch memory.
  Json plan = Json::parse(kPlan);
  Json& launch = plan["run"]["launches"][0];
  launch.erase("cluster");
  launch["grid"] = {1, 1, 1};
  launch["block"] = {1, 1, 1};
  launch["arguments"] = Json::array();
  for (const std::int64_t value : {least, most}) {
    plan[Json::json_pointer("/run" + pointer)] = value;
    const auto resolved = resolve(plan.dump());
    EXPECT_TRUE(resolved) << pointer << " = " << value << ": " << resolved.error().text();
  }
  for (const std::int64_t value : {least - 1, most + 1}) {
    plan[Json::json_pointer("/run" + pointer)] = value;
    const auto resolved = resolve(plan.dump());
    ASSERT_FALSE(resolved) << pointer << " = " << value;
    EXPECT_THAT(resolved.error().text(), AllOf(HasSubstr("/run" + pointer), HasSubstr(std::to_string(value)),
                                               HasSubstr(std::to_string(least)), HasSubstr(std::to_string(most))));
  }
}

INSTANTIATE_TEST_SUITE_P(All, LaunchBound,
                         ::testing::Values(Bound{"/launches/0/grid/0", 1, 2147483647},
                                           Bound{"/launches/0/grid/1", 1, 65535}, Bound{"/launches/0/grid/2", 1, 65535},
                                           Bound{"/launches/0/block/0", 1, 1024}, Bound{"/launches/0/block/1", 1, 1024},
                                           Bound{"/launches/0/block/2", 1, 64},
                                           Bound{"/launches/0/shared_bytes", 0, kMostSharedBytes},
                                           Bound{"/scratch_bytes", 0, std::int64_t{kMostScratchBytes}}));

TEST(LaunchPlan, ExtentsThatAreNotGivenAreOneAndThereIsNoClusterUnlessAsked) {
  Json json = Json::parse(kPlan);
  Json& launch = json["run"]["launches"][0];
  for (const char* optional : {"cluster", "shared_bytes", "cooperative"}) {
    launch.erase(optional);
  }
  launch["grid"] = {3};
  launch["block"] = {64};
  const auto resolved = resolve(json.dump());
  ASSERT_TRUE(resolved) << resolved.error().text();
  const ResolvedLaunch& made = resolved->launches[0];
  EXPECT_EQ(made.grid, (std::array<std::uint32_t, 3>{3, 1, 1}));
  EXPECT_EQ(made.block, (std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(made.cluster, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(made.shared_bytes, 0U);
  EXPECT_FALSE(made.cooperative);
}

}  // namespace
}  // namespace assay::task
