#pragma once

#include <map>
#include <string>
#include <string_view>

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/os/file.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::archive {

/// A small operator, "scale", with solutions that differ in the text of their source; for tests only.
[[nodiscard]] task::Solution sample_solution(std::string_view body, std::string_view definition = "scale");
[[nodiscard]] task::EvaluationRequest sample_request(std::string_view id, std::string_view body = "y = 2 * x;");
/// Answers a request as a judge would: measured without an incumbent, better with one.
[[nodiscard]] task::Evaluation sample_evaluation(const task::EvaluationRequest& request);

using Files = std::map<std::string, std::string>;

/// Encodes the files of a bundle, without its manifest.
[[nodiscard]] Files sample_files(const task::EvaluationRequest& request, const task::Evaluation& evaluation);
/// Writes the files with a manifest that fits them beside `folder`, then renames them into place.
void write_bundle(const os::Path& folder, const Files& files);
/// Writes a whole sample bundle to `<spool>/<id>`.
os::Path put_sample(const os::Path& spool, std::string_view id, std::string_view body = "y = 2 * x;");

/// Opens the archive's database for damage.
[[nodiscard]] Database open_raw(const os::Path& root);

/// Returns the file that holds a blob of an archive.
[[nodiscard]] os::Path blob_path(const os::Path& root, const std::string& hex);

}  // namespace assay::archive
