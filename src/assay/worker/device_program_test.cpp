// Device code without host code, launched by a worker with a GPU. Plans and their faults are tried without one: see
// task/launch_plan_test.cpp and evaluate/device_plan_test.cpp.
#include <dlpack/dlpack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include <assay/device/cuda/cupti.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/device.hpp>
#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/worker/client.hpp>

namespace assay::worker {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::int64_t kElements = 1000;
constexpr std::size_t kBytes = kElements * sizeof(float);

constexpr const char* kCode = R"(
extern "C" __global__ void fill(float* scratch, float value) { scratch[threadIdx.x] = value; }
extern "C" __global__ void scale(const float* x, const float* scratch, float* y, int n) {
  extern __shared__ float shared[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    shared[threadIdx.x] = x[i];
    y[i] = shared[threadIdx.x] * scratch[0];
  }
}
)";

LoadKernelsRequest both_kernels() { return {{{"fill", {8, 4}}, {"scale", {8, 8, 8, 4}}}}; }

std::uint64_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// y = x * factor, the factor through scratch memory.
Call scaling_call(float factor, const base::Timing& timing = {base::TimingMethod::events, base::CacheState::cold}) {
  Call call;
  call.timing = timing;
  call.inputs = {TensorArgument{Memory::inputs, kDLFloat, 32, 0, {kElements}}};
  call.outputs = {TensorArgument{Memory::outputs, kDLFloat, 32, 0, {kElements}}};
  call.scratch_bytes = 130;
  Launch fill;
  fill.block = {32, 1, 1};
  fill.arguments = {ScratchPointer{0}, KernelValue{4, bits_of(factor)}};
  Launch scale;
  scale.grid = {8, 1, 1};
  scale.block = {128, 1, 1};
  scale.shared_bytes = 128 * sizeof(float);
  scale.arguments = {TensorPointer{0}, ScratchPointer{4}, TensorPointer{1},
                     KernelValue{4, static_cast<std::uint64_t>(kElements)}};
  call.launches = {fill, scale};
  return call;
}

class GpuDeviceProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: no device code is launched";
    }
    device_ = std::move(*device::open_device("cuda:0"));
    options_.program = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-worker";
    options_.log = 2;
    options_.access = device_->worker_access();
    compile();
  }

  void compile() {
    const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-device-code-");
    ASSERT_TRUE(folder);
    ASSERT_TRUE(os::write_file_atomic(folder->path() / "kernels.cu", kCode));
    os::ProcessOptions compiler;
    const std::string cubin = (folder->path() / "kernels.cubin").string();
    compiler.argv = {(os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-nvrtc").string(), "-arch=" + device_->architecture(),
                     (folder->path() / "kernels.cu").string(), "-o", cubin};
    const auto compiled = os::run_command(compiler, kPatience, 4096);
    ASSERT_TRUE(compiled) << compiled.error().text();
    constexpr int kNoCompiler = 2;
    if (compiled->status.code == kNoCompiler) {
      GTEST_SKIP() << "this machine has a GPU and no NVRTC: " << compiled->output;
    }
    ASSERT_TRUE(compiled->status.success()) << compiled->output;
    const auto code = os::read_file(cubin);
    ASSERT_TRUE(code) << code.error().text();
    code_ = std::move(*os::sealed_copy("code", std::as_bytes(std::span(*code))));
  }

  // A worker with two memories, and the kernels loaded.
  void start(DeviceMemory memory = DeviceMemory::lent) {
    options_.device_memory = memory;
    auto client = WorkerClient::start(options_);
    ASSERT_TRUE(client) << client.error().text();
    client_.emplace(std::move(*client));
    const bool on_host = memory == DeviceMemory::copied;
    inputs_ = std::move(*(on_host ? device::make_host_memory(kBytes, os::PeerAccess::read_only)
                                  : device_->create_memory(kBytes, os::PeerAccess::read_only)));
    outputs_ = std::move(*(on_host ? device::make_host_memory(kBytes, os::PeerAccess::read_write)
                                   : device_->create_memory(kBytes, os::PeerAccess::read_write)));
    for (std::int64_t i = 0; i < kElements; ++i) {
      const auto value = static_cast<float>(i);
      std::memcpy(inputs_->bytes().data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
    }
    ASSERT_TRUE(inputs_->publish(kBytes));
    ASSERT_TRUE(client_->map(inputs_->descriptor(), kBytes, outputs_->descriptor(), kBytes, kPatience));
  }
  void load() {
    const auto loaded = client_->load_kernels(code_, both_kernels(), kPatience);
    ASSERT_TRUE(loaded) << loaded.error().text;
    ASSERT_EQ(loaded->status, LoadStatus::loaded) << loaded->text;
  }
  void expect_outputs(float factor) {
    ASSERT_TRUE(outputs_->fetch(kBytes));
    for (const std::int64_t i : {std::int64_t{1}, std::int64_t{500}, kElements - 1}) {
      float value = 0;
      std::memcpy(&value, outputs_->bytes().data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
      EXPECT_EQ(value, factor * static_cast<float>(i)) << i;
    }
  }

  std::unique_ptr<device::Device> device_;
  WorkerOptions options_;
  os::Fd code_;
  std::optional<WorkerClient> client_;
  std::unique_ptr<device::CallMemory> inputs_;
  std::unique_ptr<device::CallMemory> outputs_;
};

TEST_F(GpuDeviceProgram, LaunchesInOrderWithEveryClockColdAndHot) {
  const auto cupti = device::cuda::find_cupti();
  ASSERT_TRUE(cupti) << cupti.error().text();
  ASSERT_TRUE(device::cuda::add_cupti(options_.access, *cupti));
  start();
  for (const base::TimingMethod method :
       {base::TimingMethod::events, base::TimingMethod::graph, base::TimingMethod::cupti}) {
    const auto floor = client_->measure_floor({method, base::CacheState::cold}, kPatience);
    ASSERT_TRUE(floor && floor->status == 0);
  }
  load();
  float factor = 2;
  for (const base::TimingMethod method :
       {base::TimingMethod::events, base::TimingMethod::graph, base::TimingMethod::cupti}) {
    for (const base::CacheState cache : {base::CacheState::cold, base::CacheState::hot}) {
      factor += 1;
      const Call call = scaling_call(factor, {method, cache});
      if (method == base::TimingMethod::graph) {
        Call captured = call;
        captured.timing.cache = base::CacheState::cold;
        const auto prepared = client_->prepare(captured, kPatience);
        ASSERT_TRUE(prepared) << prepared.error().text;
        EXPECT_EQ(prepared->device_status, 0);
      }
      if (cache == base::CacheState::hot) {
        const auto prepared = client_->prepare(call, kPatience);
        ASSERT_TRUE(prepared) << prepared.error().text;
        EXPECT_EQ(prepared->device_status, 0);
      }
      const auto answer = client_->call(call, kPatience);
      ASSERT_TRUE(answer) << base::to_string(call.timing) << ": " << answer.error().text;
      EXPECT_EQ(answer->reply.device_status, 0) << base::to_string(call.timing);
      EXPECT_EQ(answer->reply.refused_launch, 0U);
      EXPECT_EQ(answer->reply.timing_status, TimingStatus::timed);
      EXPECT_GT(answer->reply.elapsed_ns, 0);
      expect_outputs(factor);
    }
  }
}

TEST_F(GpuDeviceProgram, ScratchMemoryHoldsNoNumberBeforeACall) {
  start();
  const auto loaded = client_->load_kernels(code_, {{both_kernels().kernels[1]}}, kPatience);
  ASSERT_TRUE(loaded && loaded->status == LoadStatus::loaded);
  Call call = scaling_call(1);
  call.launches.erase(call.launches.begin());  // Nobody writes what is read.
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto answer = client_->call(call, kPatience);
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_EQ(answer->reply.device_status, 0);
    ASSERT_TRUE(outputs_->fetch(kBytes));
    float value = 0;
    std::memcpy(&value, outputs_->bytes().data() + sizeof value, sizeof value);
    EXPECT_TRUE(std::isnan(value)) << value;
  }
}

TEST_F(GpuDeviceProgram, OnCopiesTheTensorsAreFoundWhereTheyLie) {
  start(DeviceMemory::copied);
  load();
  for (const float factor : {3.0F, 5.0F}) {
    const auto answer = client_->call(scaling_call(factor), kPatience);
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_EQ(answer->reply.device_status, 0);
    expect_outputs(factor);
  }
}

TEST_F(GpuDeviceProgram, WhatTheCodeLacksIsSaidWhenItIsLoaded) {
  start();
  const auto refused = [&](const LoadKernelsRequest& request) {
    const auto loaded = client_->load_kernels(code_, request, kPatience);
    EXPECT_TRUE(loaded) << loaded.error().text;
    return loaded.value_or(LoadReply{});
  };
  EXPECT_EQ(refused({{{"fill", {8, 4}}, {"missing", {}}}}).status, LoadStatus::symbol_missing);
  EXPECT_EQ(refused({{{"missing", {}}}}).text, "missing");
  EXPECT_EQ(refused({{{"fill", {8}}}}).status, LoadStatus::arguments_differ);
  EXPECT_THAT(refused({{{"fill", {8}}}}).text, ::testing::HasSubstr("more than 1 parameter, and its launch gives 1"));
  EXPECT_THAT(refused({{{"fill", {8, 4, 4}}}}).text, ::testing::HasSubstr("only 2 parameters, and its launch gives 3"));
  EXPECT_THAT(refused({{{"fill", {8, 8}}}}).text, ::testing::HasSubstr("parameter 1 of kernel fill (from 0) has 4"));
  const std::string words = "no code at all";
  const auto nonsense =
      client_->load_kernels(*os::sealed_copy("code", std::as_bytes(std::span(words))), both_kernels(), kPatience);
  ASSERT_TRUE(nonsense);
  EXPECT_EQ(nonsense->status, LoadStatus::refused_by_loader);
  load();
}

TEST_F(GpuDeviceProgram, ALaunchThatTheDriverRefusesIsNamedAndTheWorkerGoesOn) {
  start();
  load();
  Call call = scaling_call(2);
  call.launches[1].shared_bytes = 227 * 1024 + 1;
  const auto shared = client_->call(call, kPatience);
  ASSERT_TRUE(shared) << shared.error().text;
  EXPECT_EQ(shared->reply.refused_launch, 2U);
  EXPECT_NE(shared->reply.device_status, 0);
  call = scaling_call(2);
  call.launches[0].block = {2048, 1, 1};
  const auto block = client_->call(call, kPatience);
  ASSERT_TRUE(block) << block.error().text;
  EXPECT_EQ(block->reply.refused_launch, 1U);
  EXPECT_NE(block->reply.device_status, 0);
  call.launches[0].block = {32, 1, 1};
  const auto good = client_->call(call, kPatience);
  ASSERT_TRUE(good) << good.error().text;
  EXPECT_EQ(good->reply.device_status, 0);
  expect_outputs(2);
}

TEST_F(GpuDeviceProgram, AnIllegalAddressIsTheDevicesErrorNotARefusal) {
  start();
  load();
  Call call = scaling_call(2);
  call.launches[1].arguments[2] = KernelValue{8, 0x10};  // As y.
  const auto answer = client_->call(call, kPatience);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->reply.device_status, 700);
  EXPECT_EQ(answer->reply.refused_launch, 0U);
}

TEST_F(GpuDeviceProgram, MuchSharedMemoryIsAllowed) {
  start();
  load();
  Call call = scaling_call(7);
  call.launches[1].shared_bytes = 96 * 1024;
  const auto answer = client_->call(call, kPatience);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->reply.device_status, 0);
  EXPECT_EQ(answer->reply.refused_launch, 0U);
  expect_outputs(7);
}

}  // namespace
}  // namespace assay::worker
