#include <assay/os/sandbox/detect.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include <assay/os/sandbox/actor_for_test.hpp>
#include <assay/os/sandbox/privileges.hpp>
#include <assay/os/sandbox/seccomp.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using base::SandboxLevel;

TEST(DetectSandbox, IsRememberedAndAtLeastAProcess) {
  EXPECT_EQ(&sandbox_support(), &sandbox_support());
  EXPECT_GE(sandbox_support().report.level(), SandboxLevel::process);
}

TEST(DetectSandbox, EveryMechanismIsAppliedOrHasAReason) {
  const SandboxReport& report = sandbox_support().report;
  for (const MechanismEntry& entry : kMechanisms) {
    EXPECT_NE(report.applied.has(entry.mechanism),
              !report.reasons.at(static_cast<std::size_t>(entry.mechanism)).empty())
        << entry.name;
  }
}

TEST(DetectSandbox, WithoutNamespacesItIsAProcess) {
  const SandboxSupport support = detect_sandbox(
      {Mechanism::user_namespace, Mechanism::pid_namespace, Mechanism::mount_namespace, Mechanism::network_namespace,
       Mechanism::ipc_namespace, Mechanism::uts_namespace, Mechanism::cgroup_namespace});
  EXPECT_EQ(support.report.level(), SandboxLevel::process);
  EXPECT_FALSE(support.report.applied.has(Mechanism::private_root));
  EXPECT_FALSE(support.clones_user && geteuid() == 0);
  EXPECT_TRUE(support.report.applied.has(Mechanism::no_new_privileges));
}

TEST(DetectSandbox, AnOrdinaryUserGetsAReasonForEachThatIsMissing) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can become another user";
  }
  const int result = testing::in_fork([] {
    if (setgid(65534) != 0 || setuid(65534) != 0) {
      return 1;
    }
    const SandboxSupport support = detect_sandbox({});
    if (!support.clones_user && support.report.applied.has(Mechanism::user_namespace)) {
      return 2;
    }
    return support.report.level() >= SandboxLevel::process ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

// What a container with its usual filter of system calls does to us.
TEST(DetectSandbox, WhereCloneRefusesNamespacesTheyAreAbsent) {
  const int result = testing::in_fork([] {
    FilterBuilder builder;
    builder.refuse_if_bits(SYS_clone, 0, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET, EPERM);
    SandboxPlan plan;
    plan.filter = builder.build();
    if (forbid_new_privileges(plan) != 0 || install_filter(plan) != 0) {
      return 1;
    }
    const SandboxSupport support = detect_sandbox({});
    for (const Mechanism absent : {Mechanism::user_namespace, Mechanism::pid_namespace, Mechanism::mount_namespace,
                                   Mechanism::network_namespace, Mechanism::private_root}) {
      if (support.report.applied.has(absent)) {
        return 2;
      }
    }
    return support.report.level() == SandboxLevel::process ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

TEST(DetectSandbox, WhereMountIsRefusedThereIsNoPrivateRoot) {
  const int result = testing::in_fork([] {
    FilterBuilder builder;
    builder.refuse(SYS_mount, EPERM);
    SandboxPlan plan;
    plan.filter = builder.build();
    if (forbid_new_privileges(plan) != 0 || install_filter(plan) != 0) {
      return 1;
    }
    const SandboxSupport support = detect_sandbox({});
    if (support.report.applied.has(Mechanism::private_root) || support.report.applied.has(Mechanism::private_proc)) {
      return 2;
    }
    return support.report.applied.has(Mechanism::seccomp) ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

TEST(DetectSandbox, AMechanismThatFailsLaterIsAnErrorAndNoFallback) {
  if (!sandbox_support().report.applied.has(Mechanism::private_root)) {
    GTEST_SKIP() << "no private root here";
  }
  SandboxOptions options = testing::actor_sandbox();
  options.folders = {{"", "/tmp", 0}};
  options.folders.front().inside = "/" + std::string(300, 'x');  // No file system takes such a name.
  const auto result = run_command(testing::actor_options({"user"}, options), std::chrono::seconds(5), 100);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "process.sandbox");
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("private_root worked before and fails now"));
}

// A trial that somebody kills (the kernel, for want of memory) says nothing about the machine.
TEST(DetectSandbox, ATrialThatIsKilledIsTriedAgain) {
  const MechanismSet undisturbed = detect_sandbox({}).report.applied;
  int kills = 0;
  for (int run = 0; run < 20; ++run) {
    std::atomic<bool> done{false};
    const std::string children = "/proc/self/task/" + std::to_string(::gettid()) + "/children";
    std::thread killer([&] {
      while (!done) {  // One kill a detection.
        std::ifstream file(children);
        if (int child = 0; file >> child) {
          kills += ::kill(child, SIGKILL) == 0 ? 1 : 0;
          return;
        }
      }
    });
    EXPECT_EQ(detect_sandbox({}).report.applied, undisturbed) << run;
    done = true;
    killer.join();
  }
  EXPECT_GT(kills, 5);
}

TEST(PlanSandbox, AMissingBindIsAnErrorThatNamesIt) {
  if (!sandbox_support().report.applied.has(Mechanism::private_root)) {
    GTEST_SKIP() << "no private root here";
  }
  SandboxOptions options;
  options.binds = {{"/nowhere/at/all", "/x"}};
  const auto plan = plan_sandbox(options, sandbox_support(), std::nullopt);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, ::testing::HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace assay::os
