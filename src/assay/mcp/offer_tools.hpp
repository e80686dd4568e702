#pragma once

#include <memory>
#include <string>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/service/context.hpp>
#include <assay/service/takes_submissions.hpp>

namespace assay::mcp {

/// Offers the tools of a campaign at a socket, as service::Context::offer_tools wants it. `context` and `desk` must outlive what
/// is returned.
[[nodiscard]] base::Result<std::shared_ptr<void>> offer_tools(const service::Context& context,
                                                              const std::string& campaign,
                                                              service::TakesSubmissions& desk, const os::Path& socket);

}  // namespace assay::mcp
