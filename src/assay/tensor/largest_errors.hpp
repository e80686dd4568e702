#pragma once

#include <span>

#include <assay/tensor/view.hpp>

namespace assay::tensor {

/// How far an output is from its reference at the worst, by flashinfer-bench's formulas: |got - expected|, and the same
/// over |expected| + 1e-8. Infinite where a special value stands against one of another class or a number.
struct LargestErrors {
  double absolute = 0;
  double relative = 0;

  void add(const LargestErrors& other);
};

/// Measures a floating output (checked); row-major, one expected double an element.
[[nodiscard]] LargestErrors largest_errors(const ConstView& got, std::span<const double> expected);

}  // namespace assay::tensor
