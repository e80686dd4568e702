#pragma once

#include <assay/promote/policy.hpp>
#include <assay/task/decoder.hpp>

namespace assay::promote {

/// Whether a field that is not there takes its default (what people write) or is a fault (what Assay stored).
enum class Missing : std::uint8_t { take_default, refuse };

/// Reads a policy at any place of a document; the TOML form is read through the same door. Faults go to the node.
[[nodiscard]] Policy read_policy(const task::Node& node, Missing missing);

}  // namespace assay::promote
