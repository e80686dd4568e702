#pragma once

#include <cstdint>
#include <variant>

#include <assay/tensor/view.hpp>

namespace assay::operators {

/// A scalar argument, passed by value.
using Scalar = std::variant<std::int64_t, double, bool>;

/// One argument of a call in the definition's order: a tensor view or a scalar.
using Argument = std::variant<tensor::View, Scalar>;
using ConstArgument = std::variant<tensor::ConstView, Scalar>;

}  // namespace assay::operators
