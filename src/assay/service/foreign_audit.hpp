#pragma once

#include <string>

#include <assay/base/error.hpp>
#include <assay/foreign/audit.hpp>
#include <assay/os/file.hpp>

namespace assay::service {

/// Audits a folder of archived optimisation traces (foreign/trace_archive.hpp).
[[nodiscard]] base::Result<foreign::Audit> audit_folder(const os::Path& folder);

/// Writes an audit as a page; `subject` is its title.
[[nodiscard]] base::Result<void> write_audit_page(const foreign::Audit& audit, const std::string& subject,
                                                  const os::Path& file);

}  // namespace assay::service
