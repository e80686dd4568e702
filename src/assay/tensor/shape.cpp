#include <assay/tensor/shape.hpp>

#include <fmt/format.h>
#include <algorithm>

#include <assay/base/error.hpp>

namespace assay::tensor {

std::size_t element_count(const Shape& shape) {
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  std::size_t count = empty ? 0 : 1;
  for (const std::int64_t extent : shape) {
    ASSAY_CHECK(extent >= 0);
    ASSAY_CHECK(!__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count));
  }
  return count;
}

std::vector<std::int64_t> unravel(std::size_t flat, const Shape& shape) {
  ASSAY_CHECK(flat < element_count(shape));
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[axis]);
    index[axis] = static_cast<std::int64_t>(flat % extent);
    flat /= extent;
  }
  return index;
}

std::string to_string(const std::vector<std::int64_t>& indices) {
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

}  // namespace assay::tensor
