#pragma once

#include <functional>
#include <string>

#include <assay/base/json.hpp>
#include <assay/certify/files.hpp>
#include <assay/certify/verify.hpp>
#include <assay/control/sample_campaign.hpp>

/// For tests only.
namespace assay::certify::testing {

/// A small campaign whose sweeps share alpha: a candidate by hand beats the baseline, a variant of the tunable beats that.
[[nodiscard]] control::CampaignConfiguration sample_configuration();

/// Runs it in an archive in which another campaign decides something after each of its sweeps.
void run_beside_another(control::testing::Laboratory& laboratory);

/// The certificate of its last promotion; made once.
[[nodiscard]] const Files& sample_files();

/// Edits a JSON file in place, and writes it as certificates are written (certificate.json) or compact.
void edit(Files& files, const std::string& path, const std::function<void(base::Json&)>& change);

/// Writes the digests of a folder's files into its manifest and into the certificate, as a forger would.
void forge_digests(Files& files, const std::string& folder);

/// Checks, and returns "place: what" a line; "error: …" if it is refused as unreadable.
[[nodiscard]] std::string refusal(const Files& files);

}  // namespace assay::certify::testing
