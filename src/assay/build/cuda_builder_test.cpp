#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include <assay/build/builder.hpp>
#include <assay/build/cuda_toolchain.hpp>
#include <assay/build/diagnostics.hpp>
#include <assay/build/kernel_names.hpp>
#include <assay/os/sandbox/detect.hpp>

namespace assay::build {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kGoodCuda = R"(#include <assay/candidate.h>
template <int Block> __global__ void reverse(const float* x, float* y) {
  __shared__ float part[Block];
  part[threadIdx.x] = x[blockIdx.x * Block + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * Block + threadIdx.x] = part[Block - 1 - threadIdx.x];
}
ASSAY_KERNEL(run) {
  const DLTensor* x = assay_input(call, 0);
  const auto blocks = static_cast<unsigned>(x->shape[0] / 128);
  reverse<128><<<blocks, 128, 0, static_cast<cudaStream_t>(assay_stream(call))>>>(
      static_cast<const float*>(x->data), static_cast<float*>(assay_output(call, 0)->data));
  return static_cast<int32_t>(cudaGetLastError());
}
)";

constexpr const char* kDeviceOnly =
    "extern \"C\" __global__ void run(const float* x, float* y) { y[threadIdx.x] = 2.0f * x[threadIdx.x]; }\n";

task::Solution cuda_solution(const std::string& source, const std::string& path = "kernel.cu") {
  task::Solution solution;
  solution.name = "s";
  solution.definition = "d";
  solution.author = "a";
  solution.spec.language = task::Language::cuda;
  solution.spec.entry_point = path + "::run";
  solution.sources = {{path, source}};
  return solution;
}

class CudaBuilderTest : public ::testing::Test {
 protected:
  CudaBuilderTest() : folder_(std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-cuda-build-"))) {}

  void SetUp() override {
    const auto found = find_nvcc("sm_90a", ObjectForm::shared_object);
    if (!found) {
      ASSERT_EQ(found.error().owner, base::Owner::environment);
      GTEST_SKIP() << "no nvcc here, so nothing is built for CUDA: " << found.error().message;
    }
  }

  // Into a cache that this test has for itself.
  Builder own_builder(ObjectForm form = ObjectForm::shared_object) const {
    return {folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", *find_nvcc("sm_90a", form), ""};
  }

  // Into one for all tests: nvcc takes most of their time, and several look at the same build.
  static const os::Path& shared_folder() {
    static const os::TemporaryDirectory kFolder =
        std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-cuda-builds-"));
    return kFolder.path();
  }

  static Builder builder(const std::string& architecture = "sm_90a", ObjectForm form = ObjectForm::shared_object) {
    return {shared_folder() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", *find_nvcc(architecture, form), ""};
  }

  static BuildResult build(const Builder& builder, const task::Solution& solution) {
    auto result = builder.build(solution, 100s);
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(*result) : BuildResult{};
  }

  os::TemporaryDirectory folder_;
};

TEST_F(CudaBuilderTest, BuildsASharedObjectWithTheEntryAndAnswersFromTheCacheNextTime) {
  const BuildResult first = build(own_builder(), cuda_solution(kGoodCuda));
  ASSERT_TRUE(first.record.built) << first.log;
  EXPECT_TRUE(first.object.starts_with("\177ELF"));
  EXPECT_NE(first.object.find(exported_symbol(cuda_solution(kGoodCuda))), std::string::npos);
  EXPECT_THAT(first.record.toolchain, ::testing::StartsWith("nvcc 1"));
  EXPECT_FALSE(first.record.from_cache);
  const BuildResult second = build(own_builder(), cuda_solution(kGoodCuda));
  EXPECT_TRUE(second.record.from_cache);
  EXPECT_EQ(second.object, first.object);
  EXPECT_EQ(second.record.kernels, first.record.kernels);
}

TEST_F(CudaBuilderTest, TheKernelsAreDescribedByTheirNamesInTheSource) {
  const BuildResult result = build(builder(), cuda_solution(kGoodCuda));
  ASSERT_EQ(result.record.kernels.size(), 1U) << result.log;
  const task::KernelResources& kernel = result.record.kernels[0];
  EXPECT_EQ(kernel.symbol, "_Z7reverseILi128EEvPKfPf");
  EXPECT_EQ(kernel.name, "void reverse<128>(float const*, float*)");
  EXPECT_EQ(kernel.architecture, "sm_90a");
  EXPECT_EQ(kernel.shared_bytes, 512);
  EXPECT_GT(kernel.registers, 0);
}

TEST_F(CudaBuilderTest, ASyntaxErrorIsNotBuiltWithFileAndLine) {
  const BuildResult result = build(builder(), cuda_solution("__global__ void k(float* x) {\n  x[0] = nothing;\n}\n"));
  EXPECT_FALSE(result.record.built);
  EXPECT_FALSE(result.timed_out);
  const Diagnostics found = parse_diagnostics(result.log);
  ASSERT_FALSE(found.messages.empty()) << result.log;
  EXPECT_EQ(found.messages[0].file, "kernel.cu");
  EXPECT_EQ(found.messages[0].line, 2);
  EXPECT_TRUE(
      build(builder(), cuda_solution("__global__ void k(float* x) {\n  x[0] = nothing;\n}\n")).record.from_cache);
}

TEST_F(CudaBuilderTest, AMissingHeaderIsNotBuilt) {
  const BuildResult result = build(builder(), cuda_solution("#include \"absent.cuh\"\n"));
  EXPECT_FALSE(result.record.built);
  EXPECT_THAT(result.log, HasSubstr("kernel.cu:1:10: fatal error: absent.cuh"));
}

TEST_F(CudaBuilderTest, NothingOfTheHostIsShown) {
  const BuildResult reads = build(builder(), cuda_solution("#include \"/etc/passwd\"\n"));
  EXPECT_FALSE(reads.record.built);
  EXPECT_EQ(reads.log.find("root:"), std::string::npos) << reads.log;
  for (const char* source : {"int broken(\n", kGoodCuda, "__global__ void k() { asm(\"nonsense\"); }\n"}) {
    const BuildResult result = build(builder(), cuda_solution(source));
    EXPECT_EQ(result.log.find(shared_folder().string()), std::string::npos) << result.log;
    for (const std::string& argument : result.record.command) {
      EXPECT_THAT(argument, Not(HasSubstr("/"))) << argument;
    }
  }
}

TEST_F(CudaBuilderTest, SourcesOfAllKindsAreBuiltTogether) {
  task::Solution solution = cuda_solution("#include \"detail/part.cuh\"\n" + std::string(kGoodCuda) +
                                          "extern \"C\" int add(int, int);\nint used() { return add(1, part()); }\n");
  solution.sources.push_back({"detail/part.cuh", "inline __host__ __device__ int part() { return 3; }\n"});
  solution.sources.push_back({"detail/add.c", "int add(int class, int b) { return class + b; }\n"});
  solution.sources.push_back({"more.cpp", "int more() { return 1; }\n"});
  solution.sources.push_back({"second.cu", "__global__ void other(float* x) { x[0] = BLOCK; }\n"});
  solution.parameters = {{"BLOCK", 256}};
  const BuildResult result = build(builder(), solution);
  EXPECT_TRUE(result.record.built) << result.log;
  EXPECT_EQ(result.record.kernels.size(), 2U);
}

TEST_F(CudaBuilderTest, TheKeyKnowsArchitectureAndForm) {
  const task::Solution solution = cuda_solution(kDeviceOnly);
  const base::Digest key = *builder().key(solution);
  EXPECT_EQ(*builder().key(solution), key);
  EXPECT_NE(*builder("sm_80").key(solution), key);
  EXPECT_NE(*builder("sm_90a", ObjectForm::cubin).key(solution), key);
}

TEST_F(CudaBuilderTest, ACubinIsBuiltFromOneSource) {
  const Builder cubins = builder("sm_90a", ObjectForm::cubin);
  const BuildResult result = build(cubins, cuda_solution(kDeviceOnly));
  ASSERT_TRUE(result.record.built) << result.log;
  constexpr std::size_t kMachine = 18;  // e_machine of an ELF header; 190 is CUDA.
  EXPECT_TRUE(result.object.starts_with("\177ELF"));
  EXPECT_EQ(static_cast<unsigned char>(result.object.at(kMachine)), 190);
  EXPECT_EQ(result.record.kernels.at(0).name, "run");
  task::Solution two = cuda_solution(kDeviceOnly);
  two.sources.push_back({"second.cu", ""});
  const auto refused = cubins.build(two, 10s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_FALSE(cubins.build(cuda_solution("", "kernel.cpp"), 10s));
}

TEST_F(CudaBuilderTest, TheLaunchPlanIsForNoCompiler) {
  task::Solution solution = cuda_solution(kDeviceOnly);
  solution.sources.push_back({"launch.json", "{}"});
  EXPECT_FALSE(builder("sm_90a", ObjectForm::cubin).build(solution, 10s)) << "a source of an unknown kind";
  solution.spec.entry_point = "launch.json::run";
  const BuildResult result = build(builder("sm_90a", ObjectForm::cubin), solution);
  EXPECT_TRUE(result.record.built) << result.log;
  EXPECT_THAT(result.record.command, Not(::testing::Contains("launch.json")));
}

// That they run at once is observed in builder_test.cpp, with compilers that wait for each other.
TEST_F(CudaBuilderTest, SeveralThreadsMayBuildIntoOneCache) {
  std::vector<std::thread> threads;
  std::vector<BuildResult> results(3);
  const Builder cubins = own_builder(ObjectForm::cubin);
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] { results[i] = build(cubins, cuda_solution(kDeviceOnly + std::string(i, '\n'))); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const BuildResult& result : results) {
    EXPECT_TRUE(result.record.built) << result.log;
  }
}

TEST_F(CudaBuilderTest, AToolchainThatCannotBuildItsTrialIsTheMachinesFault) {
  Toolchain broken = *find_nvcc("sm_90a", ObjectForm::shared_object);
  broken.locations = {"-ccbin", "/usr/bin/false"};
  const Builder builder(folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", broken, "");
  for (int attempt = 0; attempt < 2; ++attempt) {  // Nothing of it is kept.
    const auto result = builder.build(cuda_solution(kGoodCuda), 100s);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().owner, base::Owner::environment);
    EXPECT_EQ(result.error().code, "build.toolchain");
  }
}

TEST_F(CudaBuilderTest, OtherLanguagesAreInputErrors) {
  task::Solution solution = cuda_solution(kGoodCuda);
  solution.spec.language = task::Language::cpp;
  const auto refused = builder().build(solution, 1s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "build.language");
  EXPECT_FALSE(builder().build(cuda_solution(kGoodCuda, "kernel.py"), 1s));
  EXPECT_FALSE(builder().build(cuda_solution(kGoodCuda, "-x.cu"), 1s));
}

TEST(CudaToolchain, AWrongChoiceOfNvccIsAnEnvironmentError) {
  setenv("ASSAY_NVCC", "no-such-nvcc", 1);
  const auto missing = find_nvcc("sm_90a", ObjectForm::shared_object);
  setenv("ASSAY_NVCC", "/bin/true", 1);  // Runs, and says nothing of a release.
  const auto silent = find_nvcc("sm_90a", ObjectForm::shared_object);
  unsetenv("ASSAY_NVCC");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::environment);
  EXPECT_THAT(missing.error().message, HasSubstr("ASSAY_NVCC is 'no-such-nvcc'"));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().owner, base::Owner::environment);
}

TEST(KernelSymbol, IsFoundByEachOfItsNames) {
  std::vector<task::KernelResources> kernels;
  for (const auto& [symbol, name] : {std::pair{"plain", "plain"},
                                     {"_Z1tILi4EEvPf", "void t<4>(float*)"},
                                     {"_Z1tILi8EEvPf", "void t<8>(float*)"},
                                     {"_Z1oPf", "o(float*)"},
                                     {"_Z1oPd", "o(double*)"},
                                     {"_ZN12_GLOBAL__N_11aEv", "(anonymous namespace)::a()"}}) {
    task::KernelResources& kernel = kernels.emplace_back();
    kernel.symbol = symbol;
    kernel.name = name;
  }
  const auto symbol = [&](const char* name) { return kernel_symbol(name, kernels).value_or("?"); };
  EXPECT_EQ(symbol("plain"), "plain");
  EXPECT_EQ(symbol("t<8>"), "_Z1tILi8EEvPf");
  EXPECT_EQ(symbol("void t<4>(float*)"), "_Z1tILi4EEvPf");
  EXPECT_EQ(symbol("t<4>(float*)"), "_Z1tILi4EEvPf");
  EXPECT_EQ(symbol("_Z1tILi4EEvPf"), "_Z1tILi4EEvPf");
  EXPECT_EQ(symbol("o(double*)"), "_Z1oPd");
  EXPECT_EQ(symbol("(anonymous namespace)::a"), "_ZN12_GLOBAL__N_11aEv");
  EXPECT_EQ(symbol("unknown"), "unknown") << "the driver has the last word";
  const auto several = kernel_symbol("o", kernels);
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("several kernels are called \"o\""));
}

TEST(CudaToolchain, FlagsNameTheArchitectureOnce) {
  EXPECT_EQ(nvcc_flags("sm_100a", ObjectForm::cubin).front(), "-gencode=arch=compute_100a,code=sm_100a");
  EXPECT_THAT(nvcc_flags("sm_80", ObjectForm::shared_object), ::testing::Contains("-shared"));
  EXPECT_THAT(nvcc_flags("sm_80", ObjectForm::cubin), Not(::testing::Contains("-shared")));
}

}  // namespace
}  // namespace assay::build
