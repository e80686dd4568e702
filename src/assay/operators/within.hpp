#pragma once

#include <functional>
#include <optional>
#include <span>

#include <assay/tensor/comparison.hpp>

namespace assay::operators {

/// Compares a floating output element by element, where each has an allowed difference of its own; special values by
/// their class first. For operators whose inputs say how large an error is honest. The answer names the element that is
/// furthest beyond what it is allowed.
[[nodiscard]] std::optional<tensor::Mismatch> compare_within(const tensor::ConstView& got,
                                                             std::span<const double> expected,
                                                             const std::function<double(std::size_t)>& allowed);

}  // namespace assay::operators
