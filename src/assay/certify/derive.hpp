#pragma once

#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/chain.hpp>
#include <assay/certify/evidence.hpp>
#include <assay/certify/files.hpp>

namespace assay::certify {

/// The version that is written and read. Fields of a version never change.
inline constexpr int kCertificateVersion = 1;

/// Derives the certificate from its evidence: the one function that both writes it and is compared with what was written.
/// Numbers are not rounded yet (numbers.hpp). `files` are the folder's, of which certificate.json and the page do not
/// count.
[[nodiscard]] base::Result<base::Json> derive(const Evidence& evidence, const Files& files,
                                              const std::vector<Link>& links);

}  // namespace assay::certify
