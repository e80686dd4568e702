#include <assay/service/certificate.hpp>

#include <assay/archive/archive.hpp>
#include <assay/certify/collect.hpp>
#include <assay/certify/files.hpp>

namespace assay::service {

base::Result<certify::Verification> write_certificate(const Context& context, const std::string& campaign,
                                                      std::optional<int> candidate, const os::Path& folder) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(const certify::Files files, certify::collect(archive, campaign, candidate));
  ASSAY_TRY(certify::write_folder(folder, files));
  // What lies on the disk is what is vouched for.
  return verify_certificate(folder, {});
}

base::Result<certify::Verification> verify_certificate(const os::Path& folder, const os::Path& against) {
  ASSAY_TRY_ASSIGN(const certify::Files files, certify::read_folder(folder));
  ASSAY_TRY_ASSIGN(certify::Verification verification, certify::verify(files));
  if (verification.holds() && !against.empty()) {
    ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(against));
    ASSAY_TRY_ASSIGN(const auto chain, archive.decisions());
    verification.differences = certify::chain_differences(verification, chain);
  }
  return verification;
}

}  // namespace assay::service
