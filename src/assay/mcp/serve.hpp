#pragma once

#include <string>

#include <assay/base/error.hpp>
#include <assay/mcp/toolbox.hpp>

namespace assay::mcp {

/// Serves one client over two descriptors (stdin and stdout, say), a JSON object a line, until its side of the input ends or
/// nobody reads the output any more: both are how clients leave. An error is only what is the machine's.
[[nodiscard]] base::Result<void> serve(Toolbox& toolbox, const std::string& version, int input, int output);

}  // namespace assay::mcp
