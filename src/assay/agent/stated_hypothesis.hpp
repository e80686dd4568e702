#pragma once

#include <optional>
#include <string_view>

#include <assay/os/file.hpp>
#include <assay/task/hypothesis.hpp>

namespace assay::agent {

/// Reads a hypothesis that an agent stated as a JSON object: regime, mechanism, limiting_resource, change,
/// predicted_speedup {at_least, at_most}, differs, predicted_effect. Texts are made printable and clipped to a line; numbers
/// that predict no gain are not taken. Nothing without a mechanism: such words are only claimed (read_hypothesis). No field
/// of it can say how it fares.
[[nodiscard]] std::optional<task::Hypothesis> parse_stated_hypothesis(std::string_view text);

/// The same of hypothesis.json in the folder that the agent left.
[[nodiscard]] std::optional<task::Hypothesis> read_stated_hypothesis(const os::Path& folder);

}  // namespace assay::agent
