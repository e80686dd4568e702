#pragma once

#include <string>

namespace assay::os {

/// Tells whether a shared library can be loaded here, by name or path. It stays loaded: some leak when they are unloaded.
[[nodiscard]] bool loads_library(const std::string& file);

}  // namespace assay::os
