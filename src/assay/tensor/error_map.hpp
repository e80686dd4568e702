#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/tensor/comparison.hpp>
#include <assay/tensor/shape.hpp>

namespace assay::tensor {

/// Where the wrong elements of a tensor are, for people.
struct ErrorMap {
  std::size_t wrong = 0;
  std::vector<std::int64_t> first;  ///< Smallest and largest index of a wrong element on each axis, both included.
  std::vector<std::int64_t> last;
  /// One sentence: "all wrong elements lie in [3, 0..127, 112..127], and there 100 % are wrong".
  std::string sentence;
  /// The tensor as a matrix of its last axis by all others, drawn small: at most 12 lines of at most 64 characters, each
  /// for an equal share of rows and columns: ' ' none is wrong there, '.' under 1 %, ':' under 10 %, '+' under half, '#'.
  std::vector<std::string> picture;
};

/// Marks the elements of a floating tensor that the element rule refuses (special values by class first), row-major.
[[nodiscard]] std::vector<bool> wrong_elements(const ConstView& got, std::span<const double> expected,
                                               const ComparisonRule& rule);

/// Draws a map of marked elements; `wrong` has one entry an element of `shape`. Nothing marked: an empty map.
[[nodiscard]] ErrorMap map_errors(const Shape& shape, const std::vector<bool>& wrong);

}  // namespace assay::tensor
