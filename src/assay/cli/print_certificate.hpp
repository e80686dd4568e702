#pragma once

#include <string>

#include <assay/certify/verify.hpp>

namespace assay::cli {

/// Says what a certificate that was written certifies, and how others check it.
[[nodiscard]] std::string print_certificate(const certify::Verification& written, const std::string& folder);

/// Says that a certificate holds, and what was recomputed; or each difference in a line, with both values.
[[nodiscard]] std::string print_verification(const certify::Verification& verification);

}  // namespace assay::cli
