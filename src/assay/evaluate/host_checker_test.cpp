// The CPU's way to look at a call, on memory that a test spoils in place of a candidate.
#include <assay/evaluate/host_checker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/evaluate/checker_trial_for_test.hpp>
#include <assay/evaluate/device_checker.hpp>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kDecode = "gdn_decode_qk4_v8_d128_k_last";

class HostCheckerTest : public ::testing::Test {
 protected:
  static const operators::Operator& decode() { return *operators::find_operator(kDecode); }

  std::unique_ptr<device::Device> device_ = std::move(device::open_device("cpu").value());
  CheckerTrial trial_{*device_, decode(), 0};
  HostChecker checker_{decode()};
};

TEST_F(HostCheckerTest, FindsNothingWrongWithWhatIsRight) {
  const Seen seen = trial_.look(checker_, leave);
  EXPECT_TRUE(seen.nothing());
  ASSERT_TRUE(seen.errors.has_value());
  EXPECT_GT(seen.errors->absolute, 0);  // The output is rounded to bfloat16.
  EXPECT_EQ(checker_.doubts(), 0);
  EXPECT_EQ(checker_.name(), "cpu");
}

TEST_F(HostCheckerTest, NamesAnElementThatIsWrong) {
  const Seen seen = trial_.look(checker_, trial_.flip(1, 12345, 3, std::byte{0x40}));
  ASSERT_THAT(seen.findings, SizeIs(1));
  EXPECT_EQ(seen.findings[0].kind, "mismatch");
  EXPECT_EQ(seen.findings[0].tensor, "new_state");
  EXPECT_EQ(seen.findings[0].index, tensor::unravel(12345, trial_.place(1).shape));
  EXPECT_FALSE(seen.guard || seen.late || seen.inputs_changed);
}

TEST_F(HostCheckerTest, NamesAnElementThatWasNotWritten) {
  // One of the poison's kinds is about 1, as an element may be: others are tried.
  std::size_t unwritten = 0;
  for (std::uint64_t call = 0; call < 6; ++call) {
    const Seen seen = trial_.look(checker_, trial_.leave_element(1, 99), leave, {.call = call});
    ASSERT_THAT(seen.findings, SizeIs(1)) << call;
    unwritten += seen.findings[0].kind == "unwritten" ? 1U : 0U;
    EXPECT_EQ(seen.findings[0].index, tensor::unravel(99, trial_.place(1).shape)) << call;
  }
  EXPECT_EQ(unwritten, 6U);
}

TEST_F(HostCheckerTest, WithoutPoisonWhatWasThereIsSeenAgain) {
  EXPECT_TRUE(trial_.look(checker_, leave).nothing());
  const Spoil nothing = [](std::span<std::byte> memory, std::span<const std::byte> before) {
    std::copy(before.begin(), before.end(), memory.begin());
  };
  EXPECT_TRUE(trial_.look(checker_, nothing, leave, {.poisons = false}).nothing());
  EXPECT_FALSE(trial_.look(checker_, nothing, leave, {.poisons = true}).findings.empty());
}

TEST_F(HostCheckerTest, NamesAGuardByteAndALateWriteAndInputsThatChanged) {
  const verify::Layout& layout = trial_.layout();
  const Seen outside =
      trial_.look(checker_, CheckerTrial::flip_byte(layout.outputs[0].offset + layout.outputs[0].bytes));
  ASSERT_TRUE(outside.guard.has_value());
  EXPECT_THAT(outside.guard->message, HasSubstr("element 1 past the end of output"));
  const Seen late = trial_.look(checker_, leave, [&](std::span<std::byte> memory, std::span<const std::byte>) {
    std::ranges::fill(memory.subspan(layout.outputs[1].offset, layout.outputs[1].bytes), std::byte{0});
  });
  EXPECT_THAT(late.late.value_or("none"), HasSubstr("new_state:"));
  EXPECT_FALSE(trial_.look(checker_, leave, leave, {.remembers = false}).late.has_value());

  ASSERT_TRUE(checker_.begin(trial_.inputs(), {.inputs = true}));
  EXPECT_FALSE(checker_.inputs_changed(WhichBlock::now).value());
  trial_.tamper(layout.inputs[3]->offset);
  EXPECT_TRUE(checker_.inputs_changed(WhichBlock::now).value());
  ASSERT_TRUE(checker_.begin(trial_.inputs(), {.inputs = false}));
  trial_.tamper(layout.inputs[3]->offset);
  EXPECT_FALSE(checker_.inputs_changed(WhichBlock::now).value());
}

TEST_F(HostCheckerTest, AContestsRuleIsAnotherOne) {
  // Half a per cent of an element passes there, and not here.
  const Spoil nudge = [&](std::span<std::byte> memory, std::span<const std::byte>) {
    float value = 0;
    std::byte* const at = memory.data() + trial_.place(1).offset;
    std::memcpy(&value, at, sizeof value);
    value = value * 1.005F + 1e-3F;
    std::memcpy(at, &value, sizeof value);
  };
  EXPECT_FALSE(trial_.look(checker_, nudge).findings.empty());
  HostChecker contest(decode(), Acceptance::contest);
  EXPECT_TRUE(trial_.look(contest, nudge).findings.empty());
}

TEST_F(HostCheckerTest, TheReferenceIsOfTheBlockThatBeganLast) {
  CheckerTrial other(*device_, decode(), 1);
  EXPECT_TRUE(trial_.look(checker_, leave).nothing());
  EXPECT_TRUE(other.look(checker_, leave).nothing());
  EXPECT_TRUE(trial_.look(checker_, leave).nothing());
}

TEST(HostCheckerOfEveryOperator, PassesWhatIsRightAndFindsWhatIsNot) {
  const auto device = std::move(device::open_device("cpu").value());
  for (const operators::Operator* op : operators_to_try()) {
    HostChecker checker(*op);
    CheckerTrial trial(*device, *op, 0);
    EXPECT_TRUE(trial.look(checker, leave).nothing()) << op->definition_name();
    std::size_t planted = 0;
    std::size_t found = 0;
    for (const auto& [what, spoil] : trial.defects(0)) {
      const Seen seen = trial.look(checker, spoil, leave, {.call = ++planted});
      found += seen.findings.empty() ? 0U : 1U;
      EXPECT_FALSE(seen.guard || seen.late || seen.inputs_changed) << op->definition_name() << ", " << what;
    }
    EXPECT_GT(found, planted / 4) << op->definition_name();
  }
}

TEST(DigestOfOutputs, IsThatOfTheirPartsAndOfNothingBetween) {
  verify::Layout layout;
  layout.outputs = {{"y", tensor::DType::int8, {3}, 64, 3}, {"z", tensor::DType::int8, {5}, 128, 5}};
  std::vector<std::byte> memory(256);
  const std::uint64_t digest = digest_of_outputs(layout, memory);
  memory[67] = std::byte{1};
  EXPECT_EQ(digest_of_outputs(layout, memory), digest);
  memory[66] = std::byte{1};
  EXPECT_NE(digest_of_outputs(layout, memory), digest);
}

TEST(DeviceChecker, IsNoneWhereCandidatesRunOnTheCpu) {
  const auto device = std::move(device::open_device("cpu").value());
  const auto checker = make_device_checker(*device, *operators::find_operator(kDecode));
  ASSERT_TRUE(checker) << checker.error().text();
  EXPECT_EQ(*checker, nullptr);
}

}  // namespace
}  // namespace assay::evaluate
