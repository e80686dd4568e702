#pragma once

#include <optional>
#include <span>

#include <assay/tensor/comparison.hpp>

namespace assay::tensor {

/// Accepts a floating output as flashinfer-bench's default evaluator does, so that its verdicts can be had beside ours:
/// both sides are rounded to float32; any NaN or infinity that was computed is wrong; an element is wrong if its error
/// exceeds `absolute` and also `relative` * (|expected| + 1e-8); where the reference is NaN or infinite anything finite
/// passes; at least `matched_ratio` of the elements must not be wrong. Integer outputs are held to the same numbers, as
/// theirs are. Never decides a verdict of ours.
[[nodiscard]] std::optional<Mismatch> compare_officially(const ConstView& got, std::span<const double> expected,
                                                         double absolute, double relative, double matched_ratio);

}  // namespace assay::tensor
