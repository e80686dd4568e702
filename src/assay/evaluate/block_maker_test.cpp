#include <assay/evaluate/block_maker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <string>

#include <assay/evaluate/checker_trial_for_test.hpp>
#include <assay/evaluate/remote_device_for_test.hpp>

namespace assay::evaluate {
namespace {

constexpr std::uint64_t kSeed = 77;

// What a call is given, as far as it matters: of a cache's other pages nobody asks what lies there.
struct Given {
  std::vector<std::vector<std::uint64_t>> expected;  ///< The numbers' bits: NaN is NaN.
  std::vector<operators::Scalar> scalars;
  bool operator==(const Given&) const = default;
};

// One workload of an operator, and what becomes of it in a memory that a device would have.
class MakerTrial {
 public:
  // The first workload has some rows, the others have as few as the operator can have: then most of what lies there is unused.
  MakerTrial(const operators::Operator& op, std::uint64_t index) : op_(op) {
    request_.definition = definition_of(op);
    const std::uint64_t most = index == 0 ? std::uint64_t{1} << 20U : 0;
    request_.workloads.push_back(op.stress_trial(1, index, most).workload);
    layouts_.push_back(verify::make_layout(request_.definition, request_.workloads[0]).value());
    generator_ = op.make_generator(kSeed);
    given_.emplace(verify::GivenContents::open(op, request_.definition, request_.workloads).value());
    session_.request = &request_;
    session_.device = &gpu_;
    session_.op = &op_;
    session_.generator = generator_.get();
    session_.given = &*given_;
    session_.layouts = &layouts_;
    session_.seed = kSeed;
    const std::size_t size = layouts_[0].inputs_size + CallContents::kSlackBytes;
    inputs_ = device::make_host_memory(size, os::PeerAccess::read_only).value();
    maker_.use(*inputs_);
  }

  void settle() const { inputs_->plan().settle(); }

  Given of(CallBlock& block) {
    settle();
    Given given;
    std::vector<operators::ExpectedValues> expected;
    EXPECT_TRUE(op_.reference(block.axes, operators::read_only(block.arguments), expected));
    for (const operators::ExpectedValues& values : expected) {
      std::vector<std::uint64_t>& bits = given.expected.emplace_back();
      std::transform(values.begin(), values.end(), std::back_inserter(bits),
                     [](double value) { return std::bit_cast<std::uint64_t>(value); });
    }
    for (const operators::Argument& argument : block.arguments) {
      if (const auto* scalar = std::get_if<operators::Scalar>(&argument)) {
        given.scalars.push_back(*scalar);
      }
    }
    return given;
  }

  [[nodiscard]] bool is_large() const { return inputs_->bytes().size() > (std::size_t{8} << 20U); }

  // Whatever earlier calls may have left, where a call's own contents do not lie.
  void scribble(std::uint64_t what) const {
    const std::span<std::byte> bytes = inputs_->bytes();
    for (std::uint64_t at = 0; at + sizeof at <= bytes.size(); at += sizeof at) {
      const std::uint64_t word = base::mix(what, at);
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
  }

  BlockMaker& maker() { return maker_; }
  [[nodiscard]] std::uint64_t perturbations() const { return generator_->perturbation_period(); }

 private:
  const operators::Operator& op_;
  RemoteDevice gpu_;
  task::EvaluationRequest request_;
  std::vector<verify::Layout> layouts_;
  std::unique_ptr<operators::InputGenerator> generator_;
  std::optional<verify::GivenContents> given_;
  Session session_;
  base::Philox random_{kSeed, 1};
  std::unique_ptr<device::CallMemory> inputs_;
  BlockMaker maker_{session_, random_};
};

measure::ScheduledCall call_of(std::uint64_t contents, std::optional<std::uint64_t> perturbed) {
  measure::ScheduledCall call;
  call.contents = contents;
  call.perturbed = perturbed;
  return call;
}

// Makes a call's contents, those of the following one, and the first again; the same with others in its own place.
void expect_made_again(MakerTrial& trial, const measure::ScheduledCall& call, const measure::ScheduledCall& following,
                       const std::string& where) {
  trial.scribble(1);
  CallBlock block = trial.maker().make(call).value();
  block.first = &call;
  const Given first = trial.of(block);
  trial.scribble(2);
  const CallBlock next = trial.maker().make(following).value();
  trial.settle();
  trial.scribble(3);
  ASSERT_TRUE(trial.maker().go_back(block)) << where;
  EXPECT_TRUE(trial.of(block) == first) << where << ", gone back to";
  measure::ScheduledCall other = call;
  other.contents += 200;
  ASSERT_TRUE(trial.maker().again(other, block)) << where;
  trial.settle();
  trial.scribble(4);
  ASSERT_TRUE(trial.maker().again(call, block)) << where;
  EXPECT_TRUE(trial.of(block) == first) << where << ", made again";
}

// For the CPU, which is shown a block's contents after the next one's were made; and for hot caches, which are made hot on
// other contents. Numbers that are passed by value count as much as what lies in memory.
TEST(BlockMakerTest, ContentsThatAreMadeAgainAreTheSame) {
  for (const operators::Operator* op : operators_to_try()) {
    for (std::uint64_t index = 0; index < 3; ++index) {
      MakerTrial trial(*op, index);
      if (index > 0 && trial.is_large()) {
        break;
      }
      for (std::uint64_t which = 0; which <= trial.perturbations(); ++which) {
        const auto perturbed = which == trial.perturbations() ? std::nullopt : std::optional(which);
        expect_made_again(
            trial, call_of(100 + which, perturbed), call_of(200 + which, which / 2),
            op->interface().name + ", workload " + std::to_string(index) + ", perturbation " + std::to_string(which));
      }
    }
  }
}

}  // namespace
}  // namespace assay::evaluate
