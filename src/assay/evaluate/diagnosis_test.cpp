#include <assay/evaluate/diagnosis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/base/text.hpp>

#include <csignal>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;

verify::Layout layout() {
  verify::Layout l;
  l.inputs = {verify::Place{"state", tensor::DType::float32, {2, 4}, 4096, 32}, std::nullopt};
  l.outputs = {{"output", tensor::DType::bfloat16, {8}, 4096, 16}};
  l.inputs_size = 12288;
  l.outputs_size = 12288;
  return l;
}

worker::Failure fault(worker::Memory memory, std::int64_t offset, bool write) {
  worker::Failure failure;
  failure.kind = worker::Failure::Kind::fault;
  failure.text = "signal 11 (SIGSEGV)";
  failure.fault = worker::Fault{SIGSEGV, memory, offset, write, 0x1234};
  return failure;
}

Fault diagnosed(const worker::Failure& failure) {
  const verify::Layout l = layout();
  return diagnose(failure, task::Side::candidate, Activity::call, &l, 3);
}

TEST(EntryFailure, IsWhatWasRaisedOrReturned) {
  worker::CallReply reply;
  reply.return_code = 3;
  EXPECT_EQ(entry_failure(reply).kind, "returned");
  EXPECT_EQ(entry_failure(reply).message, "its entry point returned 3 (0 is success)");
  reply.text = "ValueError: \x1b[2Jno";
  EXPECT_EQ(entry_failure(reply).kind, "raised");
  EXPECT_EQ(entry_failure(reply).message.find('\x1b'), std::string::npos);
  EXPECT_NE(entry_failure(reply).message.find("ValueError"), std::string::npos);
}

TEST(Diagnose, WritingToAnInputIsIncorrectWithTheElement) {
  const Fault result = diagnosed(fault(worker::Memory::inputs, 4096 + 20, true));
  EXPECT_EQ(result.outcome, task::Outcome::incorrect);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, "input_written");
  EXPECT_THAT(*result.findings[0].index, ::testing::ElementsAre(1, 1));
  EXPECT_EQ(result.findings[0].workload, 3);
  EXPECT_THAT(result.cause, HasSubstr("state[1, 1]"));
}

TEST(Diagnose, FarOutsideAnOutputIsIncorrectToo) {
  const Fault result = diagnosed(fault(worker::Memory::outputs, 20000, true));
  EXPECT_EQ(result.outcome, task::Outcome::incorrect);
  EXPECT_EQ(result.findings[0].kind, "out_of_bounds");
  EXPECT_THAT(result.cause, HasSubstr("past the end of output"));
}

TEST(Diagnose, ReadingOutsideAnInputIsOutOfBounds) {
  const Fault result = diagnosed(fault(worker::Memory::inputs, -100, false));
  EXPECT_EQ(result.findings[0].kind, "out_of_bounds");
  EXPECT_THAT(result.cause, HasSubstr("accessed"));
}

TEST(Diagnose, AFaultElsewhereIsACrash) {
  const Fault result = diagnosed(fault(worker::Memory::none, 0, true));
  EXPECT_EQ(result.outcome, task::Outcome::crashed);
  EXPECT_EQ(result.findings[0].kind, "signal");
  EXPECT_THAT(result.cause, HasSubstr("during a call"));
}

TEST(Diagnose, TellsWhatUsuallyLiesBehindASignal) {
  const auto cause_of = [](std::uint32_t signal, std::uint64_t address) {
    worker::Failure failure = fault(worker::Memory::none, 0, false);
    failure.fault->signal = signal;
    failure.fault->address = address;
    return diagnosed(failure).cause;
  };
  EXPECT_THAT(cause_of(SIGABRT, 0), HasSubstr("exception that left the entry point"));
  EXPECT_THAT(cause_of(SIGFPE, 0), HasSubstr("division by zero"));
  EXPECT_THAT(cause_of(SIGILL, 0), HasSubstr("instruction"));
  EXPECT_THAT(cause_of(SIGSEGV, 8), HasSubstr("null pointer"));
  EXPECT_THAT(cause_of(SIGSEGV, 0x7ffc346e2ed0), HasSubstr("a stack that is full"));
}

TEST(Diagnose, EveryFailureTellsItsAuthorWhatToDo) {
  using Kind = worker::Failure::Kind;
  const auto cause_of = [](Kind kind) {
    return diagnose({kind, "text", {}, {}}, task::Side::candidate, Activity::call, nullptr, {}).cause;
  };
  EXPECT_THAT(cause_of(Kind::died), HasSubstr("return from the entry point"));
  EXPECT_THAT(diagnose({Kind::died, "text", {}, {}}, task::Side::candidate, Activity::load, nullptr, {}).cause,
              HasSubstr("(static initialisers run then): none of them may end the process"));
  EXPECT_THAT(cause_of(Kind::timed_out), HasSubstr("the policy sets this limit"));
  EXPECT_THAT(cause_of(Kind::protocol_violation), HasSubstr("standard output or error only"));
  EXPECT_THAT(cause_of(Kind::killed_from_outside), HasSubstr("out of memory"));
}

TEST(Diagnose, EveryOtherFailureHasItsOutcome) {
  using Kind = worker::Failure::Kind;
  const std::vector<std::pair<Kind, task::Outcome>> expected = {
      {Kind::died, task::Outcome::crashed},
      {Kind::killed_from_outside, task::Outcome::crashed},
      {Kind::timed_out, task::Outcome::timed_out},
      {Kind::protocol_violation, task::Outcome::protocol_violation}};
  for (const auto& [kind, outcome] : expected) {
    const Fault result = diagnose({kind, "text", {}, {}}, task::Side::incumbent, Activity::load, nullptr, {});
    EXPECT_EQ(result.outcome, outcome);
    EXPECT_EQ(result.side, task::Side::incumbent);
    EXPECT_EQ(result.findings[0].side, task::Side::incumbent);
    EXPECT_THAT(result.cause, HasSubstr("loaded"));
  }
}

TEST(CompilerFindings, AreTheFirstErrors) {
  const std::string log =
      "In file included from x\nkernel.cpp:3:1: warning: w\nkernel.cpp:4:2: error: first\n"
      "kernel.cpp:5:2: note: n\nkernel.cpp:6:2: error: second\nld: undefined reference to `f'\n";
  const auto findings = compiler_findings(log, task::Side::candidate);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].message, "kernel.cpp:4:2: error: first");
  EXPECT_EQ(findings[0].kind, "compiler");
  EXPECT_THAT(findings[2].message, HasSubstr("undefined reference"));
}

TEST(CompilerFindings, AnAssemblersErrorIsTheFindingNotItsTitle) {
  const auto findings = compiler_findings(
      "kernel.cpp: Assembler messages:\nkernel.cpp:9: Error: no such instruction: `foo %rax'\n", task::Side::candidate);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].message, "kernel.cpp:9: Error: no such instruction: `foo %rax'");
}

TEST(CompilerFindings, ThoseOfCudasProgramsAreFound) {
  const auto findings =
      compiler_findings("ptxas info    : 0 bytes gmem\nptxas error   : Entry function 'k' uses too much shared data\n",
                        task::Side::candidate);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].message, "Entry function 'k' uses too much shared data");
  const auto front_end = compiler_findings("k.cu(3): warning #1: w\nk.cu(4): error: e\n", task::Side::candidate);
  ASSERT_EQ(front_end.size(), 1U);
  EXPECT_EQ(front_end[0].message, "k.cu(4): error: e");
}

TEST(CompilerFindings, WhatTheLimitsOfABuildDidHasARemedy) {
  const auto too_large = compiler_findings(
      "g++: internal compiler error: File size limit exceeded signal terminated program as\n", task::Side::candidate);
  ASSERT_EQ(too_large.size(), 1U);
  EXPECT_THAT(too_large[0].message, HasSubstr("larger than it may; make large tables at run time"));
  for (const char* line : {"k.cpp:2:10: fatal error: cuda_fp16.h: No such file or directory\n",
                           "/tmp/cc5.s:6: Error: file not found: /etc/shadow\n"}) {
    const auto unseen = compiler_findings(line, task::Side::candidate);
    ASSERT_EQ(unseen.size(), 1U);
    EXPECT_THAT(unseen[0].message, HasSubstr("no other file of this machine")) << line;
  }
}

TEST(RefusedObject, IsNotCalledByADescriptorAndASymbolThatIsMissingHasARemedy) {
  const std::string text = describe_refused_object("/proc/self/fd/4: undefined symbol: cblas_sgemv");
  EXPECT_THAT(text, HasSubstr("the object: undefined symbol: cblas_sgemv: a candidate is loaded with"));
  EXPECT_EQ(describe_refused_object("/proc/self/fd/4: file too short"),
            "the loader refused the object: file too short");
  EXPECT_EQ(describe_refused_object("odd\x1b"), "the loader refused the object: " + base::printable("odd\x1b"));
}

TEST(CompilerFindings, AreAtMostFiveAndNeverNothingIfThereIsALog) {
  std::string log;
  for (int i = 0; i < 50; ++i) {
    log += "k.cpp:1:1: error: e\n";
  }
  EXPECT_EQ(compiler_findings(log, task::Side::candidate).size(), 5U);
  const auto odd = compiler_findings("\n  cc1plus: out of memory\nmore\n", task::Side::candidate);
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0].message, "cc1plus: out of memory");
  EXPECT_TRUE(compiler_findings("", task::Side::candidate).empty());
}

TEST(CaptureFailure, SaysWhatToDo) {
  const std::string text = describe_capture_failure(901);
  EXPECT_THAT(text, ::testing::HasSubstr("901"));
  EXPECT_THAT(text, ::testing::HasSubstr("assay_stream(call)"));
  EXPECT_THAT(text, ::testing::HasSubstr("time by events"));
}

}  // namespace
}  // namespace assay::evaluate
