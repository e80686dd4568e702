#include <assay/build/diagnostics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/os/file.hpp>

namespace assay::build {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What CUDA 13.0's programs and g++ 12.2 said, kept as it came.
Diagnostics captured(const std::string& name) {
  const auto text = os::read_file(os::Path(ASSAY_SOURCE_DIR) / "tests" / "data" / "compiler_logs" / (name + ".txt"));
  EXPECT_TRUE(text) << name;
  return parse_diagnostics(text ? *text : "");
}

TEST(Diagnostics, TheFrontEndNamesFileAndLine) {
  EXPECT_THAT(captured("syntax").messages,
              ElementsAre(Diagnostic{Severity::error, "syntax.cu", 2, 0, "identifier \"undefined_name\" is undefined"},
                          Diagnostic{Severity::error, "syntax.cu", 3, 0, "expected a \";\""}));
}

TEST(Diagnostics, AMissingHeaderHasAColumn) {
  EXPECT_THAT(captured("missing").messages, ElementsAre(Diagnostic{Severity::error, "missing.cu", 1, 10,
                                                                   "detail/missing.cuh: No such file or directory"}));
}

TEST(Diagnostics, AWarningKeepsItsNumberAndAnErrorWhereItCameFrom) {
  const Diagnostics found = captured("warn");
  ASSERT_EQ(found.messages.size(), 2U);
  EXPECT_EQ(found.messages[0], (Diagnostic{Severity::warning, "warn.cu", 1, 0,
                                           "#177-D: variable \"unused\" was declared but never referenced"}));
  EXPECT_EQ(found.messages[1].severity, Severity::error);
  EXPECT_EQ(found.messages[1].line, 2);
  EXPECT_EQ(found.messages[1].message,
            "static assertion failed with \"four bytes only\"; detected during instantiation of \"void bad(T *) [with "
            "T=double]\" at line 3");
}

TEST(Diagnostics, ThoseOfThePrograms) {
  const Diagnostics shared = captured("smem");
  ASSERT_EQ(shared.messages.size(), 1U);
  EXPECT_THAT(shared.messages[0].message, HasSubstr("uses too much shared data (0x445c0 bytes, 0x38c00 max)"));
  EXPECT_EQ(shared.kernels.at(0).shared_bytes, 280000);
  EXPECT_THAT(captured("extern").messages,
              ElementsAre(Diagnostic{Severity::error, "", 0, 0, "Unresolved extern function '_Z5otherf'"}));
  EXPECT_THAT(captured("nvcc").messages,
              ElementsAre(Diagnostic{Severity::error, "", 0, 0, "Unsupported gpu architecture 'compute_42'"}));
  const Diagnostics assembly = captured("inline");
  ASSERT_EQ(assembly.messages.size(), 3U);
  EXPECT_THAT(assembly.messages[0].file, HasSubstr("_inline.ptx"));
  EXPECT_EQ(assembly.messages[0].line, 27);
  EXPECT_EQ(assembly.messages[0].message, "Unknown modifier '.instr'");
}

TEST(Diagnostics, ThoseOfTheLinker) {
  const Diagnostics found = captured("link");
  ASSERT_EQ(found.messages.size(), 2U);
  EXPECT_THAT(found.messages[0].message, ::testing::StartsWith("multiple definition of `run'"));
  EXPECT_EQ(found.messages[1].message, "collect2: error: ld returned 1 exit status");
  EXPECT_EQ(found.kernels.size(), 1U);
}

TEST(Diagnostics, ThoseOfTheHostCompiler) {
  EXPECT_THAT(
      captured("host").messages,
      ElementsAre(Diagnostic{Severity::error, "host.cpp", 3, 10, "'undefined_name' was not declared in this scope"},
                  Diagnostic{Severity::warning, "host.cpp", 2, 7, "unused variable 'unused' [-Wunused-variable]"}));
}

TEST(Diagnostics, KernelsAreDescribed) {
  const Diagnostics found = captured("spill");
  EXPECT_THAT(found.messages, IsEmpty());
  ASSERT_EQ(found.kernels.size(), 3U);
  const task::KernelResources& heavy = found.kernels[1];
  EXPECT_EQ(heavy.symbol, "_ZN4deep5heavyILi96E13__nv_bfloat16NS_6LayoutEEEvPKT0_PS3_i");
  EXPECT_EQ(heavy.architecture, "sm_90a");
  EXPECT_EQ(heavy.registers, 64);
  EXPECT_EQ(heavy.stack_bytes, 1032);
  EXPECT_EQ(heavy.spill_store_bytes, 1464);
  EXPECT_EQ(heavy.spill_load_bytes, 1476);
  const task::KernelResources& plain = found.kernels[2];
  EXPECT_EQ(plain.symbol, "plain");
  EXPECT_EQ(plain.barriers, 1);
  EXPECT_EQ(plain.shared_bytes, 1024);
  EXPECT_EQ(plain.stack_bytes, 256) << "those of the function that it calls, or none";
}

TEST(Diagnostics, ConstantBanksAddUpAndAdviceIsANote) {
  const Diagnostics found = parse_diagnostics(
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Used 24 registers, 352 bytes cmem[0], 8 bytes cmem[2]\n"
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n");
  EXPECT_EQ(found.kernels.at(0).constant_bytes, 360);
  EXPECT_EQ(found.messages.at(0).severity, Severity::note);
  EXPECT_THAT(found.messages.at(0).message, HasSubstr("(C7510)"));
}

TEST(Diagnostics, WhatStandsInThePictureOfALineIsNoMessage) {
  EXPECT_THAT(parse_diagnostics("    // kernel.cu(3): error: planted\n      ^\n").messages, IsEmpty());
}

TEST(Diagnostics, NamesMayHoldParenthesesAndColons) {
  EXPECT_THAT(parse_diagnostics("a(1).cu(7): error: x\nb:2:c.cpp:9:1: fatal error: y\n").messages,
              ElementsAre(Diagnostic{Severity::error, "a(1).cu", 7, 0, "x"},
                          Diagnostic{Severity::error, "b:2:c.cpp", 9, 1, "y"}));
}

TEST(Diagnostics, NumbersThatDoNotFitAndHalfLinesAreLeftOut) {
  const Diagnostics found = parse_diagnostics(
      "ptxas info    : Used 7 registers\n"  // Of no kernel.
      "ptxas info    : Compiling entry function 'k\n"
      "ptxas info    : Compiling entry function '' for ''\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Used 99999999999999999999 registers, bytes smem, -5 barriers\n"
      "kernel.cu(99999999999): error: far\nkernel.cu(): error: x\nerror: \n: error: x\n");
  ASSERT_EQ(found.kernels.size(), 1U);
  EXPECT_EQ(found.kernels[0].registers, 0);
  EXPECT_EQ(found.kernels[0].shared_bytes, 0);
  for (const Diagnostic& message : found.messages) {
    EXPECT_EQ(message.line, 0) << message.message;
  }
}

TEST(Diagnostics, AFloodIsCutAndSaidToBe) {
  std::string log;
  for (std::size_t i = 0; i <= kMostMessages; ++i) {
    log += "k.cu(1): error: x\n";
  }
  const Diagnostics found = parse_diagnostics(log);
  EXPECT_EQ(found.messages.size(), kMostMessages);
  EXPECT_FALSE(found.complete);
  EXPECT_TRUE(captured("spill").complete);
}

}  // namespace
}  // namespace assay::build
