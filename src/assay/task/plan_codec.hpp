#pragma once

#include <cstdint>

#include <assay/task/decoder.hpp>
#include <assay/task/request.hpp>

namespace assay::task {

/// The most calls of one kind that a request may ask for.
inline constexpr std::int64_t kMostSamples = 1'000'000;

/// Reads a plan at any place of a document; faults go to the node.
[[nodiscard]] SessionPlan read_plan(const Node& node);

/// Reads a whole number within bounds; outside them the fault goes to the node, and the nearest bound is returned.
[[nodiscard]] int read_count(const Node& node, std::int64_t minimum, std::int64_t maximum);

}  // namespace assay::task
