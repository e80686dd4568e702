#pragma once

#include <assay/base/json.hpp>
#include <assay/control/memory.hpp>

namespace assay::control {

/// What a campaign with this incumbent (0: the baseline) knows, for people and tools: each hypothesis with its status and last
/// measurement, the routes that failed with their standing and what opens them again, and the evidence with whether it still
/// holds. What authors said is in `stated` alone.
[[nodiscard]] base::Json view(const Memory& memory, int incumbent);

}  // namespace assay::control
