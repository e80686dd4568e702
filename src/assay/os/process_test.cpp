#include <assay/os/process.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <assay/base/text.hpp>
#include <assay/os/file.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using testing::becomes_true;
using testing::is_running;

// The test program is its own victim: with this variable it aborts or faults instead of testing.
const bool kVictim = [] {
  const char* way = std::getenv("ASSAY_TEST_VICTIM");
  if (way != nullptr && std::string_view(way) == "abort") {
    std::abort();
  }
  if (way != nullptr) {
    volatile std::uintptr_t nowhere = 8;  // read at run time, or the compiler refuses to help
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  }
  return false;
}();

ExitStatus end_of(Process& process) {
  const auto status = process.wait_for(60s);
  EXPECT_TRUE(status && *status);
  return status && *status ? **status : ExitStatus{};
}

std::string output_of(ProcessOptions options) {
  const auto result = run_command(std::move(options), 60s, 1 << 20);
  EXPECT_TRUE(result) << result.error().text();
  return result ? result->output : "";
}

// A process is recognised by the odd number of seconds that it sleeps.
std::string marked_sleep() {
  static int count = 0;
  return "sleep 1000." + std::to_string(::getpid()) + "0" + std::to_string(++count);
}

class ProcessTest : public ::testing::TestWithParam<Containment> {
 protected:
  void SetUp() override {
    if (GetParam() == Containment::pid_namespace && best_containment() != Containment::pid_namespace) {
      GTEST_SKIP() << "PID namespaces do not work here";
    }
  }
  static ProcessOptions sh(const std::string& script) { return testing::shell(script, GetParam()); }
};

std::string containment_name(const ::testing::TestParamInfo<Containment>& info) {
  return std::string(to_string(info.param));
}

INSTANTIATE_TEST_SUITE_P(Both, ProcessTest, ::testing::Values(Containment::pid_namespace, Containment::process_group),
                         containment_name);

TEST(ExitStatus, reads_well) {
  EXPECT_EQ((ExitStatus{false, 3}).text(), "exit code 3");
  EXPECT_EQ((ExitStatus{true, 11}).text(), "killed by signal 11 (SIGSEGV)");
  EXPECT_EQ((ExitStatus{true, 64}).text(), "killed by signal 64");
  EXPECT_TRUE((ExitStatus{false, 0}).success());
  EXPECT_FALSE((ExitStatus{false, 1}).success());
  EXPECT_FALSE((ExitStatus{true, 9}).success());
}

TEST_P(ProcessTest, gives_the_exit_code_or_the_signal) {
  for (const int code : {0, 1, 127, 255}) {
    Process process = Process::spawn(sh("exit " + std::to_string(code))).value();
    EXPECT_EQ(end_of(process).text(), "exit code " + std::to_string(code));
  }
  for (const int number : {SIGHUP, SIGTERM, SIGKILL, SIGUSR1}) {
    Process process = Process::spawn(sh("kill -" + std::to_string(number) + " $$")).value();
    const ExitStatus status = end_of(process);
    EXPECT_TRUE(status.signalled);
    EXPECT_EQ(status.code, number);
  }
}

TEST_P(ProcessTest, sees_abort_and_faults) {
  ProcessOptions options;
  options.argv = {std::filesystem::read_symlink("/proc/self/exe").string()};
  options.containment = GetParam();
  // A sanitizer would turn the signals into exit codes.
  options.environment = {{"ASSAY_TEST_VICTIM", "abort"}, {"ASAN_OPTIONS", "handle_abort=0:handle_segv=0"}};
  Process aborting = Process::spawn(options).value();
  EXPECT_EQ(end_of(aborting).text(), "killed by signal 6 (SIGABRT)");
#ifndef __SANITIZE_ADDRESS__
  options.environment[0].second = "fault";
  Process faulting = Process::spawn(options).value();
  EXPECT_EQ(end_of(faulting).text(), "killed by signal 11 (SIGSEGV)");
#endif
}

TEST_P(ProcessTest, waits_no_longer_than_asked_and_remembers_the_end) {
  Process process = Process::spawn(sh("exec sleep 1000")).value();
  EXPECT_EQ(process.containment(), GetParam());
  EXPECT_FALSE(process.wait_for(0s).value());
  EXPECT_FALSE(process.wait_for(20ms).value());
  pollfd entry{process.pidfd().get(), POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 0);
  process.kill();
  EXPECT_EQ(::poll(&entry, 1, 0), 1);
  process.kill();
  EXPECT_EQ(end_of(process).text(), "killed by signal 9 (SIGKILL)");
  EXPECT_EQ(end_of(process).text(), "killed by signal 9 (SIGKILL)");
}

TEST_P(ProcessTest, is_killed_and_reaped_with_its_object) {
  int pid = -1;
  {
    Process process = Process::spawn(sh("exec sleep 1000")).value();
    Process moved(std::move(process));
    pid = moved.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
    moved = Process::spawn(sh("exec sleep 1000")).value();
    EXPECT_NE(::kill(pid, 0), 0) << "assignment must kill the old one";
    pid = moved.pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
}

TEST_P(ProcessTest, kill_reaches_descendants) {
  const std::string first = marked_sleep();
  const std::string second = marked_sleep();
  Process process = Process::spawn(sh(first + " & " + second)).value();
  ASSERT_TRUE(becomes_true([&] { return is_running(first) && is_running(second); }));
  process.kill();
  EXPECT_TRUE(becomes_true([&] { return !is_running(first) && !is_running(second); }));
}

TEST_P(ProcessTest, nothing_of_its_group_outlives_it) {
  const std::string left = marked_sleep();
  Process process = Process::spawn(sh(left + " & exit 7")).value();
  EXPECT_EQ(end_of(process).code, 7);
  EXPECT_TRUE(becomes_true([&] { return !is_running(left); }));
}

TEST_P(ProcessTest, has_only_the_environment_that_it_was_given) {
  ProcessOptions options = sh("");
  options.argv = {"env"};
  options.environment = {{"B", "two words"}, {"A", ""}};
  EXPECT_EQ(output_of(options), "B=two words\nA=\n");
}

TEST_P(ProcessTest, has_only_the_descriptors_that_it_was_given) {
  // Without O_CLOEXEC, as a careless library would open it.
  const Fd careless(::open("/dev/zero", O_RDONLY));  // NOLINT
  ProcessOptions options = sh("");
  options.argv = {"ls", "/proc/self/fd"};
  EXPECT_EQ(output_of(options), "0\n1\n2\n3\n");  // 3 is the folder that ls reads.
  const Fd given(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  options.descriptors = {{given.get(), 9}};
  EXPECT_EQ(output_of(options), "0\n1\n2\n3\n9\n");
  EXPECT_EQ(output_of(sh("cat; readlink /proc/self/fd/0")), "/dev/null\n");
}

TEST_P(ProcessTest, descriptors_may_change_places) {
  std::array<Fd, 2> readers;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    readers[i] = Fd(ends[0]);
    const Fd writer(ends[1]);
    ASSERT_EQ(::write(writer.get(), i == 0 ? "A" : "B", 1), 1);
  }
  const int a = readers[0].get();
  const int b = readers[1].get();
  ProcessOptions options = sh("for n in \"$@\"; do cat /proc/self/fd/$n; done");
  options.argv.insert(options.argv.end(), {"sh", std::to_string(a), std::to_string(b)});
  options.descriptors = {{a, b}, {b, a}};
  EXPECT_EQ(output_of(options), "BA");
}

TEST_P(ProcessTest, runs_where_it_is_told) {
  ProcessOptions options = sh("pwd");
  options.working_directory = "/usr/bin";
  EXPECT_EQ(output_of(options), "/usr/bin\n");
  options.working_directory = "/no/such/folder";
  const auto failed = Process::spawn(options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "process.directory");
  EXPECT_EQ(failed.error().owner, base::Owner::environment);
  EXPECT_THAT(failed.error().message, HasSubstr("/no/such/folder"));
}

TEST_P(ProcessTest, sets_limits_and_never_dumps_core) {
  ProcessOptions options = sh("ulimit -c; ulimit -n; ulimit -f; ulimit -v; ulimit -t");
  options.limits = {1 << 30, 512 * 1024, 77, 50};
  EXPECT_EQ(output_of(options), "0\n50\n1024\n1048576\n77\n");
  ProcessOptions spinning = sh("while :; do :; done");
  spinning.limits.cpu_seconds = 1;
  Process process = Process::spawn(spinning).value();
  EXPECT_EQ(end_of(process).text(), "killed by signal 24 (SIGXCPU)");
}

TEST_P(ProcessTest, gains_no_privileges_and_has_default_signals) {
  sigset_t blocked;
  sigset_t old;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &old);
  const auto old_handler = ::signal(SIGPIPE, SIG_IGN);
  ProcessOptions options = sh("");
  options.argv = {"grep", "-E", "^(NoNewPrivs|SigBlk|SigIgn)", "/proc/self/status"};
  const std::string output = output_of(options);
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, &old, &now);
  ::signal(SIGPIPE, old_handler);
  EXPECT_EQ(output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nNoNewPrivs:\t1\n");
  EXPECT_EQ(::sigismember(&now, SIGUSR1), 1);
  EXPECT_EQ(::sigismember(&now, SIGTERM), 0) << "spawn must give the mask back";
}

TEST_P(ProcessTest, is_in_a_session_of_its_own) {
  ProcessOptions options = sh("");
  options.argv = {"cut", "-d", " ", "-f", "6", "/proc/self/stat"};
  const int session = std::stoi(output_of(options));
  EXPECT_GT(session, 0);
  EXPECT_NE(session, ::getsid(0));
}

TEST_P(ProcessTest, runs_on_the_cpu_that_was_asked_for) {
  cpu_set_t ours;
  ASSERT_EQ(::sched_getaffinity(0, sizeof ours, &ours), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(static_cast<std::size_t>(last), &ours)) {
    --last;
  }
  ProcessOptions options = sh("grep Cpus_allowed_list /proc/self/status");
  options.cpu = last;
  EXPECT_EQ(output_of(options), "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
  options.cpu = -1;
  EXPECT_EQ(Process::spawn(options).error().owner, base::Owner::input);
  options.cpu = CPU_SETSIZE - 1;
  EXPECT_THAT(Process::spawn(options).error().message, HasSubstr("CPU"));
}

TEST_P(ProcessTest, reports_what_cannot_be_executed) {
  auto made = TemporaryDirectory::create(::testing::TempDir(), "assay-exec-");
  ASSERT_TRUE(made);
  ASSERT_TRUE(write_file_atomic(made->path() / "plain", "#!/bin/sh\n"));
  ASSERT_TRUE(write_file_atomic(made->path() / "orphan", "#!/no/such/interpreter\n"));
  std::filesystem::permissions(made->path() / "plain", std::filesystem::perms::owner_read);
  std::filesystem::permissions(made->path() / "orphan", std::filesystem::perms::owner_all);
  const auto start = [&](const std::string& program) {
    ProcessOptions options = sh("");
    options.argv = {program};
    auto process = Process::spawn(options);
    EXPECT_FALSE(process) << program;
    return process ? base::Error{} : process.error();
  };
  const base::Error missing = start((made->path() / "missing").string());
  EXPECT_EQ(missing.code, "process.not_found");
  EXPECT_EQ(missing.owner, base::Owner::environment);
  EXPECT_THAT(missing.message, HasSubstr((made->path() / "missing").string()));
  EXPECT_THAT(start("no-such-program-here").message, HasSubstr("no-such-program-here"));
  EXPECT_THAT(start((made->path() / "orphan").string()).message, HasSubstr("interpreter"));
  const base::Error refused = start((made->path() / "plain").string());
  EXPECT_EQ(refused.code, "process.not_executable");
  EXPECT_THAT(refused.message, HasSubstr("chmod +x"));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a failed start must leave no child";
}

TEST_P(ProcessTest, refuses_options_that_cannot_work) {
  const auto refused = [&](const std::function<void(ProcessOptions&)>& change) {
    ProcessOptions options = sh("");
    change(options);
    const auto process = Process::spawn(options);
    EXPECT_FALSE(process);
    return process ? base::Owner::environment : process.error().owner;
  };
  using base::Owner;
  EXPECT_EQ(refused([](ProcessOptions& o) { o.argv.clear(); }), Owner::internal);
  EXPECT_EQ(refused([](ProcessOptions& o) { o.argv[2] = std::string("a\0b", 3); }), Owner::input);
  EXPECT_EQ(refused([](ProcessOptions& o) { o.environment = {{"", "x"}}; }), Owner::input);
  EXPECT_EQ(refused([](ProcessOptions& o) { o.environment = {{"A=B", "x"}}; }), Owner::input);
  EXPECT_EQ(refused([](ProcessOptions& o) { o.descriptors = {{0, 1}}; }), Owner::internal);
  EXPECT_EQ(refused([](ProcessOptions& o) { o.descriptors = {{0, 5}, {0, 5}}; }), Owner::internal);
  EXPECT_EQ(refused([](ProcessOptions& o) { o.descriptors = {{9999, 5}}; }), Owner::environment);
}

TEST_P(ProcessTest, asks_the_program_itself_to_end) {
  const auto made = TemporaryDirectory::create(::testing::TempDir(), "assay-interrupt-");
  ASSERT_TRUE(made);
  const std::string ready = (made->path() / "ready").string();
  auto process = Process::spawn(sh("trap 'exit 7' INT; touch " + ready + "; while :; do sleep 0.01; done"));
  ASSERT_TRUE(process) << process.error().text();
  ASSERT_TRUE(testing::becomes_true([&] { return std::filesystem::exists(ready); }));
  process->interrupt();
  EXPECT_EQ(end_of(*process).text(), "exit code 7");
  process->interrupt();  // It has ended: nothing happens.
}

TEST_P(ProcessTest, can_be_spawned_by_many_threads_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        auto process = Process::spawn(sh("exit " + std::to_string(10 * t + i)));
        ASSERT_TRUE(process) << process.error().text();
        EXPECT_EQ(end_of(*process).text(), "exit code " + std::to_string(10 * t + i));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace assay::os
