#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/build/flags.hpp>

namespace assay::build {
namespace {

using ::testing::HasSubstr;

class CudaAllowed : public ::testing::TestWithParam<const char*> {};
TEST_P(CudaAllowed, Passes) { EXPECT_EQ(cuda_flag_fault(GetParam()), std::nullopt); }
INSTANTIATE_TEST_SUITE_P(Flags, CudaAllowed,
                         ::testing::Values("-O0", "-O3", "-std=c++17", "-std=c++20", "-DN=4", "-DTILE", "-DN=-1",
                                           "-UNDEBUG", "-Iinclude", "-I.", "-maxrregcount=128", "--maxrregcount=64",
                                           "--use_fast_math", "-use_fast_math", "-lineinfo", "--generate-line-info",
                                           "--extra-device-vectorization", "--expt-relaxed-constexpr", "-fmad=false",
                                           "-ftz=true", "-Xptxas=-v", "-Xptxas=-O2", "-Xptxas=-dlcm=cg",
                                           "-Xptxas=--allow-expensive-optimizations=true"));

class CudaRefused : public ::testing::TestWithParam<const char*> {};
TEST_P(CudaRefused, IsRefusedWithAReason) {
  const auto fault = cuda_flag_fault(GetParam());
  ASSERT_TRUE(fault);
  EXPECT_GT(fault->size(), 20U);
}
INSTANTIATE_TEST_SUITE_P(RunsOrLoads, CudaRefused,
                         ::testing::Values("-Xcompiler", "-Xcompiler=-fplugin=x.so", "-Xcompiler=-O2",
                                           "--compiler-options=-fplugin=x.so", "-ccbin", "-ccbin=/x",
                                           "--compiler-bindir=/x", "-Xlinker", "-Xlinker=-rpath", "--linker-options=x",
                                           "-Xarchive=x", "-Xcudafe=--x", "-Xnvlink=x", "-Xptxas", "-Xptxas=-v,-o,x",
                                           "-Xptxas=--output-file=x", "-Xptxas=-astoolspatch", "-Xfatbin=x", "-ldir=/x",
                                           "-L/x", "-lcrypto", "-Llib", "--library=x", "-target-dir=x", "-aug-hls",
                                           "--run", "-run", "-prec-div", "--nvvm-path=x", "--libdevice-directory=x",
                                           "-dryrun", "--use-local-env", "-odir=x", "-objtemp", "-t=64", "--threads=64",
                                           "--split-compile=0"));
INSTANTIATE_TEST_SUITE_P(ReadsOrWrites, CudaRefused,
                         ::testing::Values("", "kernel.cu", "@file", "-optf", "--options-file", "-optf=x",
                                           "--options-file=x", "-include", "-include=/etc/passwd", "--pre-include=/x",
                                           "-isystem", "-isystem=/x", "--system-include=/x", "-I", "-I/etc", "-I../up",
                                           "-Ia/../../up", "-Ia,/etc", "--include-path=/etc", "--keep", "-keep",
                                           "--keep-dir=x", "-save-temps", "-o", "-o=x", "--output-file=x", "-MD",
                                           "-MF=x", "-E", "-ptx", "-cubin", "-fatbin", "-x", "-x=c", "--x=cu", "-dlink",
                                           "--time=x", "-res-usage-x", "-prof"));
INSTANTIATE_TEST_SUITE_P(Oddities, CudaRefused,
                         ::testing::Values("-D", "-D=1", "-D1X", "-DA,-B", "-DA=$(id)", "-DA=`id`", "-DA=x;id",
                                           "-DA=\"x\"", "-DA='x'", "-DA=a b", "-DA=\\x", "-DA\n=1", "-U", "-UA-B",
                                           "-O4", "-O", "-Ofast", "-std=c++26", "-std=", "-maxrregcount",
                                           "-maxrregcount=", "-maxrregcount=x", "-maxrregcount=1000",
                                           "-maxrregcount=-1", "-gencode=arch=compute_80,code=sm_80", "-arch=sm_80",
                                           "--gpu-architecture=sm_80", "-use_fast_mathx", "---use_fast_math", "-", "--",
                                           "-DA=\xff"));

TEST(CudaCheckFlags, GoesByTheLanguage) {
  EXPECT_TRUE(check_flags({"--use_fast_math"}, task::Language::cuda));
  EXPECT_FALSE(check_flags({"--use_fast_math"}, task::Language::cpp));
  const auto result = check_flags({"-O3", "-Xcompiler=-fplugin=x.so"}, task::Language::cuda);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_THAT(result.error().message, HasSubstr("'-Xcompiler=-fplugin=x.so' hands a flag to the host compiler"));
}

TEST(CudaCheckFlags, AnArchitectureIsTheDevicesToName) {
  EXPECT_THAT(*cuda_flag_fault("-arch=sm_80"), HasSubstr("the device"));
}

}  // namespace
}  // namespace assay::build
