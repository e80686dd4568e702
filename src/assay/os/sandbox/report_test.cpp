#include <assay/os/sandbox/report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::os {
namespace {

using base::SandboxLevel;
using ::testing::HasSubstr;
using ::testing::Not;

SandboxReport with(MechanismSet applied) {
  SandboxReport report;
  report.applied = applied;
  report.reasons.fill("forbidden here");
  return report;
}

TEST(SandboxReport, TheLevelIsThatOfTheFirstGap) {
  EXPECT_EQ(with({}).level(), SandboxLevel::none);
  EXPECT_EQ(with(MechanismSet::all()).level(), SandboxLevel::full);
  EXPECT_EQ(with({Mechanism::limits, Mechanism::no_new_privileges}).level(), SandboxLevel::process);
  EXPECT_EQ(with(MechanismSet::all().without({Mechanism::cgroup})).level(), SandboxLevel::confined);
  EXPECT_EQ(with(MechanismSet::all().without({Mechanism::landlock})).level(), SandboxLevel::confined);
  EXPECT_EQ(with(MechanismSet::all().without({Mechanism::seccomp})).level(), SandboxLevel::namespaces);
  EXPECT_EQ(with(MechanismSet::all().without({Mechanism::private_root})).level(), SandboxLevel::process);
  EXPECT_EQ(with(MechanismSet::all().without({Mechanism::limits})).level(), SandboxLevel::none);
}

TEST(SandboxReport, WhatNoLevelNeedsDoesNotLowerIt) {
  const MechanismSet extra = {Mechanism::user_namespace, Mechanism::uts_namespace, Mechanism::cgroup_namespace,
                              Mechanism::private_proc, Mechanism::process_limit};
  EXPECT_EQ(with(MechanismSet::all().without(extra)).level(), SandboxLevel::full);
}

TEST(SandboxReport, EveryMechanismHasALine) {
  const auto lines = with({Mechanism::seccomp}).lines();
  ASSERT_EQ(lines.size(), kMechanismCount);
  EXPECT_EQ(lines.front(), std::pair(std::string("cgroup"), std::string("absent: forbidden here")));
  EXPECT_EQ(lines.back(), std::pair(std::string("seccomp"), std::string("applied")));
}

TEST(SandboxLevelNames, AreThoseThatArePersisted) {
  EXPECT_THAT(base::kSandboxLevels, ::testing::ElementsAre("none", "process", "namespaces", "confined", "full"));
  for (const std::string_view name : base::kSandboxLevels) {
    EXPECT_EQ(base::to_string(*base::parse_sandbox_level(name)), name);
  }
  EXPECT_FALSE(base::parse_sandbox_level("strong"));
}

TEST(RequireSandbox, EnoughIsEnough) {
  EXPECT_TRUE(require_sandbox(with({}), SandboxLevel::none));
  EXPECT_TRUE(require_sandbox(with(MechanismSet::all()), SandboxLevel::full));
}

TEST(RequireSandbox, TheRefusalSaysWhatIsMissingAndTheRemedy) {
  const auto refused = require_sandbox(with(MechanismSet::all().without({Mechanism::cgroup, Mechanism::uts_namespace})),
                                       SandboxLevel::full);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::environment);
  EXPECT_EQ(base::exit_code(refused.error().owner), 3);
  EXPECT_EQ(refused.error().code, "sandbox.level");
  EXPECT_THAT(refused.error().message, HasSubstr("demands the sandbox level 'full' and this machine gives 'confined'"));
  EXPECT_THAT(refused.error().message, HasSubstr("cgroup (forbidden here)"));
  EXPECT_THAT(refused.error().message, HasSubstr("Delegate=yes"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("uts_namespace"))) << "no level needs it";
}

}  // namespace
}  // namespace assay::os
