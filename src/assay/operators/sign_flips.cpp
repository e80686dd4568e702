#include <assay/operators/sign_flips.hpp>

#include <cstring>

#include <assay/base/error.hpp>

namespace assay::operators {

Signs draw_signs(base::Philox& random, std::size_t count) {
  constexpr std::uint16_t kSignBit = 0x8000;
  constexpr std::size_t kBits = 32;
  Signs signs(count);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits = i % kBits == 0 ? random.next_u32() : bits >> 1U;
    signs[i] = (bits & 1U) != 0 ? kSignBit : std::uint16_t{0};
  }
  return signs;
}

void flip(std::span<std::uint16_t> values, std::span<const std::uint16_t> signs) {
  ASSAY_CHECK(values.size() == signs.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(values[i] ^ signs[i]);
  }
}

void flip(std::span<float> matrix, std::span<const std::uint16_t> rows, std::span<const std::uint16_t> columns) {
  ASSAY_CHECK(matrix.size() == rows.size() * columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      float& value = matrix[i * columns.size() + j];
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      bits ^= static_cast<std::uint32_t>(rows[i] ^ columns[j]) << 16U;
      std::memcpy(&value, &bits, sizeof bits);
    }
  }
}

}  // namespace assay::operators
