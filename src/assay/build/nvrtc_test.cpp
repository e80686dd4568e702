#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <assay/build/builder.hpp>
#include <assay/build/cuda_toolchain.hpp>
#include <assay/build/diagnostics.hpp>
#include <assay/build/nvrtc_program.hpp>

namespace assay::build {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

os::Path nvrtc_path() { return os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-nvrtc"; }

task::Solution device_solution(const std::string& source) {
  task::Solution solution;
  solution.name = "s";
  solution.spec.language = task::Language::cuda;
  solution.spec.entry_point = "kernel.cu::run";
  solution.sources = {{"kernel.cu", source}};
  return solution;
}

class NvrtcTest : public ::testing::Test {
 protected:
  NvrtcTest() : folder_(std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-nvrtc-"))) {}

  void SetUp() override {
    if (const auto found = find_nvrtc(nvrtc_path(), "sm_90a"); !found) {
      ASSERT_EQ(found.error().owner, base::Owner::environment);
      GTEST_SKIP() << "no NVRTC here, so no cubin is made by it: " << found.error().message;
    }
  }

  BuildResult build(const task::Solution& solution) const {
    const Builder builder(folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include",
                          *find_nvrtc(nvrtc_path(), "sm_90a"), "");
    auto result = builder.build(solution, 100s);
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(*result) : BuildResult{};
  }

  os::TemporaryDirectory folder_;
};

TEST_F(NvrtcTest, MakesACubinWithItsKernelsDescribed) {
  task::Solution solution = device_solution(
      "#include <cuda_bf16.h>\n#include \"detail/scale.cuh\"\n"
      "extern \"C\" __global__ void run(const __nv_bfloat16* x, float* y) {\n"
      "  __shared__ float part[BLOCK];\n  part[threadIdx.x] = scaled(__bfloat162float(x[threadIdx.x]));\n"
      "  __syncthreads();\n  y[threadIdx.x] = part[BLOCK - 1 - threadIdx.x];\n}\n");
  solution.sources.push_back(
      {"detail/scale.cuh",
       "#include \"factor.cuh\"\n__device__ inline float scaled(float x) { return kFactor * x; }\n"});
  solution.sources.push_back({"detail/factor.cuh", "constexpr float kFactor = 2;\n"});
  solution.parameters = {{"BLOCK", 64}};
  const BuildResult result = build(solution);
  ASSERT_TRUE(result.record.built) << result.log;
  EXPECT_TRUE(result.object.starts_with("\177ELF"));
  EXPECT_THAT(result.record.toolchain, ::testing::StartsWith("NVRTC 1"));
  ASSERT_EQ(result.record.kernels.size(), 1U) << result.log;
  EXPECT_EQ(result.record.kernels[0].shared_bytes, 256);
  EXPECT_GT(result.record.kernels[0].registers, 0);
  EXPECT_TRUE(build(solution).record.from_cache);
}

TEST_F(NvrtcTest, AnErrorHasFileAndLineAndNoFolderOfThisMachine) {
  const BuildResult result = build(device_solution("__global__ void k(float* x) {\n  x[0] = nothing;\n}\n"));
  EXPECT_FALSE(result.record.built);
  const Diagnostics found = parse_diagnostics(result.log);
  ASSERT_FALSE(found.messages.empty()) << result.log;
  EXPECT_EQ(found.messages[0].file, "kernel.cu");
  EXPECT_EQ(found.messages[0].line, 2);
  EXPECT_EQ(result.log.find(folder_.path().string()), std::string::npos) << result.log;
}

TEST_F(NvrtcTest, ReadsNothingOfTheHost) {
  const BuildResult result = build(device_solution("#include \"/etc/passwd\"\n"));
  EXPECT_FALSE(result.record.built);
  EXPECT_EQ(result.log.find("root:"), std::string::npos) << result.log;
}

TEST(NvrtcToolchain, AMissingLibraryIsAnEnvironmentError) {
  setenv("ASSAY_NVRTC", "/absent/libnvrtc.so", 1);
  const auto found = find_nvrtc(nvrtc_path(), "sm_90a");
  unsetenv("ASSAY_NVRTC");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().owner, base::Owner::environment);
  EXPECT_THAT(found.error().message, HasSubstr("ASSAY_NVRTC"));
}

TEST(NvrtcProgram, RefusesWhatItDoesNotUnderstand) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"kernel.cu"}, {"-o", "x"}, {"a.cu", "b.cu", "-o", "x"}, {"--describe=/absent/libnvrtc.so"}}) {
    EXPECT_EQ(run_nvrtc(words), 2);
  }
}

}  // namespace
}  // namespace assay::build
