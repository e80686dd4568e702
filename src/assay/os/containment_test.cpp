// What outlives whom: the promises of Process that need other processes, users and deaths to test.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>

#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using namespace std::chrono_literals;
using testing::becomes_true;
using testing::is_running;
using testing::shell;

// While it lives, orphans among our descendants become our children: we can tell for sure when all are dead.
class Subreaper {
 public:
  Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

  static bool all_end() {
    return becomes_true([] {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
    });
  }
};

// Forks a process that spawns the script and stays; returns its PID.
int fork_owner(const std::string& script, Containment containment = Containment::pid_namespace) {
  const int pid = ::fork();
  if (pid == 0) {
    const auto process = Process::spawn(shell(script, containment));
    while (process) {
      ::pause();
    }
    ::_exit(1);
  }
  return pid;
}

class ContainmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (best_containment() != Containment::pid_namespace) {
      GTEST_SKIP() << "PID namespaces do not work here";
    }
  }
};

TEST_F(ContainmentTest, everything_dies_when_we_are_killed) {
  const Subreaper reaper;
  const std::string mark = "1000." + std::to_string(::getpid());
  const std::string script = "sleep " + mark + "1 & setsid sleep " + mark + "2 & exec sleep " + mark + "3";
  const int owner = fork_owner(script);
  for (const char* number : {"1", "2", "3"}) {
    ASSERT_TRUE(becomes_true([&] { return is_running("sleep " + mark + number); }));
  }
  ASSERT_EQ(::kill(owner, SIGKILL), 0);
  EXPECT_TRUE(Subreaper::all_end());
  EXPECT_TRUE(becomes_true([&] { return !is_running("sleep " + mark); }));
}

// Kills an owner sooner or later after it began; returns 0 if nothing was ever left.
int kill_owners_at_many_moments(int count) {
  const Subreaper reaper;
  for (int i = 0; i < count; ++i) {
    const int owner = fork_owner("sleep 1000 & exec sleep 1000");
    std::this_thread::sleep_for(i * 50us);
    if (::kill(owner, SIGKILL) != 0 || !Subreaper::all_end()) {
      return 1;
    }
  }
  return 0;
}

TEST_F(ContainmentTest, everything_dies_at_whatever_moment_we_are_killed) {
  EXPECT_EQ(kill_owners_at_many_moments(80), 0);
}

TEST(ProcessGroup, the_program_dies_when_we_are_killed) {
  const Subreaper reaper;
  const std::string mark = "sleep 1000." + std::to_string(::getpid()) + "7";
  const int owner = fork_owner("exec " + mark, Containment::process_group);
  ASSERT_TRUE(becomes_true([&] { return is_running(mark); }));
  ASSERT_EQ(::kill(owner, SIGKILL), 0);
  EXPECT_TRUE(Subreaper::all_end());
  EXPECT_FALSE(is_running(mark));
}

TEST_F(ContainmentTest, a_killed_init_takes_all_with_it) {
  const std::string mark = "sleep 1000." + std::to_string(::getpid()) + "4";
  Process process = Process::spawn(shell("setsid " + mark + " & exec sleep 1000")).value();
  ASSERT_TRUE(becomes_true([&] { return is_running(mark); }));
  ASSERT_EQ(::kill(process.pid(), SIGKILL), 0);
  const auto status = process.wait_for(10s);
  ASSERT_TRUE(status && *status);
  EXPECT_EQ((*status)->text(), "killed by signal 9 (SIGKILL)");
  EXPECT_FALSE(is_running(mark));
}

TEST_F(ContainmentTest, descendants_die_with_the_program_even_in_their_own_session) {
  const std::string mark = "sleep 1000." + std::to_string(::getpid()) + "5";
  Process process = Process::spawn(shell("setsid " + mark + " & exit 3")).value();
  const auto status = process.wait_for(60s);
  ASSERT_TRUE(status && *status);
  EXPECT_EQ((*status)->code, 3);
  EXPECT_FALSE(is_running(mark));
}

TEST_F(ContainmentTest, the_program_cannot_kill_its_init) {
  const auto result = run_command(shell("kill -9 1; kill -TERM 1; kill -SEGV 1; sleep 0.1; exit 6"), 60s, 1000);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status.text(), "exit code 6");
}

TEST_F(ContainmentTest, orphans_are_reaped) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  ProcessOptions options = shell("for i in 1 2 3; do (true &) ; done; echo >&7; exec sleep 1000");
  options.descriptors = {{writer.get(), 7}};
  const Process process = Process::spawn(options).value();
  char newline = 0;
  ASSERT_EQ(::read(reader.get(), &newline, 1), 1);
  const std::string pid = std::to_string(process.pid());
  const Path children = Path("/proc") / pid / "task" / pid / "children";
  if (!std::filesystem::exists(children)) {
    GTEST_SKIP() << "this kernel does not list children";
  }
  EXPECT_TRUE(becomes_true([&] {
    const std::string listed = read_file(children).value();
    return std::count(listed.begin(), listed.end(), ' ') == 1;
  }));
}

// Runs in a fork that has become an ordinary user. 100: namespaces are not allowed to such a user here.
int as_nobody(const std::function<int()>& function) {
  return testing::in_fork([&] {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0 || ::chdir("/") != 0)) {
      return 99;
    }
    return best_containment() == Containment::pid_namespace ? function() : 100;
  });
}

TEST(UnprivilegedContainment, gives_a_pid_namespace_without_privileges) {
  const int result = as_nobody([] {
    // 1 is the init, which makes the shell 2. Nothing was gained on the way: no capability, and the same
    // user.
    const auto command = run_command(shell("echo $$ $(id -u) $(grep CapEff /proc/self/status)"), 60s, 1000);
    if (!command) {
      return 1;
    }
    return command->output == "2 " + std::to_string(::geteuid()) + " CapEff: 0000000000000000\n" ? 0 : 2;
  });
  if (result == 100) {
    GTEST_SKIP() << "user namespaces are not available to ordinary users here";
  }
  EXPECT_EQ(result, 0);
}

TEST(UnprivilegedContainment, the_program_cannot_look_into_its_init) {
  const int result = as_nobody([] {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0) {
      return 1;
    }
    ProcessOptions options = shell("read p <&7; head -c 1 /proc/$p/environ 2>&1 || head -c 1 /proc/$p/maps || exit 40");
    options.descriptors = {{input[0], 7}};
    auto process = Process::spawn(options);
    if (!process) {
      return 2;
    }
    const std::string pid = std::to_string(process->pid()) + "\n";
    if (::write(input[1], pid.data(), pid.size()) < 0) {
      return 3;
    }
    const auto status = process->wait_for(60s);
    return status && *status && (*status)->code == 40 ? 0 : 4;
  });
  if (result == 100) {
    GTEST_SKIP() << "user namespaces are not available to ordinary users here";
  }
  EXPECT_EQ(result, 0);
}

TEST(UnprivilegedContainment, descendants_die_with_the_program) {
  const std::string mark = "sleep 1000." + std::to_string(::getpid()) + "6";
  const int result = as_nobody([&] {
    auto process = Process::spawn(shell("setsid " + mark + " & exit 3"));
    const auto status = process ? process->wait_for(60s) : std::nullopt;
    return status && *status && (*status)->code == 3 && !is_running(mark) ? 0 : 1;
  });
  if (result == 100) {
    GTEST_SKIP() << "user namespaces are not available to ordinary users here";
  }
  EXPECT_EQ(result, 0);
}

TEST(UnprivilegedContainment, everything_dies_at_whatever_moment_we_are_killed) {
  const int result = as_nobody([] { return kill_owners_at_many_moments(40); });
  if (result == 100) {
    GTEST_SKIP() << "user namespaces are not available to ordinary users here";
  }
  EXPECT_EQ(result, 0);
}

TEST(HardenThisProcess, ties_it_to_its_parent_and_hides_it) {
  EXPECT_EQ(testing::in_fork([] {
              harden_this_process();
              int number = 0;
              ::prctl(PR_GET_PDEATHSIG, &number);
              struct sigaction action{};
              ::sigaction(SIGPIPE, nullptr, &action);
              return number == SIGKILL && ::prctl(PR_GET_DUMPABLE) == 0 && action.sa_handler == SIG_IGN ? 0 : 1;
            }),
            0);
}

TEST(Containment, proc_shows_the_numbers_of_the_namespace) {
  if (best_containment() != Containment::pid_namespace || (namespace_flags() & CLONE_NEWNS) == 0) {
    GTEST_SKIP() << "no /proc of its own can be mounted here";
  }
  // $$ is the shell's number in its namespace; /proc/self is what the kernel makes of it there.
  const auto result = run_command(shell("read -r own rest < /proc/self/stat; test \"$own\" = $$"), 60s, 100);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status.code, 0);
}

TEST(Containment, unhardening_ends_with_its_scope) {
  EXPECT_EQ(testing::in_fork([] {
              harden_this_process();
              {
                const UnhardenedScope scope;
                if (::prctl(PR_GET_DUMPABLE) != 1) {
                  return 1;
                }
              }
              return ::prctl(PR_GET_DUMPABLE) == 0 ? 0 : 2;
            }),
            0);
}

TEST(Containment, works_where_the_death_of_children_is_ignored) {
  EXPECT_EQ(testing::in_fork([] {
              ::signal(SIGCHLD, SIG_IGN);
              const auto result = run_command(shell("exit 9", Containment::process_group), 60s, 100);
              return result ? result->status.code : 1;
            }),
            9);
}

TEST(Containment, is_the_same_whenever_it_is_asked) {
  EXPECT_EQ(best_containment(), best_containment());
  EXPECT_EQ(to_string(Containment::pid_namespace), "pid_namespace");
  EXPECT_EQ(to_string(Containment::process_group), "process_group");
}

TEST(Containment, a_hardened_process_can_contain_its_children) {
  EXPECT_EQ(testing::in_fork([] {
              harden_this_process();
              const auto result = run_command(shell("exit 9"), 60s, 100);
              return result ? result->status.code : 1;
            }),
            9);
}

}  // namespace
}  // namespace assay::os
