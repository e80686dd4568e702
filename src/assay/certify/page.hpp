#pragma once

#include <string>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>

namespace assay::certify {

/// Renders a certificate of this version as Markdown, for people. It must be one that derives from its evidence, so that
/// every field is there. What authors and approvers wrote is shown as text: it can neither become markup nor a link.
/// The words belong to the version of the certificate: `assay verify-certificate` writes them anew and compares.
[[nodiscard]] std::string render_page(const base::Json& certificate, const base::Digest& digest);

}  // namespace assay::certify
