// A worker with a GPU. What a candidate does there is tried by the corpus; here the border alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include <assay/device/cuda/cupti.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/device.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/worker/client.hpp>

namespace assay::worker {
namespace {

constexpr std::chrono::seconds kLimit{20};
constexpr base::Timing kEvents{base::TimingMethod::events, base::CacheState::cold};

class GpuWorker : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: workers that open one are not tried";
    }
    auto opened = device::open_device("cuda:0");
    ASSERT_TRUE(opened) << opened.error().text();
    device_ = std::move(*opened);
    options_.program = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-worker";
    options_.log = 2;
    options_.access = device_->worker_access();
  }

  // Which mechanism of the sandbox is in the way, for the message of a failure.
  std::string culprits() {
    std::string found;
    for (const os::MechanismEntry& entry : os::kMechanisms) {
      if (os::sandbox_support().report.applied.has(entry.mechanism)) {
        WorkerOptions options = options_;
        options.leave_out.add(entry.mechanism);
        if (WorkerClient::start(options)) {
          found += " it starts without " + std::string(entry.name) + ";";
        }
      }
    }
    return found.empty() ? " leaving out any one mechanism does not help" : found;
  }

  std::unique_ptr<device::Device> device_;
  WorkerOptions options_;
};

TEST_F(GpuWorker, OpensTheDeviceInTheSandbox) {
  auto client = WorkerClient::start(options_);
  ASSERT_TRUE(client) << client.error().text() << culprits();
  const auto floor = client->measure_floor(kEvents, kLimit);
  ASSERT_TRUE(floor) << floor.error().text;
  ASSERT_EQ(floor->status, 0U) << floor->text;
  EXPECT_GT(floor->elapsed_ns, 0);
  EXPECT_LT(floor->elapsed_ns, 100'000);
  RecordProperty("floor_ns", static_cast<int>(floor->elapsed_ns));
}

TEST_F(GpuWorker, EveryMethodHasAFloorOfItsOwn) {
  ASSERT_TRUE(device::cuda::find_cupti()) << "this machine has a GPU and no CUPTI: install the CUDA toolkit";
  ASSERT_TRUE(device::cuda::add_cupti(options_.access));
  auto client = WorkerClient::start(options_);
  ASSERT_TRUE(client) << client.error().text();
  for (const base::TimingMethod method :
       {base::TimingMethod::events, base::TimingMethod::graph, base::TimingMethod::cupti}) {
    for (const base::CacheState cache : {base::CacheState::cold, base::CacheState::hot}) {
      const base::Timing timing{method, cache};
      const auto floor = client->measure_floor(timing, kLimit);
      ASSERT_TRUE(floor) << base::to_string(timing) << ": " << floor.error().text;
      ASSERT_EQ(floor->status, 0U) << base::to_string(timing) << ": " << floor->text;
      EXPECT_GT(floor->elapsed_ns, 0) << base::to_string(timing);
      EXPECT_LT(floor->elapsed_ns, 100'000) << base::to_string(timing);
      std::printf("[ floor    ] %-12s %lld ns\n", base::to_string(timing).c_str(),
                  static_cast<long long>(floor->elapsed_ns));
    }
  }
}

TEST_F(GpuWorker, WithoutCuptiItsMethodIsRefusedInWords) {
  auto client = WorkerClient::start(options_);  // Its sandbox shows no CUPTI.
  ASSERT_TRUE(client) << client.error().text();
  const auto floor = client->measure_floor({base::TimingMethod::cupti, base::CacheState::cold}, kLimit);
  ASSERT_TRUE(floor) << floor.error().text;
  if (os::sandbox_support().report.level() >= base::SandboxLevel::namespaces) {
    EXPECT_NE(floor->status, 0U);
    EXPECT_THAT(floor->text, ::testing::HasSubstr("CUPTI cannot be opened"));
  }
  const auto events = client->measure_floor(kEvents, kLimit);
  ASSERT_TRUE(events) << "the worker goes on";
  EXPECT_EQ(events->status, 0U) << events->text;
}

TEST_F(GpuWorker, MapsTheJudgesMemory) {
  auto client = WorkerClient::start(options_);
  ASSERT_TRUE(client) << client.error().text();
  const auto inputs = device_->create_memory(5 << 20, os::PeerAccess::read_only);
  const auto outputs = device_->create_memory(3 << 20, os::PeerAccess::read_write);
  ASSERT_TRUE(inputs) << inputs.error().text();
  ASSERT_TRUE(outputs) << outputs.error().text();
  const auto mapped = client->map((*inputs)->descriptor(), 5 << 20, (*outputs)->descriptor(), 3 << 20, kLimit);
  EXPECT_TRUE(mapped) << mapped.error().text;
}

TEST_F(GpuWorker, ADeviceThatIsNotThereIsTheMachinesFault) {
  options_.access.cuda_ordinal = 99;
  const auto client = WorkerClient::start(options_);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().owner, base::Owner::environment);
  EXPECT_THAT(client.error().message, ::testing::HasSubstr("cuda:99"));
}

}  // namespace
}  // namespace assay::worker
