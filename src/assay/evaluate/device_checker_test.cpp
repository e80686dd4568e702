// The GPU's way to look at a call against the CPU's, on the same device memory: they say the same of right outputs and of
// each planted defect, and the CPU is asked for the defects alone.
#include <assay/evaluate/device_checker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/device/cuda/driver.hpp>
#include <assay/evaluate/checker_trial_for_test.hpp>
#include <assay/evaluate/host_checker.hpp>
#include <assay/operators/cuda/device_check.hpp>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;

class GpuDeviceChecker : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: the judge's checks on one are not held against the CPU's";
    }
    device_ = CheckerTrial::must(device::open_device("cuda:0"));
  }

  /// Both checkers on one trial: the same defect, the same words.
  struct Both {
    HostChecker host;
    std::unique_ptr<CallChecker> device;
  };
  Both checkers(const operators::Operator& op) const {
    Both both{HostChecker(op), CheckerTrial::must(make_device_checker(*device_, op))};
    EXPECT_NE(both.device, nullptr) << op.definition_name();
    return both;
  }

  static void expect_same(const std::optional<task::Finding>& got, const std::optional<task::Finding>& wanted,
                          const std::string& what) {
    ASSERT_EQ(got.has_value(), wanted.has_value()) << what;
    if (got) {
      EXPECT_EQ(got->kind, wanted->kind) << what;
      EXPECT_EQ(got->message, wanted->message) << what;
      EXPECT_EQ(got->tensor, wanted->tensor) << what;
      EXPECT_EQ(got->index, wanted->index) << what;
      EXPECT_EQ(got->picture, wanted->picture) << what;
    }
  }

  /// Returns what the CPU said.
  static Seen expect_same(CheckerTrial& trial, Both& both, const Spoil& spoil, const std::string& what,
                          const OutputPreparation& how = {}) {
    const Seen wanted = trial.look(both.host, spoil, leave, how);
    const Seen got = trial.look(*both.device, spoil, leave, how);
    expect_same(got.guard, wanted.guard, what);
    EXPECT_EQ(got.findings.size(), wanted.findings.size()) << what;
    for (std::size_t i = 0; i < std::min(got.findings.size(), wanted.findings.size()); ++i) {
      expect_same(got.findings[i], wanted.findings[i], what);
    }
    EXPECT_EQ(got.digest, wanted.digest) << what;
    EXPECT_EQ(got.late, wanted.late) << what;
    EXPECT_FALSE(got.inputs_changed) << what;
    EXPECT_EQ(got.errors.has_value(), wanted.errors.has_value()) << what;
    if (got.errors && wanted.errors && std::isfinite(wanted.errors->absolute)) {
      EXPECT_NEAR(got.errors->absolute, wanted.errors->absolute, 1e-4 * wanted.errors->absolute + 1e-12) << what;
    }
    return wanted;
  }

  std::unique_ptr<device::Device> device_;
};

TEST_F(GpuDeviceChecker, IsThereForEveryOperatorThatIsKnownByName) {
  for (const std::string_view name : operators::operator_names()) {
    EXPECT_EQ(checkers(*operators::find_operator(name)).device->name(), "gpu, cpu on doubt") << name;
  }
}

// Stress trials: ties, cancellation and special values among them, where the GPU may be in doubt. The plain ones must
// not all be.
TEST_F(GpuDeviceChecker, RightOutputsPassAndFewAreInDoubt) {
  for (const operators::Operator* each : operators_to_try()) {
    const operators::Operator& op = *each;
    const std::string name(op.definition_name());
    Both both = checkers(op);
    const auto trials = static_cast<std::int64_t>(op.stress_kinds().size());
    for (std::int64_t index = 0; index < trials; ++index) {
      CheckerTrial trial(*device_, op, static_cast<std::uint64_t>(index));
      const std::string what = name + ", trial " + std::to_string(index);
      EXPECT_TRUE(expect_same(trial, both, leave, what).nothing()) << what;
    }
    EXPECT_LE(both.device->doubts(), trials / 2) << name;
  }
}

TEST_F(GpuDeviceChecker, FindsEachPlantedDefectWithTheCpusWords) {
  for (const operators::Operator* each : operators_to_try()) {
    const operators::Operator& op = *each;
    const std::string name(op.definition_name());
    Both both = checkers(op);
    for (const std::uint64_t index : {0U, 1U, 2U}) {
      CheckerTrial trial(*device_, op, index);
      std::size_t planted = 0;
      std::size_t found = 0;
      const auto plant = [&](const Spoil& spoil, const std::string& what) {
        ++planted;
        const Seen seen = expect_same(trial, both, spoil, name + ", " + what, {.call = planted});
        found += seen.findings.empty() ? 0U : 1U;
      };
      for (const auto& [what, spoil] : trial.defects(index)) {
        plant(spoil, what);
      }
      EXPECT_GT(found, planted / 4) << name << ", trial " << index;
    }
  }
}

TEST_F(GpuDeviceChecker, FindsAnyByteOutsideTheOutputs) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  for (const auto& [begin, end] : verify::guard_bands(trial.layout())) {
    for (const std::size_t at : {begin, begin + 1, (begin + end) / 2, end - 1}) {
      const Seen seen = expect_same(trial, both, CheckerTrial::flip_byte(at), "byte " + std::to_string(at));
      EXPECT_TRUE(seen.guard.has_value()) << at;
    }
  }
}

TEST_F(GpuDeviceChecker, PoisonCanBeLeftOut) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  const Spoil nothing = [](std::span<std::byte> memory, std::span<const std::byte> before) {
    std::copy(before.begin(), before.end(), memory.begin());
  };
  EXPECT_TRUE(trial.look(*both.device, leave).nothing());
  EXPECT_TRUE(trial.look(*both.device, nothing, leave, {.poisons = false}).nothing());
  EXPECT_FALSE(trial.look(*both.device, nothing).findings.empty());
}

// Outputs are judged as they were at the return, and what comes later is named whatever its size.
TEST_F(GpuDeviceChecker, OneByteThatComesLateIsNamed) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  const std::size_t flat = trial.elements(1) - 1;
  const Seen seen = trial.look(*both.device, leave, trial.flip(1, flat, 1, std::byte{1}));
  EXPECT_TRUE(seen.findings.empty());
  EXPECT_EQ(seen.late.value_or("none"), "new_state:" + std::to_string(flat));
  EXPECT_FALSE(trial.look(*both.device, leave, trial.flip(1, 0, 1, std::byte{1}), {.remembers = false}).late);
  // A guard byte is no output.
  EXPECT_FALSE(trial.look(*both.device, leave, CheckerTrial::flip_byte(1)).late.has_value());
}

// A call that fills in after its return what was wrong at it.
TEST_F(GpuDeviceChecker, WhatWasWrongAtTheReturnStaysWrong) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  CallChecker& checker = *both.device;
  ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true}));
  const auto call = CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation()));
  ASSERT_TRUE(checker.arrive());
  trial.run(trial.fill_element(0, 5, std::byte{0xff}));
  ASSERT_TRUE(call->returned());
  ASSERT_TRUE(checker.arrive());
  trial.run(leave);
  const auto findings = CheckerTrial::must(call->check());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].index, tensor::unravel(5, trial.place(0).shape));
}

// Two sides of a block: each has its own outputs, and the inputs are the same.
TEST_F(GpuDeviceChecker, SidesOfABlockAreLookedAtApart) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  CallChecker& checker = *both.device;
  ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true, .inputs = true}));
  const auto first = CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation(1)));
  ASSERT_TRUE(checker.arrive());
  trial.run(trial.fill_element(1, 0, std::byte{0xff}));
  ASSERT_TRUE(first->returned());
  const auto second = CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation(2)));
  ASSERT_TRUE(checker.arrive());
  trial.run(leave);
  ASSERT_TRUE(second->returned());
  EXPECT_EQ(CheckerTrial::must(first->check()).size(), 1U);
  EXPECT_TRUE(CheckerTrial::must(second->check()).empty());
  EXPECT_EQ(checker.doubts(), 1);
  EXPECT_NE(CheckerTrial::must(first->digest()), CheckerTrial::must(second->digest()));
}

// Both sides' checks are under way before either is read: each finds its own.
TEST_F(GpuDeviceChecker, ChecksBegunTogetherTellOfTheirOwnSide) {
  for (const operators::Operator* each : operators_to_try()) {
    const operators::Operator& op = *each;
    const std::string name(op.definition_name());
    Both both = checkers(op);
    CheckerTrial trial(*device_, op, 0);
    const std::size_t last = trial.layout().outputs.size() - 1;
    CallChecker& checker = *both.device;
    ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true, .inputs = true}));
    std::vector<std::unique_ptr<CallOutputs>> calls;
    for (const bool wrong : {false, true, false}) {
      calls.push_back(CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation(calls.size()))));
      ASSERT_TRUE(checker.arrive());
      trial.run(leave);
      if (wrong) {
        trial.run(trial.fill_element(last, 0, std::byte{0xff}));
      }
      ASSERT_TRUE(calls.back()->returned());
    }
    for (const auto& call : calls) {
      ASSERT_TRUE(call->begin_check());
    }
    EXPECT_FALSE(CheckerTrial::must(checker.inputs_changed(WhichBlock::now))) << name;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      EXPECT_EQ(CheckerTrial::must(calls[i]->check()).empty(), i != 1) << name << ", call " << i;
    }
  }
}

// What was begun of a block is read when the next has begun, with other inputs: the CPU, which is asked about the wrong
// one, is shown those of its own block.
TEST_F(GpuDeviceChecker, TheBlockBeforeIsJudgedByItsOwnInputs) {
  for (const operators::Operator* each : operators_to_try()) {
    const operators::Operator& op = *each;
    const std::string name(op.definition_name());
    Both both = checkers(op);
    CheckerTrial trial(*device_, op, 0);
    const Spoil wrong = trial.fill_element(0, 0, std::byte{0xff});
    const Seen now = trial.look(*both.device, wrong);
    CallChecker& checker = *both.device;
    ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true, .inputs = true, .closely = true}));
    std::vector<std::unique_ptr<CallOutputs>> calls;
    for (const Spoil& spoil : {Spoil(leave), wrong}) {
      calls.push_back(CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation(calls.size()))));
      ASSERT_TRUE(checker.arrive());
      trial.run(spoil);
      ASSERT_TRUE(calls.back()->returned());
    }
    for (const auto& call : calls) {
      ASSERT_TRUE(call->begin_check());
    }
    ASSERT_TRUE(checker.begin_inputs_look());
    const BlockInputs next = trial.turned();
    ASSERT_TRUE(checker.begin(next, {.inputs = true, .closely = true}));
    ASSERT_TRUE(checker.arrive());
    EXPECT_FALSE(CheckerTrial::must(checker.inputs_changed(WhichBlock::before))) << name;
    EXPECT_TRUE(CheckerTrial::must(calls[1]->is_in_doubt())) << name;
    trial.turn();
    EXPECT_TRUE(CheckerTrial::must(calls[0]->check()).empty()) << name;
    const auto findings = CheckerTrial::must(calls[1]->check());
    trial.turn();
    ASSERT_EQ(findings.size(), now.findings.size()) << name;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      EXPECT_EQ(findings[i].message, now.findings[i].message) << name;
    }
    EXPECT_FALSE(CheckerTrial::must(checker.inputs_changed(WhichBlock::now))) << name;
  }
}

TEST_F(GpuDeviceChecker, InputsOfTheBlockBeforeThatChangedAreSeen) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  CallChecker& checker = *both.device;
  ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true, .inputs = true, .closely = true}));
  ASSERT_TRUE(checker.arrive());
  trial.tamper(trial.layout().inputs[0]->offset);
  ASSERT_TRUE(checker.begin_inputs_look());
  ASSERT_TRUE(checker.begin(trial.turned(), {.inputs = true, .closely = true}));
  EXPECT_TRUE(CheckerTrial::must(checker.inputs_changed(WhichBlock::before)));
  EXPECT_FALSE(CheckerTrial::must(checker.inputs_changed(WhichBlock::now)));
}

// The last look is read when the outputs have been prepared for the next call: it tells what lay there when it began.
TEST_F(GpuDeviceChecker, ALateByteIsNamedThoughOutputsArePreparedAgain) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  Both both = checkers(op);
  CheckerTrial trial(*device_, op, 0);
  CallChecker& checker = *both.device;
  ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true, .late_work = true}));
  const auto call = CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation(1)));
  ASSERT_TRUE(checker.arrive());
  trial.run(leave);
  ASSERT_TRUE(call->returned());
  ASSERT_TRUE(checker.arrive());
  const std::size_t flat = trial.elements(1) - 2;
  trial.run(trial.flip(1, flat, 1, std::byte{1}));
  ASSERT_TRUE(call->begin_last_look());
  const auto next = CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation(2)));
  ASSERT_TRUE(checker.arrive());
  const auto change = CheckerTrial::must(call->changed());
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->place, &trial.layout().outputs[1]);
  EXPECT_EQ(change->flat, flat);
}

// What is expected was computed before anybody could change the inputs, and the change is seen.
TEST_F(GpuDeviceChecker, InputsThatChangeAreSeenAndMoveNothing) {
  for (const operators::Operator* each : operators_to_try()) {
    const operators::Operator& op = *each;
    const std::string name(op.definition_name());
    Both both = checkers(op);
    CheckerTrial trial(*device_, op, 0);
    CallChecker& checker = *both.device;
    ASSERT_TRUE(checker.begin(trial.inputs(), {.outputs = true, .inputs = true}));
    EXPECT_FALSE(CheckerTrial::must(checker.inputs_changed(WhichBlock::now))) << name;
    const auto call = CheckerTrial::must(checker.prepare(trial.outputs(), trial.preparation()));
    ASSERT_TRUE(checker.arrive());
    trial.run(leave);
    ASSERT_TRUE(call->returned());
    trial.tamper(trial.layout().inputs[0]->offset);
    EXPECT_TRUE(CheckerTrial::must(checker.inputs_changed(WhichBlock::now))) << name;
  }
}

}  // namespace
}  // namespace assay::evaluate
