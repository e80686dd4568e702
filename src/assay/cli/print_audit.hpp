#pragma once

#include <string>

#include <assay/foreign/audit.hpp>
#include <assay/report/table.hpp>

namespace assay::cli {

/// Prints an audit of foreign results: the verdict and the reason of each promotion, what was picked and what was
/// fastest, the noise, and the failures by owner.
[[nodiscard]] std::string print_audit(const foreign::Audit& audit, report::Colour colour);

}  // namespace assay::cli
