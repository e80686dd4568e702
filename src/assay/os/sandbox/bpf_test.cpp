#include <assay/os/sandbox/bpf.hpp>

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cerrno>

namespace assay::os {
namespace {

std::uint32_t answer(const FilterBuilder& builder, std::int32_t number, const std::vector<std::uint64_t>& words = {}) {
  return run_filter(builder.build(), this_architecture(), number, words);
}

constexpr std::uint32_t failing(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

TEST(FilterBuilder, AnEmptyOneAllowsEverythingOfThisArchitecture) {
  const FilterBuilder builder;
  EXPECT_EQ(answer(builder, 0), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(builder, 462), SECCOMP_RET_ALLOW);
}

TEST(FilterBuilder, AnotherArchitectureIsKilled) {
  FilterBuilder builder;
  EXPECT_EQ(run_filter(builder.build(), AUDIT_ARCH_I386, 11, {}), SECCOMP_RET_KILL_PROCESS);
}

TEST(FilterBuilder, TheOtherAbiOfX86IsKilled) {
  if (this_architecture() != AUDIT_ARCH_X86_64) {
    GTEST_SKIP() << "only x86-64 has it";
  }
  EXPECT_EQ(answer(FilterBuilder(), 0x40000000 + 1), SECCOMP_RET_KILL_PROCESS);
  EXPECT_EQ(answer(FilterBuilder(), 0x3fffffff), SECCOMP_RET_ALLOW);
}

TEST(FilterBuilder, RefusesWithTheErrnoGiven) {
  FilterBuilder builder;
  builder.refuse(10, EPERM);
  builder.refuse(20, ENOSYS);
  EXPECT_EQ(answer(builder, 10), failing(EPERM));
  EXPECT_EQ(answer(builder, 20), failing(ENOSYS));
  EXPECT_EQ(answer(builder, 15), SECCOMP_RET_ALLOW);
}

TEST(FilterBuilder, LooksAtBitsOfAnArgument) {
  FilterBuilder builder;
  builder.refuse_if_bits(10, 2, 0x30, EACCES);
  builder.refuse(11, EPERM);
  EXPECT_EQ(answer(builder, 10, {0, 0, 0x10}), failing(EACCES));
  EXPECT_EQ(answer(builder, 10, {0, 0, 0x21}), failing(EACCES));
  EXPECT_EQ(answer(builder, 10, {0xff, 0xff, 0x0f}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(builder, 11, {0, 0, 0x0f}), failing(EPERM)) << "the rule after it must see the number again";
  EXPECT_EQ(answer(builder, 12, {0, 0, 0x10}), SECCOMP_RET_ALLOW);
}

TEST(FilterBuilder, LooksAtTheValueOfAnArgument) {
  FilterBuilder builder;
  builder.refuse_if_equal(10, 1, 5, EPERM);
  builder.refuse_unless(11, 0, 0, EPERM);
  EXPECT_EQ(answer(builder, 10, {0, 5}), failing(EPERM));
  EXPECT_EQ(answer(builder, 10, {5, 6}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(builder, 11, {0}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(builder, 11, {1}), failing(EPERM));
}

TEST(FilterBuilder, HighBitsOfAnArgumentDoNotHideTheLow) {
  FilterBuilder builder;
  builder.refuse_if_bits(10, 0, 0x10000000, EPERM);
  EXPECT_EQ(answer(builder, 10, {0xffffffff10000000U}), failing(EPERM));
}

TEST(FilterBuilder, AThousandRulesNeedNoFarJump) {
  FilterBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    builder.refuse(i, i % 100 + 1);
  }
  EXPECT_EQ(answer(builder, 999), failing(100));
  EXPECT_EQ(answer(builder, 1000), SECCOMP_RET_ALLOW);
  EXPECT_LE(builder.build().size(), std::size_t{BPF_MAXINSNS});
}

}  // namespace
}  // namespace assay::os
