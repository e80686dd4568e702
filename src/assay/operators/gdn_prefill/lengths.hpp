#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::gdn_prefill {

/// Returns the lengths of a workload's sequences: its `lengths`, which must fit its axes (checked), or if it has none
/// lengths that follow from its uuid, as those of served models are: one long sequence, the rest short, none empty
/// unless there are more sequences than tokens.
[[nodiscard]] std::vector<std::int64_t> sequence_lengths(const task::Workload& workload);

/// Returns `lengths` summed up: cu_seqlens, one entry more.
[[nodiscard]] std::vector<std::int64_t> cumulative(std::span<const std::int64_t> lengths);

/// How the sequences of a stress trial are long.
enum class LengthPlan : std::uint8_t {
  empty_and_single,  ///< 0, 1, and now and then 2 or 3; at least one empty sequence where two fit.
  tile_edges,        ///< One less than, one more than and just 16, 32, 64 and 128.
  one_long,          ///< One takes what the others, 0 to 8 tokens long, leave.
  several,           ///< Anything, empty ones and primes too.
  chains,            ///< One or two, as long as may be.
  many,              ///< As many as may be, 0 to 5 tokens long.
};

/// Draws lengths: at least one sequence and one token, at most as many as stated.
[[nodiscard]] std::vector<std::int64_t> draw_lengths(LengthPlan plan, base::Philox& random,
                                                     std::uint64_t most_sequences, std::uint64_t most_tokens);

}  // namespace assay::operators::gdn_prefill
