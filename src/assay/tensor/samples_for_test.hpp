#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/tensor/dtype.hpp>
#include <assay/tensor/shape.hpp>
#include <assay/tensor/view.hpp>

/// For tests only.
namespace assay::tensor::samples {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Owns the bytes of one tensor.
struct Owned {
  DType dtype;
  Shape shape;
  std::vector<std::byte> bytes;

  [[nodiscard]] ConstView view() const { return {"y", dtype, shape, bytes}; }
};

template <class T>
Owned owned(DType dtype, Shape shape, const std::vector<T>& values) {
  Owned result{dtype, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) {
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  }
  return result;
}

inline Owned floats(Shape shape, const std::vector<double>& values) {
  return owned(DType::float32, std::move(shape), std::vector<float>(values.begin(), values.end()));
}

inline std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  base::Philox random(seed, 0);
  std::vector<double> values(count);
  for (double& value : values) {
    value = static_cast<double>(static_cast<float>(random.next_normal()));
  }
  return values;
}

/// Each value times `factor`, rounded to one of five types.
inline Owned rounded(DType dtype, const std::vector<double>& values, double factor) {
  const Shape shape{static_cast<std::int64_t>(values.size())};
  const auto all = [&](auto convert) {
    std::vector<decltype(convert(0.0))> converted;
    for (const double value : values) {
      converted.push_back(convert(factor * value));
    }
    return owned(dtype, shape, converted);
  };
  switch (dtype) {
    case DType::float16:
      return all([](double value) { return to_float16(static_cast<float>(value)); });
    case DType::bfloat16:
      return all([](double value) { return to_bfloat16(static_cast<float>(value)); });
    case DType::float8_e4m3fn:
      return all([](double value) { return to_float8_e4m3fn(static_cast<float>(value)); });
    case DType::float32:
      return all([](double value) { return static_cast<float>(value); });
    default:
      return all([](double value) { return value; });
  }
}

}  // namespace assay::tensor::samples
