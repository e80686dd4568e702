#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/blob/blob_store.hpp>
#include <assay/os/file.hpp>
#include <assay/task/request.hpp>
#include <assay/task/solution.hpp>

namespace assay::archive {

/// What an open archive holds; shared by the files that implement Archive.
struct Archive::Implementation {
  os::Path root;
  Access access = Access::read_only;
  std::optional<os::FileLock> lock;
  Database database;
  blob::BlobStore blobs;

  /// Refuses a change through a reader: a bug of the caller.
  [[nodiscard]] base::Result<void> require_writer(std::string_view what) const;
};

/// A solution that is in the blob store and not yet in the table.
struct PreparedCandidate {
  task::CandidateIdentity identity;
  std::string definition;
  base::Digest blob;
};

/// Stores the solution's text as a blob. Sources that are not UTF-8 are refused: JSON could not give them back.
[[nodiscard]] base::Result<PreparedCandidate> store_solution(blob::BlobStore& blobs, const task::Solution& solution);

/// Adds the row unless it is there; returns its number. Call inside a write transaction.
[[nodiscard]] base::Result<std::int64_t> insert_candidate(const Database& database, const PreparedCandidate& candidate);

/// Keeps the inputs on which the candidate of an evaluation failed; one that is kept already gets this failure added. Call
/// inside a write transaction. `evaluation_number` is the evaluation's row.
[[nodiscard]] base::Result<void> insert_failing_inputs(const Database& database, const task::Evaluation& evaluation,
                                                       std::string_view definition, std::int64_t evaluation_number);

/// Decodes a solution blob.
[[nodiscard]] base::Result<task::Solution> load_stored_solution(const blob::BlobStore& blobs, const base::Digest& blob);

/// Checks that the bodies are JSON objects and the kinds are not empty; an internal error names the entry.
[[nodiscard]] base::Result<void> check_events(const Append& append);

/// Appends to a journal inside a write transaction. Refuses a stale `after` with code "archive.moved".
[[nodiscard]] base::Result<void> insert_events(const Database& database, const Append& append);

/// Tells whether the campaign exists.
[[nodiscard]] base::Result<bool> has_campaign(const Database& database, std::string_view name);

/// Returns the error for a campaign that does not exist; it names those that do.
[[nodiscard]] tl::unexpected<base::Error> no_campaign(const Database& database, std::string_view name);

/// Returns the stage with this persisted spelling.
[[nodiscard]] std::optional<task::Stage> parse_stage(std::string_view text);

/// The folder, beside the bundle, into which an ingested bundle is renamed before it is deleted: a crash in between
/// must not leave a half-deleted bundle under the name of a complete one.
[[nodiscard]] os::Path retired_path(const os::Path& bundle);

}  // namespace assay::archive
