#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::skill {

/// Splits a line of shell into words: quotes and backslashes as a shell has them, nothing else expanded. Ends at a
/// comment and at an unquoted | ; & < or >, so that the first command alone is there. Nothing if a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace assay::skill
