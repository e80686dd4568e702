#pragma once

#include <cstddef>
#include <cstdint>
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
  static constexpr std::size_t kSlackBytes = std::size_t{16} * 4096;

  /// The session outlives this.
  explicit CallContents(const Session& session) : session_(session) {}

  /// Writes the inputs of a call into its arguments, which lie in the memory's image. Where calls run elsewhere, what is
  /// cut from pools is left to the memory's plan, until it is published.
  void fill(const measure::ScheduledCall& call, std::vector<operators::Argument>& arguments,
            device::CallMemory& memory) const;

  /// Where the arguments lie this time: half of the blocks where the block before had them (so that who remembers an
  /// address meets new contents there), the others elsewhere (so that who wrote down an address misses).
  [[nodiscard]] verify::Layout next_layout(const measure::ScheduledCall& call, base::Philox& random);

 private:
  const Session& session_;
  std::size_t shift_ = 0;  ///< Bytes, of the arguments' places in the last block.
};

/// How the calls of a pair are ordered: workloads, repetitions, checks and perturbed calls of this session.
[[nodiscard]] measure::ScheduleOptions schedule_options(const Session& session, std::int32_t pair, bool with_incumbent);

}  // namespace assay::evaluate
