#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/operators/operator.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

/// What the calls of one process pair see and where it lies, by the probes that the request has on.
class CallContents {
 public:
  /// How many bytes beyond a layout a memory needs for all the places that `next_layout` gives.
  /// Few enough that calls come back to where an earlier one was, with other contents: what a candidate keeps under
  /// addresses, if only under those of its first call, is met again.
  static constexpr std::size_t kSlackBytes = std::size_t{4} * 4096;

  /// The session outlives this.
  explicit CallContents(const Session& session) : session_(session) {}

  /// Writes the inputs of a call into its arguments, which lie in an image of a memory; the same whatever they were filled
  /// with before. Where calls run elsewhere, what is
  /// cut from pools is left to the image's plan, until it is published. Of inputs that the dataset gives the first call of
  /// each workload gets just these, and later ones variations. May run beside all else that asks nothing of the contents.
  [[nodiscard]] base::Result<void> fill(const measure::ScheduledCall& call, std::vector<operators::Argument>& arguments,
                                        device::CopyPlan& plan);

  /// Says what `fill` made for a call, so that it can be made again in another session; not of a chain's calls.
  [[nodiscard]] task::FailingInput input_of(const measure::ScheduledCall& call) const;
  /// Whether it was made for this call alone, so that it tells something that no call before has told.
  [[nodiscard]] bool is_new(const measure::ScheduledCall& call) const;

  /// Where the arguments lie this time: half of the blocks where the block before had them (so that who remembers an
  /// address meets new contents there), the others elsewhere (so that who wrote down an address misses).
  [[nodiscard]] verify::Layout next_layout(const measure::ScheduledCall& call, base::Philox& random);

 private:
  [[nodiscard]] base::Result<void> fill_kept(std::size_t index, std::vector<operators::Argument>& arguments);
  /// As given, or a variation of it: where the dataset gives contents for the workload.
  [[nodiscard]] operators::Variation variation_of(std::int32_t workload, std::uint64_t contents) const;

  const Session& session_;
  std::unique_ptr<operators::InputGenerator> other_generator_;  ///< Of another session's seed.
  std::uint64_t other_seed_ = 0;
  std::map<std::int32_t, std::uint64_t> first_contents_;  ///< Of each workload.
  std::size_t shift_ = 0;                                 ///< Bytes, of the arguments' places in the last block.
};

/// The calls of a pair in their order: kept inputs first, in the order in which they were asked for.
[[nodiscard]] std::vector<measure::ScheduledCall> schedule_of(const Session& session, std::int32_t pair,
                                                              bool with_incumbent, base::Philox& random);
/// How the others of a pair are ordered: workloads, repetitions, checks and perturbed calls of this session.
[[nodiscard]] measure::ScheduleOptions schedule_options(const Session& session, std::int32_t pair, bool with_incumbent);

}  // namespace assay::evaluate
