#pragma once

#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/chain.hpp>
#include <assay/certify/evidence.hpp>
#include <assay/certify/files.hpp>
#include <assay/certify/version.hpp>

namespace assay::certify {

/// Derives the certificate from its evidence: the one function that both writes it and is compared with what was written.
/// Numbers are not rounded yet (numbers.hpp). `files` are the folder's, of which certificate.json and the page do not
/// count. `version`: as which of those that are read (version.hpp).
[[nodiscard]] base::Result<base::Json> derive(const Evidence& evidence, const Files& files,
                                              const std::vector<Link>& links, int version = kCertificateVersion);

}  // namespace assay::certify
