#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::tensor {

/// Element types of the FlashInfer-Trace schema, in its spelling (see to_string). float4_e2m1 holds two
/// elements a byte. The last three are words of the newer dialect that say nothing about memory: `unknown` (an argument
/// that was absent when the definition was traced), `string`, and `element_type` (written "dtype": the argument is
/// itself the name of a type). They can be read and written, not run: see has_storage.
enum class DType : std::uint8_t {
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  float4_e2m1,
  int64,
  int32,
  int16,
  int8,
  boolean,
  uint8,
  uint32,
  float64,
  unknown,
  string,
  element_type,
};

[[nodiscard]] std::string_view to_string(DType dtype);
/// Parses the schema's name ("bfloat16", "bool"); nullopt if there is no such type.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);
/// Names of all types, in the schema's spelling.
[[nodiscard]] std::vector<std::string_view> dtype_names();

/// Tells whether elements of the type can lie in memory: all types but `unknown`, `string` and `element_type`.
[[nodiscard]] bool has_storage(DType dtype);
/// Returns the width of an element; 0 without storage.
[[nodiscard]] std::size_t bits(DType dtype);
/// Returns the bytes that `elements` elements take, packed. The type must have storage.
[[nodiscard]] std::size_t byte_size(DType dtype, std::size_t elements);
[[nodiscard]] bool is_floating(DType dtype);

/// Converts between float and bfloat16 bits: round to nearest even; NaN stays NaN.
[[nodiscard]] std::uint16_t to_bfloat16(float value);
[[nodiscard]] inline float from_bfloat16(std::uint16_t value) {
  const std::uint32_t word = static_cast<std::uint32_t>(value) << 16U;
  return __builtin_bit_cast(float, word);
}
/// Converts between float and IEEE binary16 bits: round to nearest even; overflow becomes infinity.
[[nodiscard]] std::uint16_t to_float16(float value);
[[nodiscard]] float from_float16(std::uint16_t value);

/// Convert between float and the OCP 8-bit formats: round to nearest even. e4m3fn has no infinity: what
/// rounds beyond 448 becomes NaN. e5m2 behaves like binary16.
[[nodiscard]] std::uint8_t to_float8_e4m3fn(float value);
[[nodiscard]] float from_float8_e4m3fn(std::uint8_t value);
[[nodiscard]] std::uint8_t to_float8_e5m2(float value);
[[nodiscard]] float from_float8_e5m2(std::uint8_t value);
/// Reads the low four bits: sign, two exponent bits, one mantissa bit; all sixteen values are finite.
[[nodiscard]] float from_float4_e2m1(std::uint8_t value);
/// Rounds to the nearest and returns the four bits; ties go to the even code, what is larger than 6 becomes 6, NaN 0.
[[nodiscard]] std::uint8_t to_float4_e2m1(float value);

}  // namespace assay::tensor
