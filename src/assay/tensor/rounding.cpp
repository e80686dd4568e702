#include <assay/tensor/rounding.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <assay/base/error.hpp>

namespace assay::tensor {
namespace {

template <class T>
T cut_to_range(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  // 2^63 itself is not an int64: the largest double below it is what a cut gives.
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<T>::min());
  const double largest = sizeof(T) == 8 ? 0x1.fffffffffffffp62 : static_cast<double>(std::numeric_limits<T>::max());
  return static_cast<T>(std::nearbyint(std::clamp(value, kLowest, largest)));
}

template <class T, class Convert>
void write_all(const View& view, std::span<const double> values, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T stored = convert(values[i]);
    std::memcpy(view.bytes.data() + i * sizeof stored, &stored, sizeof stored);
  }
}

/// Two elements a byte, the even one in its low half.
void write_halves(const View& view, std::span<const double> values) {
  for (std::size_t i = 0; i < view.bytes.size(); ++i) {
    const std::uint8_t low = to_float4_e2m1(static_cast<float>(values[2 * i]));
    const std::uint8_t high = 2 * i + 1 < values.size() ? to_float4_e2m1(static_cast<float>(values[2 * i + 1])) : 0;
    view.bytes[i] = static_cast<std::byte>(low | high << 4U);
  }
}

}  // namespace

void write_rounded(const View& view, std::span<const double> values) {
  ASSAY_CHECK(element_count(view.shape) == values.size());
  ASSAY_CHECK(byte_size(view.dtype, values.size()) == view.bytes.size());
  const auto narrow = [](double value) { return static_cast<float>(value); };
  switch (view.dtype) {
    case DType::float64:
      return write_all<double>(view, values, [](double value) { return value; });
    case DType::float32:
      return write_all<float>(view, values, narrow);
    case DType::float16:
      return write_all<std::uint16_t>(view, values, [&](double value) { return to_float16(narrow(value)); });
    case DType::bfloat16:
      return write_all<std::uint16_t>(view, values, [&](double value) { return to_bfloat16(narrow(value)); });
    case DType::float8_e4m3fn:
      return write_all<std::uint8_t>(view, values, [&](double value) { return to_float8_e4m3fn(narrow(value)); });
    case DType::float8_e5m2:
      return write_all<std::uint8_t>(view, values, [&](double value) { return to_float8_e5m2(narrow(value)); });
    case DType::float4_e2m1:
      return write_halves(view, values);
    case DType::uint32:
      return write_all<std::uint32_t>(view, values, cut_to_range<std::uint32_t>);
    case DType::uint8:
      return write_all<std::uint8_t>(view, values, cut_to_range<std::uint8_t>);
    case DType::int64:
      return write_all<std::int64_t>(view, values, cut_to_range<std::int64_t>);
    case DType::int32:
      return write_all<std::int32_t>(view, values, cut_to_range<std::int32_t>);
    case DType::int16:
      return write_all<std::int16_t>(view, values, cut_to_range<std::int16_t>);
    case DType::int8:
      return write_all<std::int8_t>(view, values, cut_to_range<std::int8_t>);
    case DType::boolean:
      return write_all<std::uint8_t>(view, values,
                                     [](double value) { return static_cast<std::uint8_t>(value != 0 ? 1 : 0); });
    default:
      base::check_failed("a type with storage", __FILE__, __LINE__);
  }
}

double round_to_bits(double value, int significant_bits) {
  ASSAY_CHECK(significant_bits >= 1 && significant_bits <= 52);
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, significant_bits)), exponent - significant_bits);
}

int significant_bits(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 53;
    case DType::float32:
      return 24;
    case DType::float16:
      return 11;
    case DType::bfloat16:
      return 8;
    case DType::float8_e4m3fn:
      return 4;
    case DType::float8_e5m2:
      return 3;
    case DType::float4_e2m1:
      return 2;
    default:
      base::check_failed("a floating type", __FILE__, __LINE__);
  }
}

}  // namespace assay::tensor
