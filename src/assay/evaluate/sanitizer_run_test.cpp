#include <assay/evaluate/sanitizer_run.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include <assay/device/call_memory.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/device.hpp>

namespace assay::evaluate {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kClean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
constexpr const char* kFound =
    "========= Invalid __global__ read of size 4 bytes\n=========     at decode+0x10\n========= ERROR SUMMARY: 3 "
    "errors\n";

SanitizedRun ended_with(int code, const std::string& text) {
  SanitizedRun run;
  run.ended = os::ExitStatus{false, code};
  run.text = text;
  return run;
}

Fault device_error() {
  Fault fault;
  fault.outcome = task::Outcome::crashed;
  fault.cause = "the driver reported an error";
  fault.findings.emplace_back().message = fault.cause;
  return fault;
}

TEST(ConcludeSanitized, TheExitCodeAloneSaysThatErrorsWereFound) {
  const auto found = conclude_sanitized(task::Sanitizer::memcheck, ended_with(kErrorsFound, kFound));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->outcome, task::Outcome::incorrect);
  EXPECT_EQ((*found)->findings.front().kind, "memcheck");
  EXPECT_EQ((*found)->cause,
            "compute-sanitizer's memcheck found: Invalid __global__ read of size 4 bytes at decode+0x10 (and 2 more)");
  // A candidate that prints a clean summary gains nothing, one that prints errors is not rejected for them.
  const auto hidden = conclude_sanitized(task::Sanitizer::racecheck, ended_with(kErrorsFound, kClean));
  ASSERT_TRUE(hidden && *hidden);
  EXPECT_EQ((*hidden)->findings.front().kind, "racecheck");
  const auto printed = conclude_sanitized(task::Sanitizer::memcheck, ended_with(0, kFound));
  ASSERT_TRUE(printed);
  EXPECT_FALSE(*printed);
}

TEST(ConcludeSanitized, NothingFoundNeedsASummary) {
  const auto clean = conclude_sanitized(task::Sanitizer::synccheck, ended_with(0, kClean));
  ASSERT_TRUE(clean);
  EXPECT_FALSE(*clean);
  const auto silent = conclude_sanitized(task::Sanitizer::synccheck, ended_with(0, "========= COMPUTE-SANITIZER\n"));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().owner, base::Owner::environment);
}

TEST(ConcludeSanitized, AToolThatFailsItselfIsTheMachinesFault) {
  const auto failed =
      conclude_sanitized(task::Sanitizer::memcheck, ended_with(1, "========= Error: No attachable process found\n"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().owner, base::Owner::environment);
  EXPECT_THAT(failed.error().text(), HasSubstr("No attachable process found"));
  SanitizedRun endless;
  endless.text = kClean;
  EXPECT_FALSE(conclude_sanitized(task::Sanitizer::memcheck, endless));
  SanitizedRun late = ended_with(0, kClean);
  late.in_time = false;
  EXPECT_FALSE(conclude_sanitized(task::Sanitizer::memcheck, late));
}

TEST(ConcludeSanitized, WhatTheProtocolSaidCountsWhereNoErrorsWereFound) {
  SanitizedRun crashed = ended_with(0, kClean);
  crashed.fault = device_error();
  const auto fault = conclude_sanitized(task::Sanitizer::initcheck, std::move(crashed));
  ASSERT_TRUE(fault && *fault);
  EXPECT_EQ((*fault)->outcome, task::Outcome::crashed);
  EXPECT_THAT((*fault)->cause, HasSubstr("under compute-sanitizer --tool initcheck"));
  SanitizedRun both = ended_with(kErrorsFound, kFound);
  both.fault = device_error();
  const auto found = conclude_sanitized(task::Sanitizer::memcheck, std::move(both));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->findings.front().kind, "memcheck") << "the tool knows better than the driver what happened";
}

TEST(WatchWith, TellsTheToolHowToEnd) {
  const worker::Watcher watcher = watch_with("/t/compute-sanitizer", task::Sanitizer::racecheck);
  EXPECT_EQ(watcher.program, "/t/compute-sanitizer");
  const auto code = std::find(watcher.arguments.begin(), watcher.arguments.end(), "--error-exitcode");
  ASSERT_NE(code, watcher.arguments.end());
  EXPECT_EQ(*(code + 1), "86");
  EXPECT_THAT(watcher.arguments, Contains("racecheck"));
}

TEST(FindComputeSanitizer, AnAbsentOneIsTheMachinesFault) {
  ::setenv("ASSAY_COMPUTE_SANITIZER", "/nowhere/compute-sanitizer", 1);
  const auto absent = find_compute_sanitizer();
  ::unsetenv("ASSAY_COMPUTE_SANITIZER");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().owner, base::Owner::environment);
  EXPECT_THAT(absent.error().text(), HasSubstr("ASSAY_COMPUTE_SANITIZER"));
}

TEST(FindComputeSanitizer, TheProgramIsTakenNotTheScriptThatStartsIt) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-toolkit-");
  ASSERT_TRUE(folder);
  const os::Path real = folder->path() / "compute-sanitizer" / "compute-sanitizer";
  const os::Path script = folder->path() / "bin" / "compute-sanitizer";
  for (const os::Path& path : {real, script}) {
    ASSERT_TRUE(os::create_directories(path.parent_path()));
    std::ofstream(path) << "#!/bin/sh\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  ::setenv("ASSAY_COMPUTE_SANITIZER", script.c_str(), 1);
  const auto found = find_compute_sanitizer();
  ::unsetenv("ASSAY_COMPUTE_SANITIZER");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(*found, std::filesystem::canonical(real));
}

// The whole way: tool, sandbox, socket, device. tests/scenario/sanitizers.py goes it with candidates.
TEST(GpuSanitizer, AWorkerRunsUnderItInTheSandbox) {
  if (!device::cuda::has_device()) {
    GTEST_SKIP() << "no CUDA device here: compute-sanitizer is not tried";
  }
  const auto program = find_compute_sanitizer();
  if (!program) {
    GTEST_SKIP() << program.error().text();
  }
  const auto device = device::open_device("cuda:0");
  ASSERT_TRUE(device) << device.error().text();
  worker::WorkerOptions options;
  options.program = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-worker";
  options.access = (*device)->worker_access();
  options.device_memory = worker::DeviceMemory::copied;
  options.watcher = watch_with(*program, task::Sanitizer::memcheck);
  options.start_limit = 90s;
  options.device_limit = 90s;
  auto client = worker::WorkerClient::start(options);
  ASSERT_TRUE(client) << client.error().text();
  const auto ended = client->finish(60s);
  ASSERT_TRUE(ended) << "it did not end";
  EXPECT_TRUE(ended->success()) << ended->text();
}

}  // namespace
}  // namespace assay::evaluate
