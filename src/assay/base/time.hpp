#pragma once

#include <chrono>
#include <string>

namespace assay::base {

/// Returns the wall clock as "2026-11-29T17:39:39Z". For people and records; durations use std::chrono::steady_clock.
[[nodiscard]] std::string utc_now();

/// Formats a time point as above.
[[nodiscard]] std::string to_utc(std::chrono::system_clock::time_point when);

}  // namespace assay::base
