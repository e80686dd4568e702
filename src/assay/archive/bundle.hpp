#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::archive {

/// What a manifest says about one file.
struct ManifestEntry {
  std::string name;
  base::Digest digest;
  std::uint64_t bytes = 0;
};

/// Decodes manifest.json (task/bundle.hpp). Names that would leave the folder ("a/b", "..", "") are refused, as are
/// unknown fields and versions. A fault is an environment error "bundle.damaged": a judge writes no such thing.
[[nodiscard]] base::Result<std::vector<ManifestEntry>> decode_manifest(const std::string& text,
                                                                       std::string_view source);

struct BundleFile {
  std::string name;
  std::string content;
  base::Digest digest;
};

/// A bundle in memory, every file checked against the manifest; manifest.json itself is among them.
struct Bundle {
  std::string source;  ///< The folder; names the bundle in errors.
  std::vector<BundleFile> files;

  [[nodiscard]] const BundleFile* find(std::string_view name) const;
  /// Names the whole: the digest of the manifest, which names all others.
  [[nodiscard]] base::Digest digest() const;
};

/// Reads a bundle. Files that the manifest does not name, are missing, differ in size or digest, or are no regular
/// files are refused with code "bundle.damaged" and the file's name.
[[nodiscard]] base::Result<Bundle> read_bundle(const os::Path& folder);

/// The decoded contents of an evaluation's bundle.
struct BundleContents {
  task::EvaluationRequest request;
  task::Evaluation evaluation;
};

/// Decodes request, evaluation and samples, and refuses a bundle whose evaluation does not answer its request (id,
/// stage, device, identities): an internal error "bundle.inconsistent".
[[nodiscard]] base::Result<BundleContents> decode_contents(const Bundle& bundle);

/// Returns the error that a judge left in place of an evaluation; nullopt if it left none.
[[nodiscard]] base::Result<std::optional<base::Error>> judge_error(const Bundle& bundle);

/// Returns that error as one of ours, if the judge left one in this folder: for bundles that hold no evaluation.
[[nodiscard]] base::Result<void> refuse_judge_error(const os::Path& folder);

}  // namespace assay::archive
