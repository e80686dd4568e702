#pragma once

#include <assay/base/json.hpp>

namespace assay::mcp {

/// Bounds of what callers give, as the input schemas state them.
inline constexpr int kLongestClaimText = 300;
inline constexpr int kLongestQuery = 200;
inline constexpr int kMostFound = 100;
inline constexpr int kLongestWait = 50;  ///< Seconds. Clients have limits of their own that progress does not extend.
inline constexpr int kUsualWait = 25;

/// Returns the tools of a campaign with their schemas and annotations, in an order that never changes. None takes a seed, a
/// tolerance or an answer for a person, and none is destructive: Codex asks a person otherwise, and nobody is there.
[[nodiscard]] const base::Json& campaign_tool_list();

}  // namespace assay::mcp
