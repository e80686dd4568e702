#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::task {

/// Brings a source path to one spelling: "./a//b.h" becomes "a/b.h".
[[nodiscard]] std::string normalise_source_path(std::string_view path);

/// Returns why a source path cannot be used, with the remedy: absolute, leading out of its folder, naming no file, or
/// holding a control character. Two names for one file are for the caller to see.
[[nodiscard]] std::optional<std::string> source_path_fault(std::string_view path);

}  // namespace assay::task
