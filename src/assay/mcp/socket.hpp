#pragma once

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>

namespace assay::mcp {

/// Makes a Unix socket at this path, which must not exist, and listens there. Everybody may connect who finds it: put it into a
/// folder that nobody else may enter.
[[nodiscard]] base::Result<os::Fd> listen_at(const os::Path& path);
/// Connects to one. That nobody listens is the request's error.
[[nodiscard]] base::Result<os::Fd> connect_to(const os::Path& path);

}  // namespace assay::mcp
