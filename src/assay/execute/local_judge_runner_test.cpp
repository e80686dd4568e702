#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/scope.hpp>
#include <assay/base/text.hpp>
#include <assay/execute/judge_runner.hpp>
#include <assay/os/file.hpp>

namespace assay::execute {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFinish =
    "mkdir \"$3.partial\" && cp \"$1\" \"$3.partial/request.json\" && echo '{}' > \"$3.partial/manifest.json\" && "
    "mv \"$3.partial\" \"$3\"\n";

// Each test writes the judge that it needs as a shell script: $1 is the request, $3 the bundle, $5 the cache.
class LocalJudgeRunnerTest : public testing::Test {
 protected:
  LocalJudgeRunnerTest() { request_.id = "e-1"; }

  base::Result<os::Path> run(const std::string& script) {
    EXPECT_TRUE(os::write_file_atomic(judge_, "#!/bin/sh\n" + script));
    EXPECT_EQ(::chmod(judge_.c_str(), 0755), 0);
    return run_again();
  }
  base::Result<os::Path> run_again() {
    LocalJudgeRunner runner({judge_, folder_.path() / "cache", limit_});
    return runner.run(request_, spool_, [this](const Progress& progress) { seen_.push_back(progress); });
  }
  std::vector<std::string> spool_entries() const { return os::list_directory(spool_).value(); }
  std::string read(const os::Path& path) const { return os::read_file(path).value_or("(unreadable)"); }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "runner-").value();
  os::Path judge_ = folder_.path() / "judge";
  os::Path spool_ = folder_.path() / "spool";
  std::optional<std::chrono::nanoseconds> limit_ = std::chrono::seconds(60);
  task::EvaluationRequest request_;
  std::vector<Progress> seen_;
};

TEST_F(LocalJudgeRunnerTest, ReturnsTheBundleAndLeavesNothingElse) {
  const auto bundle = run(std::string("echo noise; echo more noise >&2; echo '1 2 building' >&3\n") + kFinish);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(*bundle, spool_ / "e-1");
  EXPECT_THAT(spool_entries(), ElementsAre("e-1"));
  ASSERT_FALSE(seen_.empty());
  EXPECT_EQ(seen_.back().what, "building");
}

TEST_F(LocalJudgeRunnerTest, HandsOverTheRequestAndTheCommandLine) {
  const auto bundle = run("echo \"$2 $4 $6 $7 $#\" > \"$5/arguments\"\n" + std::string(kFinish));
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(read(folder_.path() / "cache" / "arguments"), "--bundle --cache --progress-fd 3 7\n");
  const auto json = base::parse_json(read(*bundle / "request.json"), "request.json");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["id"], "e-1");
}

TEST_F(LocalJudgeRunnerTest, ABundleThatIsThereShortCircuits) {
  ASSERT_TRUE(run(kFinish));
  ASSERT_TRUE(os::write_file_atomic(spool_ / "e-1.request.json", "left over"));
  ASSERT_TRUE(os::write_file_atomic(spool_ / "e-1.judge.log", "left over"));
  const auto again = run("echo ran > \"$5/ran\"; exit 1");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, spool_ / "e-1");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "cache" / "ran"));
  EXPECT_THAT(spool_entries(), ElementsAre("e-1"));
}

TEST_F(LocalJudgeRunnerTest, AFolderWithoutManifestIsNotTakenForABundle) {
  ASSERT_TRUE(os::create_directories(spool_ / "e-1"));
  const auto bundle = run(kFinish);
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.spool_taken");
  EXPECT_THAT(bundle.error().text(), HasSubstr((spool_ / "e-1").string()));
}

TEST_F(LocalJudgeRunnerTest, ADeadJudgeIsReportedWithItsLastLines) {
  const auto bundle = run("echo the first line; echo the disk of doom is full >&2; exit 3");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.died");
  EXPECT_EQ(bundle.error().owner, base::Owner::environment);
  EXPECT_THAT(bundle.error().text(), HasSubstr("exit code 3"));
  EXPECT_THAT(bundle.error().text(), HasSubstr("the disk of doom is full"));
  EXPECT_THAT(spool_entries(), ElementsAre("e-1.judge.log", "e-1.request.json"));
  EXPECT_EQ(read(spool_ / "e-1.judge.log"), "the first line\nthe disk of doom is full\n");
}

TEST_F(LocalJudgeRunnerTest, ADeadJudgeCanBeTriedAgain) {
  ASSERT_FALSE(run("exit 3"));
  const auto bundle = run(kFinish);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_THAT(spool_entries(), ElementsAre("e-1"));
}

TEST_F(LocalJudgeRunnerTest, AKilledJudgeIsReportedWithItsSignal) {
  const auto bundle = run("kill -KILL $$");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.died");
  EXPECT_THAT(bundle.error().text(), HasSubstr("signal 9"));
  EXPECT_THAT(bundle.error().text(), HasSubstr("(empty)"));
}

TEST_F(LocalJudgeRunnerTest, SuccessWithoutABundleIsNoSuccess) {
  const auto bundle = run("exit 0");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.died");
  EXPECT_THAT(bundle.error().text(), HasSubstr("exit code 0"));
}

TEST_F(LocalJudgeRunnerTest, ACompleteBundleCountsHoweverTheJudgeEnded) {
  const auto bundle = run(std::string(kFinish) + "kill -KILL $$");
  ASSERT_TRUE(bundle) << bundle.error().text();
}

TEST_F(LocalJudgeRunnerTest, AHangingJudgeIsStoppedWithItsDescendants) {
  limit_ = std::chrono::milliseconds(700);
  // The lock is held by the shell and by a descendant that ignores what it can.
  const os::Path lock = folder_.path() / "held";
  const auto bundle = run("exec 9> '" + lock.string() +
                          "'; flock 9; echo waiting for a GPU; (trap '' TERM HUP INT; setsid sleep 1000) & sleep 1000");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.timed_out");
  EXPECT_EQ(bundle.error().owner, base::Owner::environment);
  EXPECT_THAT(bundle.error().text(), HasSubstr("700"));
  EXPECT_THAT(bundle.error().text(), HasSubstr("waiting for a GPU"));
  ASSERT_TRUE(std::filesystem::exists(lock));
  EXPECT_TRUE(os::FileLock::try_acquire(lock));
}

TEST_F(LocalJudgeRunnerTest, WhatIsAllowedStopsAJudgeThatItsPlanWouldNot) {
  ASSERT_TRUE(os::write_file_atomic(judge_, "#!/bin/sh\nsleep 30\n"));
  ASSERT_EQ(::chmod(judge_.c_str(), 0755), 0);
  LocalJudgeRunner runner({judge_, folder_.path() / "cache", limit_});
  runner.allow(std::chrono::milliseconds(200));
  const auto bundle = runner.run(request_, spool_, {});
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.timed_out");
}

TEST_F(LocalJudgeRunnerTest, AFloodOfProgressAndOutputIsDrained) {
  const auto bundle = run(std::string("yes '1 2 flood' | head -n 300000 >&3\n"
                                      "yes 'a line of output that nobody reads' | head -n 100000\n"
                                      "echo '2 2 done' >&3\n") +
                          kFinish);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(seen_.back().what, "done");
  EXPECT_LT(seen_.size(), 30000U);
}

TEST_F(LocalJudgeRunnerTest, AFloodOfOutputLeavesABoundedLog) {
  ASSERT_FALSE(run("yes 'a line of output that nobody reads' | head -n 100000; echo the end; exit 1"));
  const std::string log = read(spool_ / "e-1.judge.log");
  EXPECT_LT(log.size(), (1U << 20U) + (16U << 10U));
  EXPECT_THAT(log, testing::EndsWith("the end\n"));
}

TEST_F(LocalJudgeRunnerTest, GarbageProgressIsIgnored) {
  const auto bundle =
      run(std::string("head -c 300000 /dev/urandom >&3; printf '\\n1 2 sane\\nnan inf what\\n' >&3\n") + kFinish);
  ASSERT_TRUE(bundle) << bundle.error().text();
  ASSERT_FALSE(seen_.empty());
  EXPECT_EQ(seen_.back().what, "sane");
}

TEST_F(LocalJudgeRunnerTest, AJudgeThatClosesItsPipesIsWaitedFor) {
  const auto bundle = run(std::string("exec 3>&- >/dev/null 2>&1; sleep 0.2\n") + kFinish);
  ASSERT_TRUE(bundle) << bundle.error().text();
}

TEST_F(LocalJudgeRunnerTest, NobodyNeedsToListen) {
  ASSERT_TRUE(os::write_file_atomic(judge_, std::string("#!/bin/sh\necho '1 2 x' >&3\n") + kFinish));
  ASSERT_EQ(::chmod(judge_.c_str(), 0755), 0);
  LocalJudgeRunner runner({judge_, folder_.path() / "cache", limit_});
  EXPECT_TRUE(runner.run(request_, spool_, nullptr));
}

TEST_F(LocalJudgeRunnerTest, OnlyTheNamedEnvironmentIsPassedOn) {
  ::setenv("ASSAY_TEST_SETTING", "a=b", 1);
  ::setenv("SECRET_TOKEN", "hush", 1);
  const base::Defer restore([] {
    ::unsetenv("ASSAY_TEST_SETTING");
    ::unsetenv("SECRET_TOKEN");
  });
  const auto bundle = run("/usr/bin/env > \"$5/environment\"\n" + std::string(kFinish));
  ASSERT_TRUE(bundle) << bundle.error().text();
  const auto lines = base::split(read(folder_.path() / "cache" / "environment"), '\n');
  EXPECT_THAT(lines, Contains("ASSAY_TEST_SETTING=a=b"));
  EXPECT_THAT(lines, Contains("LANG=C.UTF-8"));
  EXPECT_THAT(lines, Contains(testing::StartsWith("PATH=")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("SECRET_TOKEN"))));
  for (const std::string& line : lines) {
    // The last four are the shell's own.
    EXPECT_THAT(line.substr(0, line.find('=')),
                testing::AnyOf("", "PATH", "HOME", "TMPDIR", "LANG", testing::StartsWith("ASSAY_"), "PWD", "OLDPWD",
                               "SHLVL", "_"));
  }
}

TEST_F(LocalJudgeRunnerTest, AJudgeThatIsNotThereIsNamed) {
  const auto bundle = run_again();
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().owner, base::Owner::environment);
  EXPECT_THAT(bundle.error().text(), HasSubstr(judge_.string()));
}

TEST_F(LocalJudgeRunnerTest, AnIdThatIsNoFileNameIsRefused) {
  for (const std::string& id :
       {std::string(), std::string("../up"), std::string("A"), std::string("a.b"), std::string(81, 'a')}) {
    request_.id = id;
    const auto bundle = run(kFinish);
    ASSERT_FALSE(bundle) << id;
    EXPECT_EQ(bundle.error().owner, base::Owner::input) << id;
    EXPECT_THAT(bundle.error().text(), HasSubstr("/id")) << id;
  }
  EXPECT_FALSE(std::filesystem::exists(spool_));
}

}  // namespace
}  // namespace assay::execute
