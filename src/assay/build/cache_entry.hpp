#pragma once

#include <optional>

#include <assay/build/builder.hpp>

namespace assay::build {

/// Reads a finished build from its folder. Absent, unreadable or damaged (the object does not have the digest that was
/// recorded): nullopt, and it is built again.
[[nodiscard]] std::optional<BuildResult> load_entry(const os::Path& folder);

/// Writes a finished build beside its place and renames it in. Another process that was first wins.
[[nodiscard]] base::Result<void> store_entry(const os::Path& folder, const BuildResult& result);

}  // namespace assay::build
