#include <assay/evaluate/block_maker.hpp>

#include <thread>
#include <utility>

#include <assay/task/definition.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

namespace {

// The judge and two workers wait by asking again and again; fewer processors are theirs alone.
bool has_spare_processors() {
  constexpr unsigned kEnough = 6;
  static const bool has = std::thread::hardware_concurrency() >= kEnough;
  return has;
}

}  // namespace

void BlockMaker::use(device::CallMemory& inputs) {
  inputs_ = &inputs;
  has_other_image_ = inputs.turn();
  if (has_other_image_) {
    static_cast<void>(inputs.turn());
  }
}

base::Result<CallBlock> BlockMaker::plan_block(const measure::ScheduledCall& first) {
  const task::EvaluationRequest& request = *session_.request;
  const task::Workload& workload = request.workloads[static_cast<std::size_t>(first.workload)];
  CallBlock block;
  block.layout = contents_.next_layout(first, random_);
  block.workload = first.workload;
  ASSAY_TRY_ASSIGN(block.axes, task::resolve_axes(request.definition, workload.axes));
  ASSAY_TRY_ASSIGN(block.arguments,
                   verify::input_arguments(request.definition, workload, block.layout, inputs_->bytes()));
  return block;
}

base::Result<CallBlock> BlockMaker::make(const measure::ScheduledCall& first) {
  ASSAY_TRY_ASSIGN(CallBlock block, plan_block(first));
  session_.device->spread_judge();
  ASSAY_TRY(contents_.fill(first, block.arguments, inputs_->plan()));
  return block;
}

base::Result<void> BlockMaker::again(const measure::ScheduledCall& call, CallBlock& block) {
  session_.device->spread_judge();
  return contents_.fill(call, block.arguments, inputs_->plan());
}

task::FailingInput BlockMaker::input_of(const measure::ScheduledCall& call) {
  background_.wait();
  return contents_.input_of(call);
}

// Contents that are not left to a plan are made where they are sent from: the other image is slower for that.
base::Result<bool> BlockMaker::begin_ahead(const measure::ScheduledCall& first) {
  if (!has_other_image_ || inputs_->plan().empty()) {
    return false;
  }
  session_.device->spread_judge();
  static_cast<void>(inputs_->turn());
  base::Result<CallBlock> planned = plan_block(first);
  device::CopyPlan& plan = inputs_->plan();
  static_cast<void>(inputs_->turn());
  ASSAY_TRY_ASSIGN(ahead_, std::move(planned));
  ahead_of_ = &first;
  const auto fill = [this, &plan] { fill_ahead(plan); };
  if (has_spare_processors()) {
    background_.begin(fill);
  } else {
    fill();
  }
  return true;
}

void BlockMaker::fill_ahead(device::CopyPlan& plan) {
  filled_ = contents_.fill(*ahead_of_, ahead_.arguments, plan);
  if (filled_) {
    inputs_->stage_other(ahead_.layout.inputs_size);
  }
}

base::Result<void> BlockMaker::go_back(CallBlock& before) {
  background_.wait();
  static_cast<void>(inputs_->turn());
  return contents_.fill(*before.first, before.arguments, inputs_->plan());
}

void BlockMaker::come_back() {
  device::CopyPlan& plan = inputs_->plan();
  static_cast<void>(inputs_->turn());
  if (ahead_of_ != nullptr) {
    fill_ahead(plan);
  }
}

base::Result<CallBlock> BlockMaker::finish_ahead() {
  background_.wait();
  ASSAY_TRY(filled_);
  ahead_of_ = nullptr;
  static_cast<void>(inputs_->turn());
  return std::move(ahead_);
}

}  // namespace assay::evaluate
