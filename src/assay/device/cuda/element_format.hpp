#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include <assay/base/host_device.hpp>
#include <assay/base/rounding_error.hpp>

/// How trusted kernels read elements, by the same text as the tests on a CPU: what tensor/dtype.hpp says in double
/// precision, from bits alone.
namespace assay::device::cuda {

/// Element types that can be compared on the device.
enum class ElementFormat : std::uint32_t {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint32,
  uint8,
  boolean,
};

[[nodiscard]] ASSAY_HOST_DEVICE constexpr bool is_floating(ElementFormat format) {
  return static_cast<std::uint32_t>(format) <= static_cast<std::uint32_t>(ElementFormat::float8_e5m2);
}

[[nodiscard]] ASSAY_HOST_DEVICE constexpr std::uint64_t element_bytes(ElementFormat format) {
  switch (format) {
    case ElementFormat::float64:
    case ElementFormat::int64:
      return 8;
    case ElementFormat::float32:
    case ElementFormat::int32:
    case ElementFormat::uint32:
      return 4;
    case ElementFormat::float16:
    case ElementFormat::bfloat16:
    case ElementFormat::int16:
      return 2;
    default:
      return 1;
  }
}

/// What rounding a value to a floating type changes it by, squared.
[[nodiscard]] ASSAY_HOST_DEVICE inline double rounding_square(ElementFormat format, double value) {
  double error = 0;
  switch (format) {
    case ElementFormat::float32:
      error = base::rounding_error(value, 24, -125);
      break;
    case ElementFormat::bfloat16:
      error = base::rounding_error(value, 8, -125);
      break;
    case ElementFormat::float16:
      error = base::rounding_error(value, 11, -13);
      break;
    case ElementFormat::float8_e4m3fn:
      error = base::rounding_error(value, 4, -5);
      break;
    case ElementFormat::float8_e5m2:
      error = base::rounding_error(value, 3, -13);
      break;
    default:
      break;
  }
  return error * error;
}

/// Takes the value of one type's bits for another's, of the same size.
template <class To, class From>
[[nodiscard]] ASSAY_HOST_DEVICE inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "of one size");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

[[nodiscard]] ASSAY_HOST_DEVICE inline bool is_finite(double value) {
  return fabs(value) <= 1.7976931348623157e308;  // False for NaN.
}

/// A double of a power of two, from -1022 to 1023.
[[nodiscard]] ASSAY_HOST_DEVICE inline double power_of_two(int exponent) {
  return bits_as<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// A small floating type's bits as a double: `exponent_bits` with the usual bias, then `mantissa_bits`, below the sign.
/// `has_infinity`: the highest exponent means infinity or NaN; else only its highest mantissa means NaN.
[[nodiscard]] ASSAY_HOST_DEVICE inline double small_float(std::uint32_t bits, int exponent_bits, int mantissa_bits,
                                                          bool has_infinity) {
  const std::uint32_t one = 1U << static_cast<unsigned>(mantissa_bits);
  const std::uint32_t highest = (1U << static_cast<unsigned>(exponent_bits)) - 1;
  const std::uint32_t mantissa = bits & (one - 1);
  const std::uint32_t exponent = (bits >> static_cast<unsigned>(mantissa_bits)) & highest;
  const bool negative = ((bits >> static_cast<unsigned>(exponent_bits + mantissa_bits)) & 1U) != 0;
  const int bias = static_cast<int>(highest / 2);
  double magnitude = 0;
  if (exponent == highest && has_infinity) {
    magnitude =
        bits_as<double>(mantissa != 0 ? std::uint64_t{0x7ff8000000000000U} : std::uint64_t{0x7ff0000000000000U});
  } else if (exponent == highest && mantissa == one - 1 && !has_infinity) {
    magnitude = bits_as<double>(std::uint64_t{0x7ff8000000000000U});
  } else if (exponent == 0) {
    magnitude = static_cast<double>(mantissa) * power_of_two(1 - bias - mantissa_bits);
  } else {
    magnitude = static_cast<double>(mantissa + one) * power_of_two(static_cast<int>(exponent) - bias - mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

[[nodiscard]] ASSAY_HOST_DEVICE inline double bfloat16_value(std::uint16_t bits) {
  return static_cast<double>(bits_as<float>(static_cast<std::uint32_t>(bits) << 16U));
}
[[nodiscard]] ASSAY_HOST_DEVICE inline double float16_value(std::uint16_t bits) {
  return small_float(bits, 5, 10, true);
}
[[nodiscard]] ASSAY_HOST_DEVICE inline double float8_e4m3fn_value(std::uint8_t bits) {
  return small_float(bits, 4, 3, false);
}
[[nodiscard]] ASSAY_HOST_DEVICE inline double float8_e5m2_value(std::uint8_t bits) {
  return small_float(bits, 5, 2, true);
}

/// Reads element `at` of a floating tensor. Aligned to its size.
[[nodiscard]] ASSAY_HOST_DEVICE inline double read_floating(ElementFormat format, const void* from, std::uint64_t at) {
  switch (format) {
    case ElementFormat::float64:
      return static_cast<const double*>(from)[at];
    case ElementFormat::float32:
      return static_cast<double>(static_cast<const float*>(from)[at]);
    case ElementFormat::float16:
      return float16_value(static_cast<const std::uint16_t*>(from)[at]);
    case ElementFormat::bfloat16:
      return bfloat16_value(static_cast<const std::uint16_t*>(from)[at]);
    case ElementFormat::float8_e4m3fn:
      return float8_e4m3fn_value(static_cast<const std::uint8_t*>(from)[at]);
    default:
      return float8_e5m2_value(static_cast<const std::uint8_t*>(from)[at]);
  }
}

/// Reads element `at` of an integer tensor; a boolean is 0 or 1, whatever its bits.
[[nodiscard]] ASSAY_HOST_DEVICE inline std::int64_t read_integer(ElementFormat format, const void* from,
                                                                 std::uint64_t at) {
  switch (format) {
    case ElementFormat::int64:
      return static_cast<const std::int64_t*>(from)[at];
    case ElementFormat::int32:
      return static_cast<const std::int32_t*>(from)[at];
    case ElementFormat::int16:
      return static_cast<const std::int16_t*>(from)[at];
    case ElementFormat::int8:
      return static_cast<const std::int8_t*>(from)[at];
    case ElementFormat::uint32:
      return static_cast<std::int64_t>(static_cast<const std::uint32_t*>(from)[at]);
    case ElementFormat::uint8:
      return static_cast<std::int64_t>(static_cast<const std::uint8_t*>(from)[at]);
    default:
      return static_cast<const std::uint8_t*>(from)[at] != 0 ? 1 : 0;
  }
}

}  // namespace assay::device::cuda
