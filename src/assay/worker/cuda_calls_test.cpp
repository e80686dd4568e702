// A worker with a GPU. What a candidate does there is tried by the corpus; here the border alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <assay/device/cuda/cupti.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/device.hpp>
#include <assay/os/file.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/os/shared_memory.hpp>
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
  const auto cupti = device::cuda::find_cupti();
  ASSERT_TRUE(cupti) << "this machine has a GPU and no CUPTI: install the CUDA toolkit";
  ASSERT_TRUE(device::cuda::add_cupti(options_.access, *cupti));
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

// Roused or woken early, it answers whatever comes next, once or several times.
TEST_F(GpuWorker, AnAnnouncedWorkerAnswersWhatComesNext) {
  auto client = WorkerClient::start(options_);
  ASSERT_TRUE(client) << client.error().text();
  for (int round = 0; round < 6; ++round) {
    for (int announced = 0; announced <= round; ++announced) {
      const auto done = announced % 3 == 1 ? client->wake(kEvents, kLimit) : client->rouse(kLimit);
      ASSERT_TRUE(done) << done.error().text;
    }
    const auto floor = client->measure_floor(kEvents, kLimit);
    ASSERT_TRUE(floor) << floor.error().text;
    EXPECT_EQ(floor->status, 0U) << floor->text;
  }
}

// Its death is told by what comes next, as any other.
TEST_F(GpuWorker, ARousedWorkerThatDiesIsNoticed) {
  auto client = WorkerClient::start(options_);
  ASSERT_TRUE(client) << client.error().text();
  ASSERT_TRUE(client->rouse(kLimit));
  ::kill(client->pid(), SIGKILL);
  // Its answer may have come before its end: then the second command finds the socket closed.
  auto floor = client->measure_floor(kEvents, kLimit);
  floor = floor ? client->measure_floor(kEvents, kLimit) : std::move(floor);
  ASSERT_FALSE(floor);
  EXPECT_EQ(floor.error().kind, Failure::Kind::killed_from_outside) << floor.error().text;
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

// Fills one byte of its output, by the driver, as often as its scalar says: host code that needs no compiler of CUDA's.
constexpr const char* kFills = R"(
#include <assay/candidate.h>
#include <dlfcn.h>
#include <stddef.h>
ASSAY_KERNEL(run) {
  typedef int (*fill_function)(unsigned long long, unsigned char, size_t, void*);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  fill_function fill = (fill_function)dlsym(driver, "cuMemsetD8Async");
  for (int i = 0; i < (int)assay_scalar(call, 0); ++i) {
    if (fill((unsigned long long)assay_output(call, 0)->data, 7, 1, assay_stream(call)) != 0) return 9;
  }
  return 0;
})";

TEST_F(GpuWorker, ASeriesHasATimeForEachTimedCallAndEndsWithoutWork) {
  const auto cupti = device::cuda::find_cupti();
  ASSERT_TRUE(cupti) << cupti.error().text();
  ASSERT_TRUE(device::cuda::add_cupti(options_.access, *cupti));
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-series-");
  ASSERT_TRUE(os::write_file_atomic(folder->path() / "k.c", kFills));
  const std::string command = "gcc -O1 -shared -fPIC -I " ASSAY_BINARY_DIR "/include -o " +
                              (folder->path() / "k.so").string() + " " + (folder->path() / "k.c").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto bytes = os::read_file(folder->path() / "k.so");
  ASSERT_TRUE(bytes);
  const auto object = os::sealed_copy("t", std::as_bytes(std::span(*bytes)));
  ASSERT_TRUE(object);
  auto client = WorkerClient::start(options_);
  ASSERT_TRUE(client) << client.error().text();
  constexpr base::Timing kTheirs{base::TimingMethod::cupti, base::CacheState::cold};
  ASSERT_EQ(client->measure_floor(kTheirs, kLimit).value().status, 0U);
  const auto inputs = device_->create_memory(2 << 20, os::PeerAccess::read_only);
  const auto outputs = device_->create_memory(2 << 20, os::PeerAccess::read_write);
  ASSERT_TRUE(inputs && outputs);
  ASSERT_TRUE(client->map((*inputs)->descriptor(), 2 << 20, (*outputs)->descriptor(), 2 << 20, kLimit));
  ASSERT_EQ(client->load(*object, "assay_kernel_run", kLimit).value().status, LoadStatus::loaded);
  Series series{16, 50, {kTheirs, {FloatArgument{2}}, {TensorArgument{Memory::outputs, 1, 8, 0, {1}}}}};
  const auto timed = client->series(series, kLimit);
  ASSERT_TRUE(timed) << timed.error().text;
  ASSERT_EQ(timed->last.device_status, 0) << timed->last.text;
  EXPECT_EQ(timed->elapsed_ns.size(), 50U);
  for (const std::int64_t elapsed : timed->elapsed_ns) {
    EXPECT_GT(elapsed, 0);
    EXPECT_LT(elapsed, 1'000'000) << "the zeros before the call are not in its time";
  }
  series.call.inputs = {FloatArgument{0}};
  const auto nothing = client->series(series, kLimit);
  ASSERT_TRUE(nothing) << nothing.error().text;
  EXPECT_EQ(nothing->last.timing_status, TimingStatus::no_work);
  EXPECT_TRUE(nothing->elapsed_ns.empty());
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
