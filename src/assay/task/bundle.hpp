#pragma once

#include <string_view>

namespace assay::task {

/// Names inside a result bundle: a folder that assay-judge fills beside its final place and renames into place when it
/// is complete. Persisted; never renamed.
///   manifest.json    {"version": 1, "files": {"<name>": {"sha256": …, "bytes": …}, …}}: every other file, exactly
///   request.json     the request, as the judge understood it
///   evaluation.json  the Evaluation; or error.json if the judge failed (an Error: owner, code, message)
///   samples.json     raw samples (may be empty)
///   blob-N.safetensors   in place of evaluation and samples, for a materialise request: blob_files(workload)[N]
///   *.log            logs: candidate-build.log, incumbent-build.log, candidate-output.log, …
inline constexpr int kBundleVersion = 1;
inline constexpr std::string_view kAdmissibilityFile = "admissibility.json";  ///< Of a check_definition request.
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kRequestFile = "request.json";
inline constexpr std::string_view kEvaluationFile = "evaluation.json";
inline constexpr std::string_view kErrorFile = "error.json";
inline constexpr std::string_view kSamplesFile = "samples.json";

}  // namespace assay::task
