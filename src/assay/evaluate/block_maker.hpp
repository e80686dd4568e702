#pragma once

#include <optional>

#include <assay/base/background.hpp>
#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/evaluate/block_look.hpp>
#include <assay/evaluate/call_contents.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/task/failing_input.hpp>

namespace assay::evaluate {

/// Makes what the blocks of one process pair see, one after the other. Session, memory and random numbers outlive it.
class BlockMaker {
 public:
  BlockMaker(const Session& session, base::Philox& random) : session_(session), random_(random), contents_(session) {}
  ~BlockMaker() { background_.wait(); }
  BlockMaker(const BlockMaker&) = delete;
  BlockMaker& operator=(const BlockMaker&) = delete;

  /// The pair's inputs, before any block is made.
  void use(device::CallMemory& inputs);

  /// Chooses places for what the calls of a block see, and writes it to the memory's image of now, or leaves it to its plan.
  [[nodiscard]] base::Result<CallBlock> make(const measure::ScheduledCall& first);

  /// Begins to make the block of a later call in the memory's other image, while the device and the workers are busy with
  /// the one of now: on a thread of its own where this machine has processors to spare. False: it cannot be, here and now.
  /// Until it is finished nothing else is asked here but `is_new` and `again`, and the memory is not turned.
  [[nodiscard]] base::Result<bool> begin_ahead(const measure::ScheduledCall& first);
  /// Waits for it, and turns the memory to its image.
  [[nodiscard]] base::Result<CallBlock> finish_ahead();
  /// Makes the other image again what the block before saw, turned to it, whatever is being made there; and back.
  [[nodiscard]] base::Result<void> go_back(CallBlock& before);
  void come_back();

  /// Writes other contents into a block's arguments, in the image of now. Never while a block is made ahead.
  [[nodiscard]] base::Result<void> again(const measure::ScheduledCall& call, CallBlock& block);

  [[nodiscard]] const CallContents& contents() const { return contents_; }

  /// What a call saw, so that it can be made again (CallContents::input_of). Waits for the block that is being made: that
  /// writes down what it makes.
  [[nodiscard]] task::FailingInput input_of(const measure::ScheduledCall& call);

 private:
  [[nodiscard]] base::Result<CallBlock> plan_block(const measure::ScheduledCall& first);
  void fill_ahead(device::CopyPlan& plan);

  const Session& session_;
  base::Philox& random_;
  CallContents contents_;
  device::CallMemory* inputs_ = nullptr;
  bool has_other_image_ = false;
  CallBlock ahead_;
  const measure::ScheduledCall* ahead_of_ = nullptr;  ///< Of which call it is, if one is made or was.
  base::Result<void> filled_;
  base::Background background_;  ///< Its work uses the others: last.
};

}  // namespace assay::evaluate
