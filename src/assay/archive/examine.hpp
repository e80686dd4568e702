#pragma once

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/base/error.hpp>
#include <assay/blob/blob_store.hpp>

namespace assay::archive {

/// Holds every row and every blob against what names it; the body of Archive::verify. What is wrong with the archive
/// becomes a problem of the report, one sentence each; a result is an error only if looking was impossible.
[[nodiscard]] base::Result<VerifyReport> examine(const Database& database, const blob::BlobStore& blobs);

}  // namespace assay::archive
