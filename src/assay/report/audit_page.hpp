#pragma once

#include <string>

#include <assay/foreign/audit.hpp>

namespace assay::report {

/// What an audit's page says of itself.
struct AuditPageFacts {
  std::string subject;    ///< What was audited, for the title.
  std::string version;    ///< Assay's.
  std::string generated;  ///< UTC; may be empty.
};

/// Renders an audit of foreign results as one self-contained HTML page (well-formed XML too): no script, nothing loaded.
/// Readers need to know nothing of Assay or of the results.
[[nodiscard]] std::string render_audit_page(const foreign::Audit& audit, const AuditPageFacts& facts);

}  // namespace assay::report
