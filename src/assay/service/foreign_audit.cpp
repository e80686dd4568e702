#include <assay/service/foreign_audit.hpp>

#include <utility>

#include <assay/base/time.hpp>
#include <assay/foreign/trace_archive.hpp>
#include <assay/report/audit_page.hpp>
#include <assay/service/campaign_report.hpp>

namespace assay::service {

base::Result<foreign::Audit> audit_folder(const os::Path& folder) {
  ASSAY_TRY_ASSIGN(foreign::TraceArchive archive, foreign::read_trace_archive(folder));
  return foreign::audit(std::move(archive));
}

base::Result<void> write_audit_page(const foreign::Audit& audit, const std::string& subject, const os::Path& file) {
  if (file.has_parent_path()) {
    ASSAY_TRY(os::create_directories(file.parent_path()));
  }
  return os::write_file_atomic(file,
                               report::render_audit_page(audit, {subject, std::string(version()), base::utc_now()}));
}

}  // namespace assay::service
