#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class CommandTest : public ::testing::TestWithParam<Containment> {
 protected:
  void SetUp() override {
    if (GetParam() == Containment::pid_namespace && best_containment() != Containment::pid_namespace) {
      GTEST_SKIP() << "PID namespaces do not work here";
    }
  }

  static base::Result<CommandResult> run(const std::string& script, std::chrono::nanoseconds limit = 60s,
                                         std::size_t output_limit = 1 << 20) {
    return run_command(testing::shell(script, GetParam()), limit, output_limit);
  }
};

TEST_P(CommandTest, collects_both_streams_in_their_order) {
  const CommandResult result = run("echo one; echo two >&2; echo three").value();
  EXPECT_TRUE(result.status.success());
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.output_truncated);
  EXPECT_EQ(result.output, "one\ntwo\nthree\n");
  EXPECT_GT(result.wall, 0ns);
}

TEST_P(CommandTest, tells_how_it_ended) {
  EXPECT_EQ(run("exit 3").value().status.text(), "exit code 3");
  EXPECT_EQ(run("kill -TERM $$").value().status.text(), "killed by signal 15 (SIGTERM)");
}

TEST_P(CommandTest, drains_what_it_does_not_keep) {
  const CommandResult result = run("head -c 3000000 /dev/zero; echo end >&2; exit 4", 60s, 10).value();
  EXPECT_EQ(result.status.code, 4);
  EXPECT_TRUE(result.output_truncated);
  EXPECT_EQ(result.written, 3'000'004U) << "the line of the end too";
  EXPECT_EQ(result.output, std::string(10, '\0'));
  const CommandResult exact = run("printf 1234567890", 60s, 10).value();
  EXPECT_FALSE(exact.output_truncated);
  EXPECT_EQ(exact.output, "1234567890");
  EXPECT_TRUE(run("echo x", 60s, 0).value().output_truncated);
}

TEST_P(CommandTest, keeps_what_was_written_right_before_the_end) {
  const std::string script = "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done";
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(run(script).value().output, ::testing::EndsWith("line 199\n"));
  }
}

TEST_P(CommandTest, ends_at_the_time_limit_with_what_had_come) {
  const CommandResult silent = run("echo begun; sleep 1000", 200ms).value();
  EXPECT_TRUE(silent.timed_out);
  EXPECT_EQ(silent.status.text(), "killed by signal 9 (SIGKILL)");
  EXPECT_EQ(silent.output, "begun\n");
  const CommandResult noisy = run("yes", 200ms, 100).value();
  EXPECT_TRUE(noisy.timed_out);
  EXPECT_TRUE(noisy.output_truncated);
  EXPECT_TRUE(run("sleep 1000 & sleep 1000 & wait", 200ms).value().timed_out);
}

TEST_P(CommandTest, waits_for_a_program_that_closes_its_output) {
  EXPECT_EQ(run("echo out; exec >&- 2>&-; sleep 0.2; exit 5").value().status.text(), "exit code 5");
}

TEST_P(CommandTest, is_not_held_up_by_descendants_that_keep_the_pipe) {
  // In a group the second one escapes, and says who it is, so that the test can end it.
  const auto start = std::chrono::steady_clock::now();
  const CommandResult result = run("sleep 999 & setsid sh -c 'echo $$; exec sleep 999' & sleep 0.3; exit 0").value();
  EXPECT_TRUE(result.status.success());
  EXPECT_FALSE(result.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  const int escaped = std::atoi(result.output.c_str());
  ASSERT_GT(escaped, 1);
  if (GetParam() == Containment::process_group) {
    EXPECT_EQ(::kill(escaped, SIGKILL), 0);
  }
}

TEST_P(CommandTest, reports_a_program_that_cannot_start) {
  ProcessOptions options;
  options.argv = {"no-such-program-here"};
  options.containment = GetParam();
  const auto result = run_command(options, 5s, 100);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "process.not_found");
  EXPECT_THAT(result.error().message, HasSubstr("no-such-program-here"));
}

TEST_P(CommandTest, leaks_no_descriptors) {
  const std::size_t before = list_directory("/proc/self/fd").value().size();
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(run("exit 1"));
    static_cast<void>(run("sleep 100", 1ms));
  }
  EXPECT_EQ(list_directory("/proc/self/fd").value().size(), before);
}

std::string command_containment(const ::testing::TestParamInfo<Containment>& info) {
  return std::string(to_string(info.param));
}

INSTANTIATE_TEST_SUITE_P(Both, CommandTest, ::testing::Values(Containment::pid_namespace, Containment::process_group),
                         command_containment);

TEST(FindProgram, takes_the_first_executable_file_in_an_absolute_folder) {
  auto made = TemporaryDirectory::create(::testing::TempDir(), "assay-path-");
  ASSERT_TRUE(made);
  const Path root = made->path();
  for (const char* folder : {"first/tool", "second", "third", "fourth"}) {
    ASSERT_TRUE(os::create_directories(root / folder));
  }
  for (const char* file : {"second/tool", "third/tool", "fourth/tool"}) {
    ASSERT_TRUE(write_file_atomic(root / file, "#!/bin/sh\n"));
  }
  ASSERT_EQ(::chmod((root / "second/tool").c_str(), 0644), 0);
  ASSERT_EQ(::chmod((root / "third/tool").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((root / "fourth/tool").c_str(), 0755), 0);
  const int result = testing::in_fork([&] {
    const auto in = [&](const char* folder) { return ":" + (root / folder).string(); };
    ::setenv("PATH", (".:" + in("first") + in("second") + in("third") + in("fourth")).c_str(), 1);
    if (::chdir((root / "fourth").c_str()) != 0) {
      return 1;
    }
    return find_program("tool") == root / "third/tool" ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
}

TEST(FindProgram, finds_nothing_for_paths_and_unknown_names) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-here"));
  EXPECT_EQ(find_program("/bin/sh"), Path("/bin/sh"));
  EXPECT_FALSE(find_program("/bin/no-such-program-here"));
  EXPECT_FALSE(find_program("/etc/passwd"));
  EXPECT_FALSE(find_program("./sh"));
  EXPECT_FALSE(find_program(""));
}

}  // namespace
}  // namespace assay::os
