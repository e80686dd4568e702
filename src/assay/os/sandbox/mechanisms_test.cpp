// For each mechanism: what it forbids, and that just this is possible when the mechanism is left out.

#include <assay/os/sandbox/mechanisms.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <set>

#include <assay/os/sandbox/actor_for_test.hpp>

namespace assay::os {
namespace {

using testing::ask_actor;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Mechanisms, TheListIsOrderedByTheEnumerationAndNamesDiffer) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kMechanismCount; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kMechanisms.at(i).mechanism), i);
    EXPECT_TRUE(names.insert(kMechanisms.at(i).name).second);
    EXPECT_FALSE(kMechanisms.at(i).shuts.empty());
    EXPECT_FALSE(kMechanisms.at(i).remedy.empty());
  }
}

TEST(Mechanisms, WhatIsNeededComesFirst) {
  for (const MechanismEntry& entry : kMechanisms) {
    for (const MechanismEntry& other : kMechanisms) {
      if (entry.needs.has(other.mechanism)) {
        EXPECT_LT(other.mechanism, entry.mechanism) << entry.name << " needs " << other.name;
      }
    }
  }
}

TEST(Mechanisms, OrphansGoTransitively) {
  const MechanismSet left = without_orphans(MechanismSet::all().without({Mechanism::mount_namespace}));
  EXPECT_FALSE(left.has(Mechanism::private_root));
  EXPECT_FALSE(left.has(Mechanism::private_proc));
  EXPECT_TRUE(left.has(Mechanism::seccomp));
  EXPECT_TRUE(MechanismSet::all().includes(left));
  EXPECT_FALSE(left.includes(MechanismSet::all()));
}

struct NamespaceCase {
  Mechanism mechanism;
  const char* file;
};
std::ostream& operator<<(std::ostream& out, const NamespaceCase& one) { return out << one.file; }

class NamespaceTest : public ::testing::TestWithParam<NamespaceCase> {};

TEST_P(NamespaceTest, IsNotOurs) {
  ASSAY_NEEDS_MECHANISM(GetParam().mechanism);
  ASSAY_NEEDS_MECHANISM(Mechanism::private_proc);
  std::array<char, 64> ours{};
  ASSERT_GT(readlink((std::string("/proc/self/ns/") + GetParam().file).c_str(), ours.data(), ours.size() - 1), 0);
  const std::string answer = ask_actor({"namespace", GetParam().file});
  EXPECT_THAT(answer, StartsWith("ok "));
  EXPECT_THAT(answer, Not(HasSubstr(ours.data())));
  // The others hang on these three, or on being root.
  const bool needed = GetParam().mechanism == Mechanism::pid_namespace ||
                      GetParam().mechanism == Mechanism::mount_namespace ||
                      (GetParam().mechanism == Mechanism::user_namespace && geteuid() != 0);
  if (!needed) {
    EXPECT_THAT(ask_actor({"namespace", GetParam().file}, {GetParam().mechanism}), HasSubstr(ours.data()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, NamespaceTest,
                         ::testing::Values(NamespaceCase{Mechanism::user_namespace, "user"},
                                           NamespaceCase{Mechanism::pid_namespace, "pid"},
                                           NamespaceCase{Mechanism::mount_namespace, "mnt"},
                                           NamespaceCase{Mechanism::network_namespace, "net"},
                                           NamespaceCase{Mechanism::ipc_namespace, "ipc"},
                                           NamespaceCase{Mechanism::uts_namespace, "uts"},
                                           NamespaceCase{Mechanism::cgroup_namespace, "cgroup"}),
                         [](const auto& named) { return std::string(named.param.file); });

TEST(UtsNamespace, HidesTheHostsName) {
  ASSAY_NEEDS_MECHANISM(Mechanism::uts_namespace);
  EXPECT_EQ(ask_actor({"hostname"}), "ok sandbox");
  EXPECT_NE(ask_actor({"hostname"}, {Mechanism::uts_namespace}), "ok sandbox");
}

TEST(PidNamespace, TheInitCannotBeKilledFromInside) {
  ASSAY_NEEDS_MECHANISM(Mechanism::pid_namespace);
  const CommandResult result = testing::run_actor({"signal-init"}, testing::actor_sandbox());
  EXPECT_TRUE(result.status.success()) << result.status.text();
}

TEST(PrivateRoot, ShowsOnlyWhatWasBound) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_root);
  const std::string root = ask_actor({"list", "/"});
  EXPECT_THAT(root, StartsWith("ok actor "));
  for (const char* hidden : {"home", "root", "var", "sys", "boot", "mnt", ".host"}) {
    EXPECT_THAT(root, Not(HasSubstr(hidden)));
  }
  EXPECT_EQ(ask_actor({"list", "/dev"}), "ok null urandom zero");
  EXPECT_EQ(ask_actor({"list", "/etc"}), "ok ld.so.cache");
  EXPECT_EQ(ask_actor({"read", "/etc/passwd"}), "ENOENT");
  EXPECT_EQ(ask_actor({"read", "/etc/passwd"}, {Mechanism::private_root, Mechanism::landlock}), "ok");
  EXPECT_EQ(ask_actor({"folder"}), "ok /");
}

TEST(PrivateRoot, CanBeWrittenNowhereButInItsFolders) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_root);
  const MechanismSet others = {Mechanism::landlock};  // Which forbids it as well.
  EXPECT_EQ(ask_actor({"write", "/new"}, others), "EROFS");
  EXPECT_EQ(ask_actor({"write", "/dev/new"}, others), "EROFS");
  EXPECT_THAT(ask_actor({"write", "/actor"}, others), ::testing::AnyOf("EROFS", "ETXTBSY", "EACCES"));
  EXPECT_EQ(ask_actor({"write", "/tmp/new"}), "ok");
  EXPECT_EQ(ask_actor({"write", "/dev/null"}), "ok");
}

TEST(PrivateProc, ShowsNoOtherProcessAndNothingOfTheHost) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_proc);
  EXPECT_EQ(ask_actor({"list", "/proc"}), "ok 2 self thread-self");
  EXPECT_EQ(ask_actor({"read", "/proc/1/maps"}), "ENOENT") << "the init is a copy of our memory";
  EXPECT_EQ(ask_actor({"list", "/proc"}, {Mechanism::private_proc}), "ok") << "an empty folder";
}

TEST(UnprivilegedUser, IsNobody) {
  ASSAY_NEEDS_MECHANISM(Mechanism::unprivileged_user);
  if (geteuid() == 0) {
    EXPECT_EQ(ask_actor({"user"}), "ok 65534 65534");
    // Root cannot be nested in a user namespace.
    EXPECT_EQ(ask_actor({"user"}, {Mechanism::unprivileged_user, Mechanism::user_namespace}), "ok 0 0");
  } else {
    EXPECT_NE(ask_actor({"user"}), "ok 0 0");
  }
}

TEST(Capabilities, NoneIsLeftNorCanBeHad) {
  ASSAY_NEEDS_MECHANISM(Mechanism::capabilities);
  ASSAY_NEEDS_MECHANISM(Mechanism::private_proc);
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd"}) {
    EXPECT_EQ(ask_actor({"status", set}), "ok 0000000000000000") << set;
  }
  EXPECT_NE(ask_actor({"status", "CapBnd"}, {Mechanism::capabilities}), "ok 0000000000000000");
}

TEST(NoNewPrivileges, IsSet) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_proc);
  EXPECT_EQ(ask_actor({"status", "NoNewPrivs"}), "ok 1");
}

TEST(Limits, AreSane) {
  EXPECT_THAT(ask_actor({"limits"}), StartsWith("ok core 1 stack 64 "));
  EXPECT_THAT(ask_actor({"limits"}, {Mechanism::limits}), Not(HasSubstr("stack 64 ")));
}

TEST(ProcessLimit, BoundsForks) {
  ASSAY_NEEDS_MECHANISM(Mechanism::process_limit);
  SandboxOptions options = testing::actor_sandbox({Mechanism::cgroup});
  options.processes = 20;
  EXPECT_EQ(testing::run_actor({"fork-many", "40"}, options).output, "EAGAIN\n");
  EXPECT_EQ(testing::run_actor({"fork-many", "10"}, options).output, "ok \n");
  options.leave_out.add(Mechanism::process_limit);
  EXPECT_EQ(testing::run_actor({"fork-many", "40"}, options).output, "ok \n");
}

TEST(Landlock, ForbidsFilesWithoutAPrivateRoot) {
  ASSAY_NEEDS_MECHANISM(Mechanism::landlock);
  const MechanismSet roots = {Mechanism::private_root};
  EXPECT_EQ(ask_actor({"read", "/etc/passwd"}, roots), "EACCES");
  EXPECT_EQ(ask_actor({"list", "/"}, roots), "EACCES");
  EXPECT_EQ(ask_actor({"write", "/tmp/assay-landlock-test"}, roots), "EACCES");
  EXPECT_EQ(ask_actor({"execute", "/bin/true"}, roots), "EACCES");
  EXPECT_EQ(ask_actor({"write", "/dev/null"}, roots), "ok");
  EXPECT_EQ(ask_actor({"read", "/etc/passwd"}, {Mechanism::private_root, Mechanism::landlock}), "ok");
}

TEST(Landlock, ForbidsToExecuteWhatThePrivateRootShows) {
  ASSAY_NEEDS_MECHANISM(Mechanism::landlock);
  ASSAY_NEEDS_MECHANISM(Mechanism::private_root);
  // A library that can be executed (it has an entry point) but was bound for reading.
  SandboxOptions options = testing::actor_sandbox();
  options.binds.insert(options.binds.begin(), {"/bin/true", "/readable"});
  EXPECT_EQ(testing::run_actor({"execute", "/readable"}, options).output, "EACCES\n");
  options.leave_out.add(Mechanism::landlock);
  EXPECT_EQ(testing::run_actor({"execute", "/readable"}, options).output, "");
}

struct CallCase {
  const char* action;
  const char* answer;
};

// Names of tests must not hold addresses, which differ from run to run.
std::ostream& operator<<(std::ostream& out, const CallCase& one) { return out << one.action; }

class SeccompTest : public ::testing::TestWithParam<CallCase> {};

TEST_P(SeccompTest, RefusesTheCall) {
  ASSAY_NEEDS_MECHANISM(Mechanism::seccomp);
  EXPECT_EQ(ask_actor({GetParam().action}), GetParam().answer);
  EXPECT_NE(ask_actor({GetParam().action}, {Mechanism::seccomp}), GetParam().answer);
}

INSTANTIATE_TEST_SUITE_P(Calls, SeccompTest,
                         ::testing::Values(CallCase{"socket", "EPERM"}, CallCase{"ptrace", "EPERM"},
                                           CallCase{"clone3", "ENOSYS"}, CallCase{"shared-memory", "EPERM"}),
                         [](const auto& named) {
                           std::string name = named.param.action;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Seccomp, LeavesNoWayToNewNamespacesOrMounts) {
  ASSAY_NEEDS_MECHANISM(Mechanism::seccomp);
  EXPECT_EQ(ask_actor({"unshare"}), "EPERM");
  EXPECT_EQ(ask_actor({"mount"}), "EPERM");
  EXPECT_THAT(ask_actor({"setsid"}), HasSubstr("EPERM"));
}

TEST(Cgroup, BoundsMemory) {
  ASSAY_NEEDS_MECHANISM(Mechanism::cgroup);
  SandboxOptions options = testing::actor_sandbox();
  options.memory_bytes = std::uint64_t{48} << 20U;
  const CommandResult bounded = testing::run_actor({"allocate", "96"}, options);
  EXPECT_TRUE(bounded.out_of_memory);
  EXPECT_FALSE(bounded.status.success());
  EXPECT_TRUE(testing::run_actor({"allocate", "16"}, options).status.success());
  options.leave_out.add(Mechanism::cgroup);
  const CommandResult free = testing::run_actor({"allocate", "96"}, options);
  EXPECT_FALSE(free.out_of_memory);
  EXPECT_THAT(free.output, StartsWith("ok "));
}

TEST(Cgroup, BoundsProcesses) {
  ASSAY_NEEDS_MECHANISM(Mechanism::cgroup);
  SandboxOptions options = testing::actor_sandbox({Mechanism::process_limit});
  options.processes = 20;
  EXPECT_EQ(testing::run_actor({"fork-many", "40"}, options).output, "EAGAIN\n");
}

}  // namespace
}  // namespace assay::os
