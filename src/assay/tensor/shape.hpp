#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::tensor {

/// Extents of a row-major contiguous tensor, outermost first. Empty: a 0-d tensor with one element.
using Shape = std::vector<std::int64_t>;

/// Returns the number of elements. Extents must be >= 0; the product must fit (checked).
[[nodiscard]] std::size_t element_count(const Shape& shape);

/// Turns a flat row-major position into one index per axis.
[[nodiscard]] std::vector<std::int64_t> unravel(std::size_t flat, const Shape& shape);

/// Writes an index as "[3, 0, 17]" and a shape likewise.
[[nodiscard]] std::string to_string(const std::vector<std::int64_t>& indices);

}  // namespace assay::tensor
