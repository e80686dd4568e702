#include <assay/worker/worker_process.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <assay/os/socket.hpp>

namespace assay::worker {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class WorkerProcessTest : public ::testing::Test {
 protected:
  WorkerProcessTest() {
    options_.program = "/opt/assay/bin/assay-worker";
    options_.log = 7;
    options_.limits.address_space_bytes = 1U << 20U;
    options_.memory_bytes = 1U << 30U;
  }

  // As on a machine with a GPU, whose driver's library is in one of the folders that a compiler sees, and one beside.
  void give_device() {
    options_.access.cuda_ordinal = 1;
    options_.access.nodes = {"/dev/nvidia1"};
    options_.access.binds = {{"/usr/lib/libcuda.so.1", "/usr/lib/libcuda.so.1"}, {"/opt/driver", "/opt/driver"}};
    options_.access.library_folders = {"/usr/lib/driver", "/opt/driver"};
  }

  os::ProcessOptions process() { return worker_process(options_, sockets_.second); }

  static std::vector<std::string> seen_inside(const os::ProcessOptions& process) {
    std::vector<std::string> places;
    std::transform(process.sandbox->binds.begin(), process.sandbox->binds.end(), std::back_inserter(places),
                   [](const os::SandboxBind& bind) { return bind.inside.string(); });
    return places;
  }

  WorkerOptions options_;
  std::pair<os::Fd, os::Fd> sockets_ = os::socket_pair().value();
};

TEST_F(WorkerProcessTest, HasItsSocketItsLogAndNoArgumentThatTellsAnything) {
  const os::ProcessOptions made = process();
  EXPECT_THAT(made.descriptors, ElementsAre(Pair(sockets_.second.get(), kSocketDescriptor)));
  EXPECT_EQ(made.standard_output, 7);
  EXPECT_EQ(made.standard_error, 7);
  EXPECT_EQ(made.argv.size(), 1U);
  EXPECT_EQ(made.limits.address_space_bytes, options_.limits.address_space_bytes);
}

TEST_F(WorkerProcessTest, HasThreadsForEveryProcessorAndNoneForABomb) {
  const auto processors = static_cast<std::uint64_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_GE(process().sandbox->processes, 4 * processors) << "more threads than processors are usual";
  EXPECT_LE(process().sandbox->processes, 64 + 8 * processors) << "a bomb of forks holds up who judges it";
  give_device();
  EXPECT_LE(process().sandbox->processes, 64 + 8 * processors);
}

TEST_F(WorkerProcessTest, EnvironmentIsTheSameWhateverIsEvaluated) {
  const auto usual = process().environment;
  EXPECT_THAT(usual, ElementsAre(Pair("PATH", "/usr/bin:/bin"), Pair("LANG", "C.UTF-8"), Pair("HOME", "/tmp"),
                                 Pair("TMPDIR", "/tmp")));
  options_.limits = {};
  options_.memory_bytes = 0;
  options_.log = -1;
  EXPECT_EQ(process().environment, usual);
}

TEST_F(WorkerProcessTest, IsShutInWithItsProgramAndAFolderOfItsOwn) {
  options_.leave_out = {os::Mechanism::landlock};
  const os::ProcessOptions made = process();
  ASSERT_TRUE(made.sandbox);
  EXPECT_EQ(made.sandbox->purpose, os::SandboxPurpose::candidate);
  EXPECT_THAT(seen_inside(made), Contains("/assay-worker"));
  EXPECT_THAT(seen_inside(made), Not(Contains("/usr"))) << "no compiler and no headers";
  ASSERT_EQ(made.sandbox->folders.size(), 1U);
  EXPECT_EQ(made.sandbox->folders[0].inside, "/tmp");
  EXPECT_EQ(made.sandbox->memory_bytes, options_.memory_bytes);
  EXPECT_TRUE(made.sandbox->leave_out.has(os::Mechanism::landlock));
  EXPECT_THAT(made.sandbox->devices, IsEmpty());
}

TEST_F(WorkerProcessTest, OnADeviceItSeesTheDriverAndItsNode) {
  give_device();
  const os::ProcessOptions made = process();
  EXPECT_EQ(made.sandbox->purpose, os::SandboxPurpose::gpu_candidate);
  EXPECT_THAT(made.sandbox->devices, ElementsAre("/dev/nvidia1"));
  EXPECT_THAT(seen_inside(made), Contains("/usr/lib/libcuda.so.1"));
  EXPECT_THAT(seen_inside(made), Contains("/opt/driver"));
  EXPECT_THAT(made.environment, Contains(Pair("LD_LIBRARY_PATH", "/usr/lib/driver:/opt/driver")));
}

TEST_F(WorkerProcessTest, AWatcherStartsIt) {
  give_device();
  options_.watcher = Watcher{"/usr/bin/watch-it", {"--tool", "memcheck"}, {{"SPOKEN", "yes"}}};
  const os::ProcessOptions made = process();
  ASSERT_EQ(made.argv.size(), 4U);
  EXPECT_EQ(made.argv[0], "/usr/bin/watch-it");
  EXPECT_EQ(made.argv[1], "--tool");
  EXPECT_EQ(made.argv[2], "memcheck");
  EXPECT_EQ(made.argv[3], os::seen_path(options_.program, "/assay-worker").string());
  EXPECT_THAT(made.environment.back(), Pair("SPOKEN", "yes"));
  EXPECT_EQ(made.sandbox->purpose, os::SandboxPurpose::watched_gpu_candidate);
  EXPECT_EQ(made.sandbox->folders.size(), 2U) << "and shared memory";
}

TEST_F(WorkerProcessTest, UnderAWatcherNothingIsShownTwice) {
  give_device();
  options_.watcher = Watcher{"/usr/bin/watch-it", {}, {}};
  const std::vector<std::string> places = seen_inside(process());
  EXPECT_THAT(places, Contains("/usr"));
  EXPECT_THAT(places, Not(Contains("/usr/lib/libcuda.so.1"))) << "it lies below a folder that is shown whole";
  EXPECT_THAT(places, Contains("/opt/driver"));
  for (const std::string& place : places) {
    EXPECT_EQ(std::count(places.begin(), places.end(), place), 1) << place;
  }
}

}  // namespace
}  // namespace assay::worker
