#pragma once

#include <functional>
#include <optional>
#include <span>

#include <assay/tensor/comparison.hpp>

namespace assay::operators {

/// Compares a floating output element by element, where each has an allowed difference of its own; special values by
/// their class first. For operators whose inputs say how large an error is honest: an element may err by
/// `rule.relative` of what is expected and by `besides(element)`, which is also what an honest implementation of the same
/// precision errs by beside the rounding of the output. The parts of the rule that speak of the whole tensor
/// (tensor::TensorQuality) hold too. The answer names the element that is furthest beyond what it is allowed.
[[nodiscard]] std::optional<tensor::Mismatch> compare_within(const tensor::ConstView& got,
                                                             std::span<const double> expected,
                                                             const tensor::ComparisonRule& rule,
                                                             const std::function<double(std::size_t)>& besides);

}  // namespace assay::operators
