#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::operators {

/// Splits the Python reference of a definition into its statements, each as tokens with one space between them, so that
/// neither layout nor comments matter: "x = hidden_states . to ( torch . float32 )". What does not change values is
/// left out: imports of torch and numpy, decorators `@torch.no_grad()`, texts, assertions, and where a shape is taken
/// apart ("M, K = A.shape"). The first is "def run ( … ) :". Nullopt if the module has anything but one plain `run`.
///
/// A native operator may stand in for a definition only if it knows every statement that is left: two definitions of
/// one structure may mean different things (Gemma's RMSNorm scales by 1 + weight).
[[nodiscard]] std::optional<std::vector<std::string>> reference_statements(std::string_view source);

}  // namespace assay::operators
