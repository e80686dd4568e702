// What runs wild ends within its limit, and nothing of it is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include <assay/os/sandbox/actor_for_test.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class ContainedFailureTest : public ::testing::Test {
 protected:
  ContainedFailureTest() { sandbox_ = testing::actor_sandbox(); }

  // Before and after: mounts, cgroups of ours, and processes of the actor.
  void SetUp() override { mounts_ = read_file("/proc/self/mountinfo").value(); }

  void TearDown() override {
    EXPECT_EQ(read_file("/proc/self/mountinfo").value(), mounts_);
    EXPECT_TRUE(testing::becomes_true([] { return !testing::is_running(mark()); }));
    if (const auto& cgroups = sandbox_support().cgroups) {
      const std::string prefix = "assay-" + std::to_string(::getpid()) + "-";
      for (const Path& folder : cgroups->folders) {
        const std::vector<std::string> names = list_directory(folder).value();
        for (const std::string& name : names) {
          EXPECT_THAT(name, Not(::testing::StartsWith(prefix)));
        }
      }
    }
  }

  // In the command line of every process of this test, and no other's.
  static std::string mark() { return "wild-" + std::to_string(::getpid()); }

  CommandResult run(const std::string& action, const std::vector<std::string>& words, std::chrono::milliseconds limit) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::string> all = {action};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back(mark());
    CommandResult result = testing::run_actor(all, sandbox_, limit);
    EXPECT_LT(std::chrono::steady_clock::now() - start, limit + 10s);
    return result;
  }

  SandboxOptions sandbox_;
  std::string mounts_;
};

TEST_F(ContainedFailureTest, AForkBomb) {
  sandbox_.processes = 100;
  EXPECT_TRUE(run("fork-bomb", {}, 500ms).timed_out);
}

TEST_F(ContainedFailureTest, AMemoryBomb) {
  ASSAY_NEEDS_MECHANISM(Mechanism::cgroup);
  sandbox_.memory_bytes = std::uint64_t{64} << 20U;
  const CommandResult result = run("memory-bomb", {}, 20s);
  EXPECT_FALSE(result.timed_out);
  EXPECT_TRUE(result.out_of_memory);
}

TEST_F(ContainedFailureTest, AMemoryBombWithoutCgroups) {
  ProcessOptions options = testing::actor_options({"memory-bomb"}, testing::actor_sandbox({Mechanism::cgroup}));
  options.limits.address_space_bytes = std::uint64_t{256} << 20U;
  const auto result = run_command(options, 20s, 1000);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->output, "ENOMEM\n");
}

TEST_F(ContainedFailureTest, FillingTheDisk) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_root);
  EXPECT_EQ(run("fill-disk", {"/tmp"}, 20s).output, "ENOSPC\n");
}

TEST_F(ContainedFailureTest, EndlessOutput) {
  const CommandResult result = run("talk", {}, 300ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(result.output_truncated);
  EXPECT_EQ(result.output.size(), std::size_t{1} << 16U);
}

TEST_F(ContainedFailureTest, StoppingItself) { EXPECT_TRUE(run("stop", {}, 300ms).timed_out); }

TEST_F(ContainedFailureTest, ClosingEveryDescriptor) { EXPECT_TRUE(run("close-all", {}, 300ms).timed_out); }

TEST_F(ContainedFailureTest, OverflowingTheStack) {
  const CommandResult result = run("overflow", {}, 20s);
  EXPECT_TRUE(result.status.signalled);
  EXPECT_EQ(result.status.code, SIGSEGV);
}

TEST_F(ContainedFailureTest, DumpingCore) {
  const CommandResult result = run("abort", {}, 20s);
  EXPECT_EQ(result.status.text(), "killed by signal 6 (SIGABRT)");
}

TEST_F(ContainedFailureTest, ADescendantInASessionOfItsOwn) {
  ASSAY_NEEDS_MECHANISM(Mechanism::pid_namespace);
  sandbox_.leave_out.add(Mechanism::seccomp);  // Which forbids the session.
  EXPECT_EQ(run("escape", {}, 20s).output, "ok \n");
}

TEST_F(ContainedFailureTest, HundredInARowLeaveNothing) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run("user", {}, 20s).status.code, 0);
  }
}

}  // namespace
}  // namespace assay::os
