#pragma once

#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_decode {

/// The one-token step of the gated delta rule with 4 query and key heads, 8 value heads and head size 128:
/// definition gdn_decode_qk4_v8_d128_k_last. docs/operators/gdn_decode.md has the formula, the inputs and why
/// the tolerances are what they are.
[[nodiscard]] const Operator& instance();

}  // namespace assay::operators::gdn_decode
