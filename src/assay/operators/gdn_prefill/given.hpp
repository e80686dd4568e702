#pragma once

#include <span>

#include <assay/base/error.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::gdn_prefill {

/// Refuses given cu_seqlens, [num_seqs + 1] int64, that do not go from 0 to total_seq_len without falling. The message
/// names the element.
[[nodiscard]] base::Result<void> check_given_starts(const task::Workload& workload,
                                                    std::span<const std::byte> cu_seqlens);

}  // namespace assay::operators::gdn_prefill
