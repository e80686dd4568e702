#pragma once

#include <optional>
#include <string>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/certify/files.hpp>

namespace assay::certify {

/// Makes the certificate of a promotion from the archive alone: of the candidate of that number, or of the incumbent that the
/// campaign's confirmations left (where they left the baseline: of the last promotion), with its confirmation if there is one. The same archive gives the same bytes each time. It is verified before it
/// is returned: what an archive cannot prove is an error, never a certificate. A campaign or candidate without a promotion
/// is an input error.
[[nodiscard]] base::Result<Files> collect(const archive::Archive& archive, const std::string& campaign,
                                          std::optional<int> candidate);

}  // namespace assay::certify
