#include <gtest/gtest.h>

#include <string>

#include <assay/build/builder.hpp>
#include <assay/build/cuda_toolchain.hpp>

namespace assay::build {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLaunched = R"(#include <assay/candidate.h>
__constant__ float weights[4] = {1, 2, 3, 4};  // four of them
template <int Block> __global__ void weigh(const float* x, float* y, int count) {
  const int place = static_cast<int>(blockIdx.x) * Block + static_cast<int>(threadIdx.x);
  if (place < count) {
    y[place] = x[place] * weights[place & 3] * 2.5f;
  }
}
ASSAY_KERNEL(run) {
  const DLTensor* x = assay_input(call, 0);
  const int count = static_cast<int>(x->shape[0]);
  weigh<128><<<(count + 127) / 128, 128, 0, static_cast<cudaStream_t>(assay_stream(call))>>>(
      static_cast<const float*>(x->data), static_cast<float*>(assay_output(call, 0)->data), count);
  return static_cast<int32_t>(cudaGetLastError());
}
)";

constexpr const char* kPlain =
    "extern \"C\" __global__ void run(const float* x, float* y) { y[threadIdx.x] = 2.0f * x[threadIdx.x]; }\n";

std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), instead);
}

class CudaCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = find_nvcc("sm_90a", ObjectForm::shared_object); !found) {
      GTEST_SKIP() << "no nvcc here, so nothing is built for CUDA: " << found.error().message;
    }
  }

  task::BuildRecord build(task::Solution solution, ObjectForm form) const {
    // One cache for all tests, which look at the same builds: nvcc takes most of their time.
    static const os::TemporaryDirectory kFolder =
        std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-cuda-code-"));
    const Builder builder(kFolder.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", *find_nvcc("sm_90a", form),
                          "");
    solution.name = "s";
    solution.spec.language = task::Language::cuda;
    auto result = builder.build(solution, 100s);
    EXPECT_TRUE(result) << result.error().text();
    EXPECT_TRUE(result->record.built) << result->log;
    return result->record;
  }

  task::BuildRecord build(const std::string& source) const {
    task::Solution solution;
    solution.spec.entry_point = "kernel.cu::run";
    solution.sources = {{"kernel.cu", source}};
    return build(solution, ObjectForm::shared_object);
  }

  task::BuildRecord build_device_only(const std::string& source, const std::string& plan) const {
    task::Solution solution;
    solution.spec.entry_point = "launch.json::run";
    solution.sources = {{"kernel.cu", source}, {"launch.json", plan}};
    return build(solution, ObjectForm::cubin);
  }
};

TEST_F(CudaCodeTest, AllLevelsAreThoseOfTheSourceWithOtherNamesAndComments) {
  const task::BuildRecord original = build(kLaunched);
  for (const std::string& digest : {original.code.ptx, original.code.sass, original.code.machine_code}) {
    EXPECT_EQ(digest.size(), 64U);
  }
  std::string renamed = with(kLaunched, "// four of them", "// in all, four");
  for (int i = 0; i < 5; ++i) {
    renamed = with(renamed, "place", "p");
  }
  EXPECT_EQ(build(renamed).code, original.code);
}

TEST_F(CudaCodeTest, ConstantsAndImmediatesCountAtEachLevel) {
  const task::BuildRecord original = build(kLaunched);
  for (const auto& [what, instead] : {std::pair{"3, 4}", "3, 5}"}, {"2.5f", "2.25f"}}) {
    const task::BuildRecord changed = build(with(kLaunched, what, instead));
    EXPECT_NE(changed.code.ptx, original.code.ptx) << what;
    EXPECT_NE(changed.code.sass, original.code.sass) << what;
    EXPECT_NE(changed.code.machine_code, original.code.machine_code) << what;
  }
}

// The GPU executes the same, only by other blocks: not the same candidate.
TEST_F(CudaCodeTest, AnotherLaunchIsTheSameOnTheGpuAndOtherMachineCode) {
  const task::BuildRecord original = build(kLaunched);
  const task::BuildRecord changed =
      build(with(kLaunched, "(count + 127) / 128, 128, 0", "(count + 127) / 128, 128, 1024"));
  EXPECT_EQ(changed.code.ptx, original.code.ptx);
  EXPECT_EQ(changed.code.sass, original.code.sass);
  EXPECT_NE(changed.code.machine_code, original.code.machine_code);
  EXPECT_FALSE(task::same_machine_code(changed, original));
}

TEST_F(CudaCodeTest, WhatNvccKeepsOfSeveralSourcesIsNotAsked) {
  task::Solution solution;
  solution.spec.entry_point = "kernel.cu::run";
  solution.sources = {{"kernel.cu", kLaunched}, {"part/kernel.cu", "__global__ void more(float* x) { x[0] = 1; }\n"}};
  const task::BuildRecord built = build(solution, ObjectForm::shared_object);
  EXPECT_EQ(built.code.ptx, "");
  EXPECT_EQ(built.code.sass, "");
  EXPECT_EQ(built.code.machine_code.size(), 64U);
  EXPECT_EQ(built.kernels.size(), 2U) << "neither has overwritten the other";
}

TEST_F(CudaCodeTest, WithoutHostCodeThePlanDecidesTheLaunch) {
  const task::BuildRecord original = build_device_only(kPlain, "{\"launches\": 1}");
  EXPECT_EQ(original.code.sass.size(), 64U);
  const task::BuildRecord commented = build_device_only(std::string("// faster\n") + kPlain, "{\"launches\": 1}");
  EXPECT_EQ(commented.code, original.code);
  const task::BuildRecord planned = build_device_only(kPlain, "{\"launches\": 2}");
  EXPECT_EQ(planned.code.sass, original.code.sass);
  EXPECT_NE(planned.code.machine_code, original.code.machine_code);
  const task::BuildRecord changed = build_device_only(with(kPlain, "2.0f", "2.5f"), "{\"launches\": 1}");
  EXPECT_NE(changed.code.sass, original.code.sass);
  EXPECT_NE(changed.code.machine_code, original.code.machine_code);
}

}  // namespace
}  // namespace assay::build
