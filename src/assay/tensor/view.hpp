#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <assay/tensor/dtype.hpp>
#include <assay/tensor/shape.hpp>

namespace assay::tensor {

/// Refers to a row-major contiguous tensor that someone else owns. `bytes` holds exactly its elements.
struct View {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  std::span<std::byte> bytes;
};

/// The same, read-only.
struct ConstView {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  std::span<const std::byte> bytes;
};

[[nodiscard]] ConstView as_const(const View& view);

}  // namespace assay::tensor
