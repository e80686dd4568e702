#pragma once

#include <string>

namespace assay::plot {

/// Numbers in pictures. All are fixed in format and independent of the locale, so that a picture of the same
/// data has the same bytes on every machine.

/// Writes a coordinate with at most two decimals, without trailing zeros and without "-0". `value` must be
/// finite.
[[nodiscard]] std::string coordinate(double value);

/// Writes a number for a tick with at most `digits` significant digits and no exponent for ordinary sizes:
/// "0.25", "1500".
[[nodiscard]] std::string short_number(double value, int digits = 6);

/// Writes nanoseconds for a tick without padding: "20 µs", "1.5 ms".
[[nodiscard]] std::string duration_label(double nanoseconds);

/// Writes a ratio for people: "1.84×", two decimals; three digits before the point lose the decimals.
[[nodiscard]] std::string ratio_label(double ratio);

}  // namespace assay::plot
