// Runs of fake_agent, which replays recorded streams, in the sandbox that real agents get.
#include <assay/agent/agent_run.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/test_streams.hpp>
#include <assay/agent/working_folder.hpp>
#include <assay/os/sandbox/detect.hpp>

namespace assay::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::recorded;
using testing::stream_path;
using testing::usage;

const os::Path kFakeAgent = os::Path(ASSAY_BINARY_DIR) / "bin" / "fake_agent";
const os::Path kStreams = os::Path(ASSAY_SOURCE_DIR) / "tests/data/agent_streams";

bool has(os::Mechanism mechanism) { return os::sandbox_support().report.applied.has(mechanism); }

class AgentRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = os::TemporaryDirectory::create(::testing::TempDir(), "assay-agent-");
    ASSERT_TRUE(made) << made.error().text();
    private_.emplace(std::move(*made));
    folder_ = private_->path() / "work";
    ASSERT_TRUE(os::create_directories(folder_));
    ASSERT_TRUE(lay_out(folder_, "the prompt", "{}", {{"kernel.cpp", "old"}}));
  }

  AgentRun run(const std::string& script, std::optional<Dialect> dialect = std::nullopt, RunLimits limits = {},
               Network network = Network::none) {
    AgentProgram program;
    program.name = "fake";
    program.dialect = dialect;
    program.argv = {kFakeAgent.string(), "a prompt"};
    program.environment = {{"FAKE_AGENT", script}};
    program.binds.push_back({kStreams, kStreams, os::SandboxBind::Use::read});
    program.network = network;
    std::error_code ignored;
    std::filesystem::remove(record_path(), ignored);
    auto result = run_agent(program, folder_, record_path(), limits, std::nullopt);
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(*result) : AgentRun{};
  }

  [[nodiscard]] os::Path record_path() const { return private_->path() / "stream.jsonl"; }
  [[nodiscard]] LeftSources left() const {
    task::Solution origin;
    origin.spec.entry_point = "kernel.cpp::run";
    return read_left_sources(folder_, origin);
  }

  static RunLimits short_limits() {
    RunLimits limits;
    limits.wall = 2s;  // Long enough to start on a busy machine.
    limits.grace = 5s;
    return limits;
  }

  std::optional<os::TemporaryDirectory> private_;
  os::Path folder_;
};

std::string replay(Dialect dialect, const std::string& name, const std::string& bytes = "") {
  return "replay " + stream_path(dialect, name).string() + " " + bytes + "\n";
}

TEST_F(AgentRunTest, AStreamIsReadAndKeptAndTheFilesAreLeft) {
  const AgentRun found =
      run("write candidate/kernel.cpp new\\ntext\n" + replay(Dialect::codex, "tools2") + "exit 0", Dialect::codex);
  EXPECT_EQ(found.summary.outcome, RunOutcome::finished) << found.summary.cause << found.errors;
  EXPECT_EQ(found.summary.spend, (Spend{Certainty::exact, usage(8400, 5600, 0, 1050, 448)}));
  EXPECT_EQ(os::read_file(record_path()).value(), recorded(Dialect::codex, "tools2"));
  ASSERT_EQ(left().sources.size(), 1U) << left().fault;
  EXPECT_EQ(left().sources[0].content, "new\ntext");
  EXPECT_FALSE(found.timed_out);
}

TEST_F(AgentRunTest, ServiceErrorsAreTheEnvironments) {
  const AgentRun found = run(replay(Dialect::claude, "err_429") + "exit 1", Dialect::claude);
  EXPECT_EQ(found.summary.outcome, RunOutcome::rate_limited);
  EXPECT_TRUE(is_environment(found.summary.outcome));
}

TEST_F(AgentRunTest, DyingInTheMiddleOfALineIsNoSuccess) {
  const AgentRun found = run(replay(Dialect::codex, "simple", "600") + "exit 0", Dialect::codex);
  EXPECT_EQ(found.summary.outcome, RunOutcome::truncated);
  EXPECT_TRUE(found.summary.lines.cut_off);
  EXPECT_EQ(found.summary.spend.certainty, Certainty::unknown);
}

TEST_F(AgentRunTest, EndingWellWithoutAWordIsNoSuccess) {
  EXPECT_EQ(run("exit 0", Dialect::codex).summary.outcome, RunOutcome::truncated);
  EXPECT_EQ(run("errors no such option\nexit 2", Dialect::codex).summary.outcome, RunOutcome::not_started);
}

// The stop is hard: whoever tells on the way what it spends is ended when that is too much, and asked for its account.
TEST_F(AgentRunTest, WhoTellsOfMoreTokensThanItMaySpendIsEnded) {
  const std::string whole = recorded(Dialect::claude, "sig_INT");
  const std::size_t account = whole.rfind('\n', whole.size() - 2) + 1;
  const std::string file = stream_path(Dialect::claude, "sig_INT").string();
  RunLimits limits;
  limits.tokens = 1000;
  const std::string script = "account " + file + " " + std::to_string(account) + "\nreplay " + file + " " +
                             std::to_string(account) + "\nwrite candidate/kernel.cpp half\nhang";
  const AgentRun found = run(script, Dialect::claude, limits);
  EXPECT_TRUE(found.out_of_tokens);
  EXPECT_FALSE(found.timed_out);
  EXPECT_EQ(found.summary.outcome, RunOutcome::limit_reached) << found.summary.cause;
  EXPECT_THAT(found.summary.cause, HasSubstr("1000 tokens"));
  EXPECT_EQ(os::read_file(record_path()).value(), whole) << "it wrote its account";
}

TEST_F(AgentRunTest, WhoKeepsToItsTokensIsLeftAlone) {
  RunLimits limits;
  limits.tokens = 1350;
  const AgentRun found = run(replay(Dialect::codex, "simple") + "exit 0", Dialect::codex, limits);
  EXPECT_FALSE(found.out_of_tokens);
  EXPECT_EQ(found.summary.outcome, RunOutcome::finished);
}

// What an interrupted Claude writes is its account: asking first is what keeps the books right.
TEST_F(AgentRunTest, AtTheTimeLimitItIsAskedFirstAndItsAccountIsRead) {
  const std::string whole = recorded(Dialect::claude, "sig_INT");
  const std::size_t account = whole.rfind('\n', whole.size() - 2) + 1;
  const std::string file = stream_path(Dialect::claude, "sig_INT").string();
  const AgentRun found = run("account " + file + " " + std::to_string(account) + "\nreplay " + file + " " +
                                 std::to_string(account) + "\nwrite candidate/kernel.cpp half\nhang",
                             Dialect::claude, short_limits());
  EXPECT_TRUE(found.timed_out);
  EXPECT_EQ(found.summary.outcome, RunOutcome::timed_out);
  EXPECT_EQ(found.summary.spend, (Spend{Certainty::exact, usage(10012, 8000, 2000, 150, 0, 0.02031)}));
  EXPECT_EQ(os::read_file(record_path()).value(), whole);
  EXPECT_EQ(left().sources.at(0).content, "half");
}

TEST_F(AgentRunTest, OneThatIsDeafIsKilledWithAllThatItStarted) {
  RunLimits limits = short_limits();
  limits.grace = 100ms;
  const AgentRun found = run("deaf\nchild\n" + replay(Dialect::claude, "sig_TERM") + "hang", Dialect::claude, limits);
  EXPECT_TRUE(found.timed_out);
  EXPECT_EQ(found.status.text(), "killed by signal 9 (SIGKILL)");
  EXPECT_EQ(found.summary.outcome, RunOutcome::timed_out);
  EXPECT_EQ(found.summary.spend, (Spend{Certainty::at_least, usage(10012, 8000, 2000, 1, 0)}));
  // Nothing of it is left: its folder can be removed, and no process names it.
  const std::vector<std::string> names = os::list_directory("/proc").value();
  for (const std::string& name : names) {
    // Bounded: other tests run beside this one, and what their processes say here may be endless.
    std::string environment(std::size_t{1} << 16U, '\0');
    std::ifstream file(os::Path("/proc") / name / "environ");
    file.read(environment.data(), static_cast<std::streamsize>(environment.size()));
    // One that ends meanwhile has nothing to read, which the library counts as -1.
    environment.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    EXPECT_EQ(environment.find("FAKE_AGENT=deaf\nchild"), std::string::npos) << name;
  }
}

TEST_F(AgentRunTest, EndlessOutputIsBounded) {
  RunLimits limits = short_limits();
  limits.grace = 0ms;
  limits.record_bytes = 1000;
  const AgentRun found = run("flood " + stream_path(Dialect::codex, "hang").string(), Dialect::codex, limits);
  EXPECT_TRUE(found.timed_out);
  EXPECT_TRUE(found.record_truncated);
  EXPECT_EQ(os::read_file(record_path()).value().size(), 1000U);
}

TEST_F(AgentRunTest, ItsEnvironmentIsWhatItWasGiven) {
  ::setenv("ASSAY_SECRET_FOR_TEST", "value", 1);
  run("environment candidate/env.h\narguments candidate/args.h");
  const LeftSources sources = left();
  ASSERT_EQ(sources.sources.size(), 3U) << sources.fault;
  EXPECT_EQ(sources.sources[0].path, "args.h");
  EXPECT_EQ(sources.sources[0].content, kFakeAgent.string() + "\na prompt\n");
  EXPECT_THAT(sources.sources[1].content, Not(HasSubstr("ASSAY_SECRET_FOR_TEST")));
  EXPECT_THAT(sources.sources[1].content, ::testing::StartsWith("FAKE_AGENT="));
}

TEST_F(AgentRunTest, SeesNeitherOurSourcesNorADeviceNorTheNetwork) {
  if (!has(os::Mechanism::private_root)) {
    GTEST_SKIP() << "there is no private root here";
  }
  const std::string source = ASSAY_SOURCE_DIR "/README.md";
  ASSERT_TRUE(std::filesystem::exists(source));
  const AgentRun found =
      run("open " + source + "\nopen /dev/nvidiactl\nopen /etc/shadow\nopen " + std::string(kPromptFile) + "\nconnect");
  EXPECT_THAT(found.errors, HasSubstr(source + ": ENOENT"));
  EXPECT_THAT(found.errors, HasSubstr("/dev/nvidiactl: ENOENT"));
  EXPECT_THAT(found.errors, HasSubstr("/etc/shadow: ENOENT"));
  EXPECT_THAT(found.errors, HasSubstr("PROMPT.md: yes"));
  EXPECT_THAT(found.errors, HasSubstr("socket: EPERM"));
}

TEST_F(AgentRunTest, OneThatAsksAModelHasTheNetworkAndNoMoreFiles) {
  if (!has(os::Mechanism::private_root) || !has(os::Mechanism::pid_namespace)) {
    GTEST_SKIP() << "there is no private root or PID namespace here";
  }
  const AgentRun found =
      run("connect\nopen /etc/shadow\nwrite candidate/kernel.cpp net", std::nullopt, {}, Network::host);
  EXPECT_THAT(found.errors, HasSubstr("socket: yes"));
  EXPECT_THAT(found.errors, HasSubstr("/etc/shadow: ENOENT"));
  EXPECT_EQ(left().sources.at(0).content, "net");
}

TEST_F(AgentRunTest, OneThatIsStoppedIsKilledAtOnceAndWhatItLeftIsThere) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const os::Fd readable(ends[0]);
  os::Fd(ends[1]).reset();  // At its end a pipe is readable.
  RunLimits limits;
  limits.stop = readable.get();
  const AgentRun found = run("deaf\nhang", std::nullopt, limits);
  EXPECT_EQ(found.summary.outcome, RunOutcome::interrupted);
  EXPECT_FALSE(found.timed_out);
  EXPECT_EQ(left().sources.at(0).content, "old");
}

TEST_F(AgentRunTest, APlainProgramIsKnownByItsExitCodeAlone) {
  EXPECT_EQ(run("exit 0").summary.outcome, RunOutcome::finished);
  const AgentRun failed = run("errors what went wrong\nexit 3");
  EXPECT_EQ(failed.summary.outcome, RunOutcome::failed);
  EXPECT_EQ(failed.summary.cause, "exit code 3");
  EXPECT_THAT(failed.errors, HasSubstr("what went wrong"));
  EXPECT_EQ(failed.summary.spend, Spend{});
}

TEST_F(AgentRunTest, LinksAndTooManyFilesAreFaultsOfTheAgent) {
  run("link candidate/evil.h /etc/passwd");
  EXPECT_THAT(left().fault, HasSubstr("evil.h cannot be read: is it a link?"));
  EXPECT_TRUE(left().sources.empty());
  ASSERT_TRUE(os::remove_tree(folder_ / "candidate"));
  EXPECT_THAT(left().fault, HasSubstr("no file is left"));
  std::filesystem::create_directory_symlink("/etc", folder_ / "candidate");
  EXPECT_THAT(left().fault, HasSubstr("no file is left"));
}

TEST_F(AgentRunTest, AProgramThatIsNotThereIsTheRequests) {
  AgentProgram program;
  program.argv = {"/no/such/program"};
  const auto result = run_agent(program, folder_, record_path(), {}, std::nullopt);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "agent.not_found");
  EXPECT_EQ(result.error().owner, base::Owner::input);
}

}  // namespace
}  // namespace assay::agent
