#pragma once

#include <cstdint>

#include <assay/task/evaluation.hpp>
#include <assay/verify/sampled_content.hpp>

namespace assay::evaluate {

/// Findings about one call, without side and workload, which the caller adds.

/// An input changed while only workers ran.
[[nodiscard]] task::Finding input_written();
/// The device's driver reported `status` (see describe_device_failure).
[[nodiscard]] task::Finding device_error(std::int32_t status, std::int32_t return_code);
/// The same inputs gave other bits.
[[nodiscard]] task::Finding nondeterministic();
/// The device had no memory left for the judge while the candidate ran, and has some again now.
[[nodiscard]] task::Finding memory_taken();
/// An output changed after the call had returned.
[[nodiscard]] task::Finding late_write(const verify::SampledContent::Change& change);

}  // namespace assay::evaluate
