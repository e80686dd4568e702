#include <assay/cli/print_certificate.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

constexpr std::size_t kMostDifferencesShown = 20;

std::string contents(const certify::Verification& verification) {
  std::string status = verification.status;
  std::replace(status.begin(), status.end(), '_', ' ');
  return fmt::format("campaign {}: candidate {} ({}), promoted by {}; {}\n  {} files, {} raw samples\n  sha256 {}\n",
                     base::printable(verification.campaign), verification.candidate, base::printable(verification.name),
                     base::printable(verification.promoted_by), status, verification.files, verification.samples,
                     verification.digest.hex());
}

}  // namespace

std::string print_certificate(const certify::Verification& written, const std::string& folder) {
  return fmt::format("certificate: {}\n", base::printable(folder)) + contents(written) +
         fmt::format("check it with: assay verify-certificate {}\n", base::printable(folder));
}

std::string print_verification(const certify::Verification& verification) {
  if (verification.holds()) {
    return "holds: every digest and every field was recomputed\n" + contents(verification);
  }
  std::string text = fmt::format("REFUSED: {} difference{}\n", verification.differences.size(),
                                 verification.differences.size() == 1 ? "" : "s");
  const std::size_t shown = std::min(verification.differences.size(), kMostDifferencesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const certify::Difference& one = verification.differences[i];
    text += fmt::format("  {}: {}\n", base::printable(one.place), base::printable(one.what));
  }
  if (shown < verification.differences.size()) {
    text += fmt::format("  and {} more: --json lists them all\n", verification.differences.size() - shown);
  }
  return text;
}

}  // namespace assay::cli
