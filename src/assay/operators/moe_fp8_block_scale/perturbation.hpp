#pragma once

#include <span>

#include <assay/base/random.hpp>
#include <assay/device/copy_plan.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// Changes one element of `input`, or the scalar that it is, so that the output of some token moves by more than the
/// tolerance: an expert that a token selects is selected no more, a scale grows by 16, a value in a place that
/// counts changes its sign and becomes 448. Without any token that has a local expert it changes an element that
/// shows nowhere. Of what is left to `plan` it asks for what it reads, and what it changes there it leaves to it. Takes as long as a few rows of the products: it tries places until one counts.
void perturb_one(const Dimensions& dimensions, Input input, base::Philox& random, std::span<Argument> arguments,
                 device::CopyPlan& plan);

}  // namespace assay::operators::moe_fp8_block_scale
