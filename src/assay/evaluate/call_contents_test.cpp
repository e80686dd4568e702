#include <assay/evaluate/call_contents.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <assay/device/cpu.hpp>
#include <assay/evaluate/checker_trial_for_test.hpp>
#include <assay/evaluate/remote_device_for_test.hpp>

namespace assay::evaluate {
namespace {

constexpr const char* kContentsOf = "gdn_decode_qk4_v8_d128_k_last";

// Remembers what it was asked for, and leaves one byte to the plan as a generator does that cuts from pools.
class AskedGenerator final : public operators::InputGenerator {
 public:
  void fill(const task::Workload& workload, std::uint64_t call, std::span<operators::Argument> /*arguments*/) override {
    asked.push_back("fill " + workload.uuid + " " + std::to_string(call));
  }
  void perturb(std::uint64_t which, std::uint64_t call, std::span<operators::Argument> /*arguments*/) override {
    asked.push_back("perturb " + std::to_string(which) + " " + std::to_string(call));
  }
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<operators::Argument> /*arguments*/) override {
    asked.push_back("stress " + std::to_string(kind) + " " + workload.uuid + " " + std::to_string(call));
  }
  void compose(const task::Workload& workload, std::uint64_t call, std::span<operators::Argument> arguments,
               device::CopyPlan& plan) override {
    EXPECT_TRUE(plan.empty()) << "what the call before left";
    fill(workload, call, arguments);
    plan.leave(left);
    plan.zero(left);
  }

  std::vector<std::string> asked;
  std::span<std::byte> left;
};

class CallContentsTest : public ::testing::Test {
 protected:
  CallContentsTest() {
    request_.definition = definition_of(op_);
    for (const int batch : {2, 5}) {
      task::Workload workload;
      workload.uuid = "w" + std::to_string(batch);
      workload.axes = {{"batch_size", batch}};
      request_.workloads.push_back(workload);
      layouts_.push_back(verify::make_layout(request_.definition, workload).value());
    }
    std::fill(memory_->bytes().begin(), memory_->bytes().end(), std::byte{7});
    generator_.left = memory_->bytes().subspan(64, 8);
    given_.emplace(verify::GivenContents::open(op_, request_.definition, request_.workloads).value());
    session_.request = &request_;
    session_.device = cpu_.get();
    session_.op = &op_;
    session_.generator = &generator_;
    session_.given = &*given_;
    session_.layouts = &layouts_;
    session_.seed = 1000;
  }

  // What the generator is asked for these calls, by one CallContents.
  std::vector<std::string> asked_for(const std::vector<measure::ScheduledCall>& calls) {
    CallContents contents(session_);
    generator_.asked.clear();
    for (const measure::ScheduledCall& call : calls) {
      const auto filled = contents.fill(call, arguments_, memory_->plan());
      EXPECT_TRUE(filled) << filled.error().text();
    }
    return generator_.asked;
  }
  static measure::ScheduledCall call_of(std::int32_t workload, std::uint64_t contents) {
    measure::ScheduledCall call;
    call.workload = workload;
    call.contents = contents;
    return call;
  }

  const operators::Operator& op_ = *operators::find_operator(kContentsOf);
  std::unique_ptr<device::Device> cpu_ = device::make_cpu();
  RemoteDevice gpu_;
  task::EvaluationRequest request_;
  std::vector<verify::Layout> layouts_;
  AskedGenerator generator_;
  std::optional<verify::GivenContents> given_;
  std::unique_ptr<device::CallMemory> memory_ = device::make_host_memory(4096, os::PeerAccess::read_only).value();
  std::vector<operators::Argument> arguments_;
  Session session_;
};

using Asked = std::vector<std::string>;

TEST_F(CallContentsTest, EachCallHasItsContentsUnlessTheProbeIsOff) {
  const std::vector<measure::ScheduledCall> calls = {call_of(0, 11), call_of(1, 12), call_of(0, 13)};
  EXPECT_EQ(asked_for(calls), (Asked{"fill w2 11", "fill w5 12", "fill w2 13"}));
  request_.disabled_probes = {task::Probe::fresh_contents};
  EXPECT_EQ(asked_for(calls), (Asked{"fill w2 0", "fill w5 0", "fill w2 0"}));
}

TEST_F(CallContentsTest, APerturbedCallIsFilledFirstAndTurnsGoOnFromTheSeed) {
  measure::ScheduledCall call = call_of(1, 11);
  call.perturbed = 4;
  EXPECT_EQ(asked_for({call}), (Asked{"fill w5 11", "perturb 1004 11"}));
}

TEST_F(CallContentsTest, StressTrialsAreOfTheirWorkloadsKind) {
  const std::vector<std::size_t> kinds = {3, 1};
  session_.purpose = Session::Purpose::stress;
  session_.stress_kinds = &kinds;
  EXPECT_EQ(asked_for({call_of(1, 5), call_of(0, 6)}), (Asked{"stress 1 w5 5", "stress 3 w2 6"}));
}

TEST_F(CallContentsTest, SaysWhatACallSawSoThatItCanBeMadeAgain) {
  measure::ScheduledCall call = call_of(1, 11);
  call.perturbed = 4;
  const CallContents contents(session_);
  task::FailingInput input = contents.input_of(call);
  EXPECT_EQ(input.workload.uuid, "w5");
  EXPECT_FALSE(input.stress_kind || input.varied);
  EXPECT_EQ(input.seed, 1000U);
  EXPECT_EQ(input.contents, 11U);
  EXPECT_EQ(input.perturbed, 1004U);
  const std::vector<std::size_t> kinds = {3, 1};
  session_.purpose = Session::Purpose::stress;
  session_.stress_kinds = &kinds;
  input = contents.input_of(call_of(0, 6));
  EXPECT_EQ(input.stress_kind, op_.stress_kinds()[3].name);
  EXPECT_FALSE(input.perturbed);
}

TEST_F(CallContentsTest, AKeptInputIsMadeAgainByteForByte) {
  for (task::Workload& workload : request_.workloads) {
    workload.inputs = {{"scale", task::ScalarInput{0.5}}};
  }
  const auto bytes_of = [&](CallContents& contents, std::int32_t workload, std::uint64_t number) {
    const verify::Layout& layout = layouts_[static_cast<std::size_t>(workload)];
    auto memory = device::make_host_memory(layout.inputs_size, os::PeerAccess::read_only).value();
    auto arguments =
        verify::input_arguments(request_.definition, request_.workloads[static_cast<std::size_t>(workload)], layout,
                                memory->bytes())
            .value();
    const auto filled = contents.fill(call_of(workload, number), arguments, memory->plan());
    EXPECT_TRUE(filled) << filled.error().text();
    return std::vector<std::byte>(memory->bytes().begin(), memory->bytes().end());
  };
  const auto generator = op_.make_generator(1000);
  session_.generator = generator.get();
  CallContents before(session_);
  const std::vector<std::byte> seen = bytes_of(before, 1, 11);
  const task::KeptInput kept{before.input_of(call_of(1, 11)), "slow", "e-1"};

  // Another session, of another seed, in which the kept input's workload comes first.
  std::swap(request_.workloads[0], request_.workloads[1]);
  std::swap(layouts_[0], layouts_[1]);
  const auto other = op_.make_generator(2000);
  const std::vector<std::size_t> kinds = {0, 0};
  session_.generator = other.get();
  session_.seed = 2000;
  session_.purpose = Session::Purpose::stress;
  session_.stress_kinds = &kinds;
  session_.kept = {&kept, 1};
  CallContents again(session_);
  EXPECT_EQ(bytes_of(again, 0, 77), seen);
  EXPECT_EQ(task::encode(again.input_of(call_of(0, 77))), task::encode(kept.input)) << "it is known again";
}

TEST_F(CallContentsTest, KeptInputsComeFirstInTheirOrder) {
  const std::vector<task::KeptInput> kept(2);
  for (const int batch : {3, 4, 6, 7}) {
    task::Workload workload = request_.workloads.front();
    workload.axes = {{"batch_size", batch}};
    request_.workloads.push_back(workload);
    layouts_.push_back(verify::make_layout(request_.definition, workload).value());
  }
  session_.purpose = Session::Purpose::stress;
  session_.kept = kept;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    base::Philox random(seed, 1);
    const auto calls = schedule_of(session_, -1, false, random);
    ASSERT_EQ(calls.size(), 6U);
    EXPECT_EQ(calls[0].workload, 0);
    EXPECT_EQ(calls[1].workload, 1);
    EXPECT_TRUE(std::all_of(calls.begin() + 2, calls.end(), [](const auto& call) { return call.workload >= 2; }));
  }
}

TEST_F(CallContentsTest, OnlyNewInputsTellSomethingNew) {
  const CallContents contents(session_);
  measure::ScheduledCall call = call_of(1, 11);
  EXPECT_TRUE(contents.is_new(call));
  call.repeats = true;
  EXPECT_FALSE(contents.is_new(call));
  call.repeats = false;
  call.perturbed = 1;
  EXPECT_FALSE(contents.is_new(call));
  call.perturbed.reset();
  request_.disabled_probes = {task::Probe::fresh_contents};
  EXPECT_FALSE(contents.is_new(call));
}

TEST_F(CallContentsTest, AChainsCallsAreOfTheOperatorsKind) {
  ASSERT_TRUE(op_.chain());
  verify::StateChain chain(op_);
  session_.purpose = Session::Purpose::chain;
  session_.chain = &chain;
  const std::string kind = std::to_string(op_.chain()->kind);
  EXPECT_EQ(asked_for({call_of(0, 5)}), (Asked{"stress " + kind + " w2 5"}));
}

TEST_F(CallContentsTest, OnACpuThePlanIsDoneAtOnceAndOnAGpuWhenItIsPublished) {
  asked_for({call_of(0, 1)});
  EXPECT_TRUE(memory_->plan().empty());
  EXPECT_EQ(memory_->bytes()[64], std::byte{0});
  std::fill(memory_->bytes().begin(), memory_->bytes().end(), std::byte{7});
  session_.device = &gpu_;
  asked_for({call_of(0, 1), call_of(0, 2)});
  EXPECT_FALSE(memory_->plan().empty());
  EXPECT_EQ(memory_->bytes()[64], std::byte{7});
  ASSERT_TRUE(memory_->publish(4096));
  EXPECT_EQ(memory_->bytes()[64], std::byte{0});
  EXPECT_EQ(memory_->bytes()[72], std::byte{7}) << "and nothing else";
}

// How much further on the arguments of a call lie than in the request's layout; the same for all of them.
std::size_t shift_between(const verify::Layout& plain, const verify::Layout& moved) {
  const std::size_t shift = moved.outputs.at(0).offset - plain.outputs.at(0).offset;
  for (std::size_t i = 0; i < plain.outputs.size(); ++i) {
    EXPECT_EQ(moved.outputs[i].offset, plain.outputs[i].offset + shift);
  }
  for (std::size_t i = 0; i < plain.inputs.size(); ++i) {
    EXPECT_EQ(moved.inputs[i].has_value(), plain.inputs[i].has_value());
    if (plain.inputs[i] && moved.inputs[i]) {
      EXPECT_EQ(moved.inputs[i]->offset, plain.inputs[i]->offset + shift);
    }
  }
  return shift;
}

TEST_F(CallContentsTest, HalfOfTheBlocksLieElsewhereWithinTheSlack) {
  CallContents contents(session_);
  base::Philox random(5, 0);
  std::set<std::size_t> places;
  std::size_t before = 0;
  int moves = 0;
  constexpr int kBlocks = 600;
  for (int block = 0; block < kBlocks; ++block) {
    const std::int32_t workload = block % 2;
    const verify::Layout& plain = layouts_[static_cast<std::size_t>(workload)];
    const std::size_t shift = shift_between(plain, contents.next_layout(call_of(workload, 1), random));
    EXPECT_EQ(shift % 4096, 0U);
    EXPECT_LT(shift, CallContents::kSlackBytes);
    moves += shift != before ? 1 : 0;
    before = shift;
    places.insert(shift);
  }
  // Six standard deviations of 600 throws of a coin: 73.
  EXPECT_NEAR(moves, kBlocks / 2, 73);
  EXPECT_EQ(places.size(), CallContents::kSlackBytes / 4096) << "every place comes";
}

// A candidate that puts out again what it left for the addresses of its first call is wrong whenever it gets these again,
// since the contents are others. Two pairs of a selftest, of which half of the calls are checked, must nearly always show it.
TEST_F(CallContentsTest, TheFirstCallsAddressesComeAgain) {
  constexpr int kSessions = 400;
  constexpr int kPairs = 2;
  constexpr int kBlocks = 14;  // Two workloads, a warm-up and six repetitions.
  int missed = 0;
  base::Philox random(77, 0);
  for (int session = 0; session < kSessions; ++session) {
    bool found = false;
    for (int pair = 0; pair < kPairs; ++pair) {
      CallContents contents(session_);
      std::optional<std::size_t> first;
      for (int block = 0; block < kBlocks; ++block) {
        const std::size_t shift = shift_between(layouts_[0], contents.next_layout(call_of(0, 1), random));
        const bool is_checked = block < 2 || random.next_below(2) == 0;
        found = found || (first && shift == *first && is_checked);
        first = first.value_or(shift);
      }
    }
    missed += found ? 0 : 1;
  }
  EXPECT_LE(missed, kSessions / 25) << "of " << kSessions;
}

TEST_F(CallContentsTest, ARepeatedCallAlwaysMovesAndAPerturbedOneNever) {
  CallContents contents(session_);
  base::Philox random(6, 0);
  std::size_t before = 0;
  for (int block = 0; block < 50; ++block) {
    measure::ScheduledCall repeated = call_of(0, 1);
    repeated.repeats = true;
    const std::size_t moved = shift_between(layouts_[0], contents.next_layout(repeated, random));
    EXPECT_NE(moved, before);
    measure::ScheduledCall perturbed = call_of(1, 1);
    perturbed.perturbed = 0;
    EXPECT_EQ(shift_between(layouts_[1], contents.next_layout(perturbed, random)), moved);
    before = moved;
  }
}

TEST_F(CallContentsTest, WithoutTheProbeEverythingStaysWhereItIs) {
  request_.disabled_probes = {task::Probe::fresh_address};
  CallContents contents(session_);
  base::Philox random(7, 0);
  measure::ScheduledCall call = call_of(0, 1);
  for (int block = 0; block < 50; ++block) {
    call.repeats = block % 2 == 0;
    EXPECT_EQ(shift_between(layouts_[0], contents.next_layout(call, random)), 0U);
  }
}

TEST_F(CallContentsTest, AComparisonIsScheduledByItsPlan) {
  request_.plan.samples_per_pair = 7;
  request_.plan.check_fraction = 0.5;
  const measure::ScheduleOptions options = schedule_options(session_, 3, true);
  EXPECT_EQ(options.pair, 3);
  EXPECT_EQ(options.workloads, 2);
  EXPECT_EQ(options.timed_repetitions, 7);
  EXPECT_TRUE(options.with_incumbent);
  EXPECT_DOUBLE_EQ(options.check_fraction, 0.5);
  EXPECT_GT(options.perturbed_calls, 0);
  EXPECT_TRUE(options.repeat);
  EXPECT_TRUE(options.calls_on.empty());
  ASSERT_EQ(options.costs.size(), 2U);
  EXPECT_DOUBLE_EQ(options.costs[1], static_cast<double>(layouts_[1].inputs_size + layouts_[1].outputs_size));
  EXPECT_LT(options.costs[0], options.costs[1]);
}

TEST_F(CallContentsTest, ProbesThatAreOffAreNotScheduled) {
  request_.disabled_probes = {task::Probe::one_element_mutation};
  EXPECT_EQ(schedule_options(session_, 0, false).perturbed_calls, 0);
  EXPECT_TRUE(schedule_options(session_, 0, false).repeat);
  request_.disabled_probes = {task::Probe::determinism};
  EXPECT_GT(schedule_options(session_, 0, false).perturbed_calls, 0);
  EXPECT_FALSE(schedule_options(session_, 0, false).repeat);
}

TEST_F(CallContentsTest, WhatIsNoComparisonIsCheckedAndProbedDifferently) {
  struct Case {
    Session::Purpose purpose;
    double check_fraction;
  };
  session_.trials = 5;
  session_.trials_on = {5, 2};
  for (const Case& one : {Case{Session::Purpose::trials, 1}, Case{Session::Purpose::stress, 1},
                          Case{Session::Purpose::official, 1}, Case{Session::Purpose::chain, 0.125}}) {
    session_.purpose = one.purpose;
    const measure::ScheduleOptions options = schedule_options(session_, 0, false);
    EXPECT_EQ(options.timed_repetitions, 4) << "behind the warm-up";
    EXPECT_EQ(options.calls_on, (std::vector<std::int32_t>{5, 2}));
    EXPECT_DOUBLE_EQ(options.check_fraction, one.check_fraction);
    EXPECT_EQ(options.perturbed_calls, 0);
    EXPECT_FALSE(options.repeat);
    EXPECT_FALSE(options.with_incumbent);
  }
}

}  // namespace
}  // namespace assay::evaluate
