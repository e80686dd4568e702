#pragma once

#include <cstdint>
#include <optional>

#include <assay/base/json.hpp>

namespace assay::task {

/// Conversions that pydantic's lax mode makes, which readers of the flashinfer-bench dialect rely on. Each takes a
/// value that does not have the wanted JSON type already, and returns nothing if it cannot be read so.

/// Integral floats, booleans and text such as "4", " +1_000 " or "4.0".
[[nodiscard]] std::optional<std::int64_t> lax_integer(const base::Json& json);
/// Booleans and text such as "1.5e3", "nan" or "Infinity".
[[nodiscard]] std::optional<double> lax_number(const base::Json& json);
/// 0, 1 and the words true/t/yes/y/on/1 and false/f/no/n/off/0, in any case.
[[nodiscard]] std::optional<bool> lax_boolean(const base::Json& json);

/// Exactly "NaN", "Infinity" and "-Infinity": the form in which Assay writes them.
[[nodiscard]] std::optional<double> named_number(const base::Json& json);

}  // namespace assay::task
