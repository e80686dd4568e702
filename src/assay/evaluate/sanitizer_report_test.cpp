// The texts have the forms that the tool's manual documents (CUDA 11.6 to 13), put together here; none was captured on
// the project's own machine yet.
#include <assay/evaluate/sanitizer_report.hpp>

#include <gtest/gtest.h>

namespace assay::evaluate {
namespace {

TEST(SanitizerReport, ReadsAnAccessOutOfBounds) {
  const SanitizerReport report = parse_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at decode(Arguments)+0x1b0 in kernel.cu:41\n"
      "=========     by thread (127,0,0) in block (7,0,0)\n"
      "=========     Address 0x7f6510c80000 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 524288 bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "=========         Host Frame: main [0x1754] in worker\n"
      "========= \n"
      "========= Target application returned an error\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.error_count, 1);
  const SanitizerError& error = report.errors[0];
  EXPECT_EQ(error.what, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(error.kernel, "decode(Arguments)+0x1b0 in kernel.cu:41");
  EXPECT_EQ(error.thread, "(127,0,0)");
  EXPECT_EQ(error.block, "(7,0,0)");
  EXPECT_EQ(describe(error),
            "Invalid __global__ read of size 4 bytes at decode(Arguments)+0x1b0 in kernel.cu:41 by thread (127,0,0) in "
            "block (7,0,0): Address 0x7f6510c80000 is out of bounds and is 1 bytes after the nearest allocation at "
            "0x7f6510c00000 of size 524288 bytes");
}

TEST(SanitizerReport, ReadsTheOlderOrderAndTheNewerWord) {
  const SanitizerReport report = parse_sanitizer_report(
      "========= Invalid __shared__ write of size 8 bytes\n"
      "=========     at 0x150 in kernel.cu:120:product(float*)\n"
      "=========     by thread (3,0,0) in block (0,0,0)\n"
      "=========     Access to 0x1296000100 is out of bounds\n"
      "========= ERROR SUMMARY: 12 errors\n"
      "========= ERROR SUMMARY: 4 errors were not printed. Use --print-limit option to adjust the number\n");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].kernel, "0x150 in kernel.cu:120:product(float*)");
  EXPECT_EQ(report.errors[0].address, "Access to 0x1296000100 is out of bounds");
  EXPECT_EQ(report.error_count, 12);
}

TEST(SanitizerReport, ReadsARace) {
  const SanitizerReport report = parse_sanitizer_report(
      "========= Error: Race reported between Write access at decode(Arguments)+0x90 in kernel.cu:13\n"
      "=========     and Read access at decode(Arguments)+0xa0 in kernel.cu:14 [2048 hazards]\n"
      "=========     and Write access at decode(Arguments)+0x90 in kernel.cu:13 [512 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.error_count, 1);
  EXPECT_EQ(describe(report.errors[0]),
            "Race reported between Write access at decode(Arguments)+0x90 in kernel.cu:13 and Read access at "
            "decode(Arguments)+0xa0 in kernel.cu:14 [2048 hazards]");
}

TEST(SanitizerReport, ReadsAReadOfWhatNobodyWroteAndABarrier) {
  const SanitizerReport initcheck = parse_sanitizer_report(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at decode(Arguments)+0x70\n"
      "=========     by thread (31,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f3c7ec000fc\n");
  ASSERT_EQ(initcheck.errors.size(), 1U);
  EXPECT_EQ(initcheck.errors[0].address, "Address 0x7f3c7ec000fc");
  EXPECT_FALSE(initcheck.error_count) << "it printed no summary: it may have been cut short";
  const SanitizerReport synccheck = parse_sanitizer_report(
      "========= Barrier error detected. Divergent thread(s) in block.\n"
      "=========     at decode(Arguments)+0xb0 in kernel.cu:20\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "========= ERROR SUMMARY: 128 errors\n");
  ASSERT_EQ(synccheck.errors.size(), 1U);
  EXPECT_EQ(synccheck.errors[0].what, "Barrier error detected. Divergent thread(s) in block.");
  EXPECT_EQ(synccheck.error_count, 128);
}

TEST(SanitizerReport, ACleanRunHasASummaryAndNoErrors) {
  for (const char* text : {"========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n",
                           "========= COMPUTE-SANITIZER\n"
                           "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"}) {
    const SanitizerReport report = parse_sanitizer_report(text);
    EXPECT_TRUE(report.errors.empty()) << text;
    EXPECT_EQ(report.error_count, 0) << text;
  }
}

TEST(SanitizerReport, WhatACandidatePrintsBetweenIsLeftOut) {
  const SanitizerReport report = parse_sanitizer_report(
      "I print ========= ERROR SUMMARY: 0 errors\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "an indented line of mine\n"
      "=========     at decode+0x10\n");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].kernel, "decode+0x10");
  EXPECT_FALSE(report.error_count);
}

TEST(SanitizerReport, NonsenseIsBounded) {
  EXPECT_TRUE(parse_sanitizer_report("").errors.empty());
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "========= Invalid __global__ read of size 4 bytes\n=========     at " + std::string(10000, 'x') + "\n";
  }
  const SanitizerReport report = parse_sanitizer_report(many);
  EXPECT_LE(report.errors.size(), 8U);
  EXPECT_LE(report.errors[0].kernel.size(), 300U);
  EXPECT_FALSE(parse_sanitizer_report("========= ERROR SUMMARY: many\n").error_count);
  EXPECT_FALSE(parse_sanitizer_report("========= RACECHECK SUMMARY: 1 hazard\n").error_count);
  EXPECT_FALSE(parse_sanitizer_report("========= ERROR SUMMARY: 99999999999999999999 errors\n").error_count);
}

TEST(SanitizerReport, ItsLastWordsAreTheToolsOwn) {
  EXPECT_EQ(last_words_of_sanitizer("mine\n"), "it said nothing");
  EXPECT_EQ(
      last_words_of_sanitizer("========= COMPUTE-SANITIZER\nmine\n========= Error: No attachable process found\n"),
      "it said: COMPUTE-SANITIZER; Error: No attachable process found");
}

}  // namespace
}  // namespace assay::evaluate
