#include <assay/tensor/dtype.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <assay/base/error.hpp>

namespace assay::tensor {
namespace {

struct Entry {
  DType dtype;
  std::string_view name;
  unsigned bits;
  bool floating;
};

// The names are the schema's, persisted in every definition: they never change.
constexpr std::array<Entry, 17> kEntries{{
    {DType::float32, "float32", 32, true},
    {DType::float16, "float16", 16, true},
    {DType::bfloat16, "bfloat16", 16, true},
    {DType::float8_e4m3fn, "float8_e4m3fn", 8, true},
    {DType::float8_e5m2, "float8_e5m2", 8, true},
    {DType::float4_e2m1, "float4_e2m1", 4, true},
    {DType::int64, "int64", 64, false},
    {DType::int32, "int32", 32, false},
    {DType::int16, "int16", 16, false},
    {DType::int8, "int8", 8, false},
    {DType::boolean, "bool", 8, false},
    {DType::uint8, "uint8", 8, false},
    {DType::uint32, "uint32", 32, false},
    {DType::float64, "float64", 64, true},
    {DType::unknown, "unknown", 0, false},
    {DType::string, "string", 0, false},
    {DType::element_type, "dtype", 0, false},
}};

const Entry& entry(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  ASSAY_CHECK(index < kEntries.size() && kEntries[index].dtype == dtype);
  return kEntries[index];
}

/// Rounds |value| to the grid of a format with `mantissa_bits` whose smallest normal is 2^minimum_exponent,
/// and returns exponent and mantissa fields side by side. The implicit one adds itself to the exponent field,
/// and a mantissa that rounds up to the next power of two carries into it, so that subnormals and carries
/// need no case of their own.
std::uint32_t round_to_fields(float value, int mantissa_bits, int minimum_exponent) {
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude == 0) {
    return 0;
  }
  const int exponent = std::max(std::ilogb(magnitude), minimum_exponent);
  const double quotient = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
  return (static_cast<std::uint32_t>(exponent - minimum_exponent) << static_cast<unsigned>(mantissa_bits)) +
         static_cast<std::uint32_t>(quotient);
}

/// Inverse of the above for finite fields.
float from_fields(std::uint32_t fields, int mantissa_bits, int minimum_exponent) {
  const std::uint32_t exponent = fields >> static_cast<unsigned>(mantissa_bits);
  const std::uint32_t one = std::uint32_t{1} << static_cast<unsigned>(mantissa_bits);
  const std::uint32_t mantissa = (fields & (one - 1)) + (exponent == 0 ? 0 : one);
  const int power = (exponent == 0 ? 0 : static_cast<int>(exponent) - 1) + minimum_exponent - mantissa_bits;
  return std::ldexp(static_cast<float>(mantissa), power);
}

}  // namespace

std::string_view to_string(DType dtype) { return entry(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Entry& e : kEntries) {
    if (e.name == name) {
      return e.dtype;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> dtype_names() {
  std::vector<std::string_view> names;
  for (const Entry& e : kEntries) {
    names.push_back(e.name);
  }
  return names;
}

bool has_storage(DType dtype) { return entry(dtype).bits != 0; }

std::size_t bits(DType dtype) { return entry(dtype).bits; }

std::size_t byte_size(DType dtype, std::size_t elements) {
  const std::size_t width = bits(dtype);
  ASSAY_CHECK(width != 0);
  if (width < 8) {
    return elements / 2 + elements % 2;
  }
  ASSAY_CHECK(elements <= std::numeric_limits<std::size_t>::max() / (width / 8));
  return elements * (width / 8);
}

bool is_floating(DType dtype) { return entry(dtype).floating; }

std::uint16_t to_bfloat16(float value) {
  const auto word = __builtin_bit_cast(std::uint32_t, value);
  if ((word & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<std::uint16_t>((word >> 16U) | 0x40U);  // Quiet: the payload's low half may be all there is.
  }
  return static_cast<std::uint16_t>((word + 0x7fffU + ((word >> 16U) & 1U)) >> 16U);
}

std::uint16_t to_float16(float value) {
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  const std::uint32_t fields = std::isinf(value) ? 0x7c00U : round_to_fields(value, 10, -14);
  return static_cast<std::uint16_t>(sign | (fields < 0x7c00U ? fields : 0x7c00U));
}

float from_float16(std::uint16_t value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value & 0x8000U) << 16U;
  const std::uint32_t exponent = (value >> 10U) & 0x1fU;
  const std::uint32_t mantissa = value & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1fU ? 0xffU : exponent + 112U;
  return __builtin_bit_cast(float, sign | (wide << 23U) | (mantissa << 13U));
}

std::uint8_t to_float8_e4m3fn(float value) {
  const unsigned sign = std::signbit(value) ? 0x80U : 0U;
  const std::uint32_t fields = std::isfinite(value) ? round_to_fields(value, 3, -6) : 0x7fU;
  return static_cast<std::uint8_t>(sign | (fields < 0x7fU ? fields : 0x7fU));
}

float from_float8_e4m3fn(std::uint8_t value) {
  const std::uint32_t fields = value & 0x7fU;
  const float magnitude = fields == 0x7fU ? std::numeric_limits<float>::quiet_NaN() : from_fields(fields, 3, -6);
  return (value & 0x80U) != 0 ? -magnitude : magnitude;
}

std::uint8_t to_float8_e5m2(float value) {
  const unsigned sign = std::signbit(value) ? 0x80U : 0U;
  if (std::isnan(value)) {
    return static_cast<std::uint8_t>(sign | 0x7eU);
  }
  const std::uint32_t fields = std::isinf(value) ? 0x7cU : round_to_fields(value, 2, -14);
  return static_cast<std::uint8_t>(sign | (fields < 0x7cU ? fields : 0x7cU));
}

float from_float8_e5m2(std::uint8_t value) {
  // e5m2 is the upper byte of binary16.
  return from_float16(static_cast<std::uint16_t>(static_cast<unsigned>(value) << 8U));
}

float from_float4_e2m1(std::uint8_t value) {
  const float magnitude = from_fields(value & 0x7U, 1, 0);
  return (value & 0x8U) != 0 ? -magnitude : magnitude;
}

std::uint8_t to_float4_e2m1(float value) {
  std::uint8_t best = 0;
  for (std::uint8_t code = 1; code < 8; ++code) {
    const float distance = std::fabs(std::fabs(value) - from_float4_e2m1(code));
    const float least = std::fabs(std::fabs(value) - from_float4_e2m1(best));
    if (distance < least || (distance == least && code % 2 == 0)) {
      best = code;
    }
  }
  return static_cast<std::uint8_t>(best | (std::signbit(value) ? 8U : 0U));
}

}  // namespace assay::tensor
