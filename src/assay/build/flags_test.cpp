#include <assay/build/flags.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/build/toolchain.hpp>

namespace assay::build {
namespace {

using ::testing::HasSubstr;

class Allowed : public ::testing::TestWithParam<const char*> {};
TEST_P(Allowed, Passes) { EXPECT_EQ(flag_fault(GetParam()), std::nullopt) << *flag_fault(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Flags, Allowed,
                         ::testing::Values("-O", "-O3", "-Ofast", "-march=native", "-mtune=znver4", "-mavx512f",
                                           "-mfma", "-mprefer-vector-width=512", "-ffast-math", "-fno-math-errno",
                                           "-funroll-loops", "-fvisibility=hidden", "-std=c++20", "-DN=4", "-DTILE",
                                           "-UNDEBUG", "-Iinclude", "-Isrc/deep", "-I.", "-Wall", "-Wno-unused",
                                           "-Wframe-larger-than=4096", "-fPIC", "-shared", "-pthread", "-fopenmp",
                                           "-g0"));

class Refused : public ::testing::TestWithParam<const char*> {};
TEST_P(Refused, IsRefusedWithAReason) {
  const auto fault = flag_fault(GetParam());
  ASSERT_TRUE(fault);
  EXPECT_GT(fault->size(), 20U);
}
INSTANTIATE_TEST_SUITE_P(
    Flags, Refused,
    ::testing::Values("", "kernel.cpp", "@flags", "-fplugin=x.so", "-fplugin-arg-x-y=z", "-B.", "-B", "-wrapper",
                      "-specs=x", "--specs=x", "-Wl,-rpath,/x", "-Wp,-include,/x", "-Wa,-I/x", "-include", "-imacros",
                      "-isystem", "-idirafter", "-I/etc", "-I../up", "-Ia/../../up", "-I", "-L/x", "-lcrypto", "-o",
                      "-x", "-E", "-S", "-M", "-MF", "-Xlinker", "-Xassembler", "-T", "-save-temps", "-pipe",
                      "-fuse-ld=./ld", "-fprofile-use=/etc/passwd", "-fprofile-generate", "-fno-lto", "-flto=4",
                      "-fdump-tree-all", "-fsanitize=address", "-fdebug-prefix-map=a=b", "-fopt-info-vec=out",
                      "--sysroot=/x", "-static", "-nostdlib", "-D", "-std=", "-f", "-m", "-fx/y", "-wrapper,sh"));

TEST(CheckFlags, NamesTheFlagAndTheRemedy) {
  const auto result = check_flags({"-O2", "-B/evil"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_EQ(result.error().code, "build.flag");
  EXPECT_THAT(result.error().message, HasSubstr("'-B/evil' is not among the flags that a candidate may use"));
}

TEST(CheckFlags, ThoseOfEveryBuildPass) { EXPECT_TRUE(check_flags(host_flags())); }

TEST(SourceArgument, OneThatLooksLikeAnOptionIsRefused) {
  EXPECT_TRUE(source_argument_fault("-fplugin=x.cpp"));
  EXPECT_TRUE(source_argument_fault("@response.cpp"));
  EXPECT_FALSE(source_argument_fault("dir/-odd.cpp"));
}

}  // namespace
}  // namespace assay::build
