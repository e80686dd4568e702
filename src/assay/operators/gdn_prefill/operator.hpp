#pragma once

#include <span>

#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_prefill {

/// The gated delta rule over packed sequences of any length, as a model reads its prompts.
/// docs/operators/gdn_prefill.md has the formula, the inputs and why the tolerances are what they are.
/// gdn_prefill_qk4_v8_d128_k_last is the contest's, gdn_prefill_qk2_v4_d16_k_last a small sibling.
[[nodiscard]] const Operator& contest_instance();
[[nodiscard]] const Operator& small_instance();
[[nodiscard]] std::span<const Operator* const> instances();

}  // namespace assay::operators::gdn_prefill
