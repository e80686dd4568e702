#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <assay/task/solution.hpp>

namespace assay::task {

/// What a build makes of a source file, by the ending of its name.
enum class SourceKind : std::uint8_t { c, cxx, cuda, header };

/// Returns it for a file of a solution in this language; nothing for what no build of that language takes.
[[nodiscard]] std::optional<SourceKind> source_kind(std::string_view path, Language language);

/// The endings that a build of that language takes, as ".c .cpp .cc".
[[nodiscard]] std::string source_endings(Language language);

}  // namespace assay::task
