#pragma once

#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/os/file.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Takes other people's results into the archive: a folder of archived optimisation traces (it holds evaluations.jsonl),
/// a folder in flashinfer-bench's layout, or one trace file. Solutions with sources become candidates that were never
/// judged, all else foreign results; nothing becomes a verdict. The same files again change nothing.
[[nodiscard]] base::Result<archive::Import> import_results(const Context& context, const os::Path& path);
[[nodiscard]] base::Json encode(const archive::Import& import);

/// Lists the foreign results of the archive: all of them, or those whose id, source or candidate begins with `prefix`.
[[nodiscard]] base::Result<std::vector<archive::ForeignResult>> imported_results(const Context& context,
                                                                                 const std::string& prefix);
[[nodiscard]] base::Json encode(const std::vector<archive::ForeignResult>& results);

}  // namespace assay::service
