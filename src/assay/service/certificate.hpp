#pragma once

#include <optional>
#include <string>

#include <assay/base/error.hpp>
#include <assay/certify/verify.hpp>
#include <assay/os/file.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Writes the certificate of a promotion (certify/collect.hpp) into a folder that does not exist yet, and returns what its
/// own check said: it holds, or nothing is written.
[[nodiscard]] base::Result<certify::Verification> write_certificate(const Context& context, const std::string& campaign,
                                                                    std::optional<int> candidate,
                                                                    const os::Path& folder);

/// Recomputes a certificate from its folder alone. `against` may name an archive, whose chain must have its links.
[[nodiscard]] base::Result<certify::Verification> verify_certificate(const os::Path& folder, const os::Path& against);

}  // namespace assay::service
