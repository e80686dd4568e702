#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <assay/base/error.hpp>
#include <assay/tensor/dtype.hpp>
#include <assay/tensor/view.hpp>

/// How the passes over an output read its elements: inlined into their loops, which is what makes them as fast as memory.
/// Part of this layer's sources; nobody else includes it.
namespace assay::tensor {

inline constexpr std::size_t kElementsATile = 1024;
inline constexpr std::size_t kElementsAPiece = std::size_t{1} << 17U;  // About 0.1 ms: starting a thread takes less.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two doubles fit one register of every 64-bit target. Reductions are written in such pairs because the
// compiler may not reorder a floating sum by itself, and two independent sums hide much of the adder's
// latency.
using Pair = double __attribute__((vector_size(16)));
using FloatPair = float __attribute__((vector_size(8)));
using BitPair = std::int64_t __attribute__((vector_size(16)));

template <class T>
T load(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

inline Pair magnitude_of(Pair value) {
  constexpr std::int64_t kMask = std::numeric_limits<std::int64_t>::max();
  return __builtin_bit_cast(Pair, __builtin_bit_cast(BitPair, value) & BitPair{kMask, kMask});
}

/// Special values are compared by these first.
enum class Class : std::uint8_t { finite, nan, positive_infinity, negative_infinity };

inline Class classify(double value) {
  if (std::isfinite(value)) {
    return Class::finite;
  }
  if (std::isnan(value)) {
    return Class::nan;
  }
  return value > 0 ? Class::positive_infinity : Class::negative_infinity;
}

inline double read_floating(DType dtype, const std::byte* bytes, std::size_t flat) {
  switch (dtype) {
    case DType::float64:
      return load<double>(bytes, flat);
    case DType::float32:
      return static_cast<double>(load<float>(bytes, flat));
    case DType::float16:
      return static_cast<double>(from_float16(load<std::uint16_t>(bytes, flat)));
    case DType::bfloat16:
      return static_cast<double>(from_bfloat16(load<std::uint16_t>(bytes, flat)));
    case DType::float8_e4m3fn:
      return static_cast<double>(from_float8_e4m3fn(load<std::uint8_t>(bytes, flat)));
    case DType::float8_e5m2:
      return static_cast<double>(from_float8_e5m2(load<std::uint8_t>(bytes, flat)));
    case DType::float4_e2m1:
      // The element with the even index lies in the low half of its byte.
      return static_cast<double>(
          from_float4_e2m1(static_cast<std::uint8_t>(load<std::uint8_t>(bytes, flat / 2) >> (flat % 2 * 4))));
    default:
      base::check_failed("a floating dtype", __FILE__, __LINE__);
  }
}

inline std::int64_t read_integer(DType dtype, const std::byte* bytes, std::size_t flat) {
  switch (dtype) {
    case DType::int64:
      return load<std::int64_t>(bytes, flat);
    case DType::int32:
      return load<std::int32_t>(bytes, flat);
    case DType::int16:
      return load<std::int16_t>(bytes, flat);
    case DType::int8:
      return load<std::int8_t>(bytes, flat);
    case DType::uint8:
      return load<std::uint8_t>(bytes, flat);
    case DType::uint32:
      return load<std::uint32_t>(bytes, flat);
    case DType::boolean:
      return load<std::uint8_t>(bytes, flat) != 0 ? 1 : 0;
    default:
      base::check_failed("an integer dtype", __FILE__, __LINE__);
  }
}

/// Calls `work(bytes, at, count)` with float32 elements of `got`, tile by tile; `at` is the index of the first of them. No
/// type that comes here is wider than float.
template <class Work>
void for_each_tile(const ConstView& got, std::size_t first, std::size_t count, Work work) {
  if (got.dtype == DType::float32) {
    work(got.bytes.data() + first * sizeof(float), first, count);
    return;
  }
  std::array<float, kElementsATile> tile;
  for (std::size_t begin = first; begin < first + count; begin += kElementsATile) {
    const std::size_t now = std::min(kElementsATile, first + count - begin);
    if (got.dtype == DType::bfloat16) {
      for (std::size_t i = 0; i < now; ++i) {
        tile[i] = from_bfloat16(load<std::uint16_t>(got.bytes.data(), begin + i));
      }
    } else {
      for (std::size_t i = 0; i < now; ++i) {
        tile[i] = static_cast<float>(read_floating(got.dtype, got.bytes.data(), begin + i));
      }
    }
    work(std::as_bytes(std::span(tile)).data(), begin, now);
  }
}

}  // namespace assay::tensor
