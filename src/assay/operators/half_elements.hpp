#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <assay/base/error.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators {

/// Reads and writes the elements of a float16 or bfloat16 tensor as floats. Refers to memory that someone else owns.
class HalfElements {
 public:
  HalfElements(std::span<std::byte> bytes, tensor::DType dtype) : bytes_(bytes), dtype_(dtype) {
    ASSAY_CHECK(dtype == tensor::DType::float16 || dtype == tensor::DType::bfloat16);
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(std::uint16_t); }
  [[nodiscard]] float get(std::size_t index) const {
    ASSAY_CHECK(index < size());
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes_.data() + index * sizeof bits, sizeof bits);
    return dtype_ == tensor::DType::float16 ? tensor::from_float16(bits) : tensor::from_bfloat16(bits);
  }
  /// Rounds to nearest even.
  void set(std::size_t index, float value) const {
    ASSAY_CHECK(index < size());
    const std::uint16_t bits =
        dtype_ == tensor::DType::float16 ? tensor::to_float16(value) : tensor::to_bfloat16(value);
    std::memcpy(bytes_.data() + index * sizeof bits, &bits, sizeof bits);
  }

 private:
  std::span<std::byte> bytes_;
  tensor::DType dtype_;
};

/// Largest relative error of rounding to one of the two, outside the subnormal range: half a unit in the last place.
[[nodiscard]] constexpr double half_roundoff(tensor::DType dtype) {
  return dtype == tensor::DType::float16 ? 0x1p-11 : 0x1p-8;
}

/// What an output may differ by however small it is: the step between float16's subnormals; the smallest normal of
/// bfloat16, because a kernel may flush what is below.
[[nodiscard]] constexpr double smallest_half(tensor::DType dtype) {
  return dtype == tensor::DType::float16 ? 0x1p-24 : 0x1p-126;
}

}  // namespace assay::operators
