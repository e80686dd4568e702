#pragma once

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace assay::mcp {

/// Joins a client that speaks over two descriptors with the server that listens at a socket, until either leaves. Looks at
/// nothing that passes.
[[nodiscard]] base::Result<void> relay(const os::Path& socket, int input, int output);

}  // namespace assay::mcp
