#pragma once

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/definition.hpp>

namespace assay::evaluate {

/// Finds what Assay knows about a definition. One that it does not know, or that has the name of a known one and
/// another interface, is an input error.
[[nodiscard]] base::Result<const operators::Operator*> known_operator(const task::Definition& definition);

}  // namespace assay::evaluate
