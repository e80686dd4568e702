#pragma once

#include <cstdint>
#include <optional>

namespace assay::task {

/// Divides as Python's // does: rounds towards minus infinity. `right` must not be 0. Nothing if it does not fit.
[[nodiscard]] std::optional<std::int64_t> floor_quotient(std::int64_t left, std::int64_t right);

/// Returns what Python's % does: the remainder with the divisor's sign. `right` must not be 0. Always fits.
[[nodiscard]] std::int64_t floor_remainder(std::int64_t left, std::int64_t right);

/// Raises to a power; `exponent` must be >= 0. Nothing if it does not fit. 0 to the power of 0 is 1.
[[nodiscard]] std::optional<std::int64_t> integer_power(std::int64_t value, std::int64_t exponent);

}  // namespace assay::task
