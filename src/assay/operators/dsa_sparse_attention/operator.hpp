#pragma once

#include <span>

#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Attention of a few query rows to the tokens that sparse_indices names, with compressed keys that are also the values:
/// the contest's definition, and a small sibling. docs/operators/dsa_sparse_attention.md has the formula, the inputs and
/// why the tolerances are what they are. The operators live for ever.
[[nodiscard]] std::span<const Operator* const> instances();
[[nodiscard]] const Operator& contest_instance();
[[nodiscard]] const Operator& small_instance();

}  // namespace assay::operators::dsa_sparse_attention
