#include <assay/foreign/failure.hpp>

#include <gtest/gtest.h>

#include <assay/foreign/archive_testing.hpp>

namespace assay::foreign {
namespace {

Failure of(RecordedKind kind, const std::string& message) { return failure_of(failed("t", 1, "a", kind, message)); }

TEST(Failure, ASuccessIsNone) { EXPECT_EQ(failure_of(stored_success("t", 1, "a", 1)), Failure::none); }

TEST(Failure, AModuleWithoutTheSymbolIsNoCompileError) {
  EXPECT_EQ(of(RecordedKind::compile_error, "kernel.cu(3): error: identifier \"x\" is undefined"), Failure::compile);
  EXPECT_EQ(of(RecordedKind::compile_error, "BuildError: Exported symbol 'run' not found in built extension"),
            Failure::interface_mismatch);
  EXPECT_EQ(of(RecordedKind::compile_error, "dynamic module does not define module export function (PyInit_k)"),
            Failure::interface_mismatch);
}

TEST(Failure, WhatIsCompiledAtTheFirstCallFailsToCompileAtRunTime) {
  EXPECT_EQ(of(RecordedKind::runtime_error, "triton.compiler.errors.CompilationError: at 3:1"), Failure::compile);
  EXPECT_EQ(of(RecordedKind::runtime_error, "CUDA error: misaligned address"), Failure::runtime);
}

TEST(Failure, TheServiceMaySayThatTheAccountIsSpent) {
  EXPECT_EQ(of(RecordedKind::shard_failed, "Shard 3 failed: workspace billing cycle spend limit reached"),
            Failure::infrastructure_quota);
  EXPECT_EQ(of(RecordedKind::shard_failed, "Shard 3 failed: Deadline exceeded"), Failure::infrastructure_no_result);
  EXPECT_EQ(of(RecordedKind::no_results, "No evaluation results"), Failure::infrastructure_no_result);
}

TEST(Failure, ACandidateCannotPleadAQuota) {
  EXPECT_EQ(of(RecordedKind::runtime_error, "RuntimeError: workspace billing cycle spend limit reached"),
            Failure::runtime);
  EXPECT_EQ(of(RecordedKind::compile_error, "static_assert failed: spend limit"), Failure::compile);
  EXPECT_EQ(of(RecordedKind::incorrect_numerical, "quota exceeded"), Failure::incorrect);
}

TEST(Failure, EveryKindHasAnOwner) {
  for (const Failure failure : kFailures) {
    EXPECT_EQ(owner(failure) == FailureOwner::infrastructure, !judges_candidate(failure)) << to_string(failure);
  }
  EXPECT_EQ(owner(Failure::timeout), FailureOwner::candidate);
  EXPECT_EQ(owner(Failure::interface_mismatch), FailureOwner::interface);
  EXPECT_EQ(of(RecordedKind::framework_timeout, ""), Failure::timeout);
  EXPECT_EQ(of(RecordedKind::incorrect_shape, ""), Failure::incorrect);
}

}  // namespace
}  // namespace assay::foreign
