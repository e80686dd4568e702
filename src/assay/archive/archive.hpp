#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/archive/built_code.hpp>
#include <assay/archive/decisions.hpp>
#include <assay/archive/imports.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/blob/blob_store.hpp>
#include <assay/os/file.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/solution.hpp>

namespace assay::archive {

/// A candidate as it is stored.
struct StoredCandidate {
  task::CandidateIdentity identity;
  task::Solution solution;
  std::string first_seen;  ///< UTC.
};

/// A line about one ingested evaluation; `Archive::evaluation` has the whole.
struct EvaluationSummary {
  std::string id;
  std::string campaign;  ///< Empty: evaluated on its own.
  base::Digest candidate;
  std::optional<base::Digest> incumbent;
  std::string definition;
  task::Stage stage = task::Stage::measure;
  std::string device;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  std::string started;
  double wall_seconds = 0;
};

/// An input on which candidates failed. It stays for ever, and is replayed first against every later candidate.
struct StoredFailingInput {
  std::string definition;
  task::FailingInput input;
  base::Digest candidate;     ///< Who failed on it first,
  std::string evaluation;     ///< in this evaluation,
  std::string when;           ///< which began then (UTC).
  std::int64_t failures = 0;  ///< How many evaluations ended on it, that one included.
};

/// One entry of a campaign's journal. `kind` and the shape of `body` belong to control; the archive only keeps order.
struct Event {
  std::int64_t sequence = 0;  ///< From 1, without gaps.
  std::string kind;
  std::string body;  ///< A JSON object.
  std::string at;    ///< UTC; not part of what a resumed run must reproduce.
};

struct Campaign {
  std::string name;
  std::string definition;
  std::string configuration;  ///< A JSON object, as control wrote it.
  std::string created;
};

/// Events to append with an ingestion, so that a result and what it means for the campaign land together or not at all.
struct Append {
  std::string campaign;
  std::int64_t after =
      0;  ///< The campaign's last sequence that the writer knows; refused with code "archive.moved" if stale.
  std::vector<std::pair<std::string, std::string>> events;  ///< (kind, body)
};

/// What `verify` found. Empty problems: every blob, bundle file and row agrees with its digest.
struct VerifyReport {
  std::uint64_t evaluations = 0;
  std::uint64_t candidates = 0;
  std::uint64_t blobs = 0;
  std::uint64_t blob_bytes = 0;
  std::uint64_t decisions = 0;  ///< Links of the chain.
  std::vector<std::string> problems;
};

struct CollectReport {
  std::uint64_t blobs_removed = 0;
  std::uint64_t bytes_freed = 0;
  std::uint64_t temporaries_removed = 0;
};

/// The only door to what was ever tried: SQLite (WAL, synchronous=FULL) for rows, a content-addressed store for
/// everything larger. Layout under the root: archive.sqlite, blobs/, spool/ (bundles on their way in), lock.
/// One process writes at a time (open_writer takes the lock); readers are not held up. Not thread-safe.
class Archive {
 public:
  /// Opens for reading and writing; creates it if absent, migrates an older schema, refuses a newer one by name.
  [[nodiscard]] static base::Result<Archive> open_writer(const os::Path& root);
  /// Opens for reading. A missing archive is an input error that says how one is made.
  [[nodiscard]] static base::Result<Archive> open_reader(const os::Path& root);
  ~Archive();
  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;

  [[nodiscard]] const os::Path& root() const;
  [[nodiscard]] os::Path spool() const;

  // Candidates.
  /// Stores a candidate; one that is there already is left as it is.
  [[nodiscard]] base::Result<void> record_candidate(const task::Solution& solution);
  /// Finds by the content digest or a unique prefix of at least 4 digits. Ambiguous: an input error that lists them.
  [[nodiscard]] base::Result<std::optional<StoredCandidate>> candidate(std::string_view digest_or_prefix) const;
  [[nodiscard]] base::Result<std::vector<StoredCandidate>> candidates(std::string_view definition) const;
  /// Lists the definition's other candidates that some evaluation built to the same code as this one, oldest first, each
  /// with the last level at which they are the same.
  [[nodiscard]] base::Result<std::vector<SameBuild>> same_builds(std::string_view definition,
                                                                 const base::Digest& content) const;
  /// Finds the earliest candidate of the definition with this normalised digest.
  [[nodiscard]] base::Result<std::optional<StoredCandidate>> candidate_by_normalised(
      std::string_view definition, const base::Digest& normalised) const;

  // Evaluations.
  /// Ingests a complete bundle: checks its manifest, stores files as blobs and rows in one transaction with the
  /// events, then removes the bundle. Ingesting the same bundle again does nothing but remove it (the events landed
  /// with it the first time). `campaign` may be empty. Both solutions are recorded as candidates.
  /// A bundle is a folder as in task/bundle.hpp, with request, evaluation and samples. One that holds the judge's
  /// error instead is not ingested: that error is returned, owner and all, and the folder is renamed beside itself to
  /// `failed-<id>-<n>`, so that the evidence stays and the id is free for another try. Other errors leave the folder:
  /// "bundle.damaged" (it is not what its manifest says; the message names the file), "archive.conflict" (another
  /// result under an ingested id), "archive.moved" (`append` is stale), "archive.disk_full" and the like.
  [[nodiscard]] base::Result<task::Evaluation> ingest(const os::Path& bundle, std::string_view campaign,
                                                      const std::optional<Append>& append);
  [[nodiscard]] base::Result<std::optional<task::Evaluation>> evaluation(std::string_view id_or_prefix) const;
  [[nodiscard]] base::Result<task::EvaluationRequest> request(std::string_view id) const;
  [[nodiscard]] base::Result<std::vector<task::Sample>> samples(std::string_view id) const;
  /// Lists newest last; empty arguments do not filter.
  [[nodiscard]] base::Result<std::vector<EvaluationSummary>> evaluations(std::string_view campaign,
                                                                         std::string_view candidate) const;
  /// Names and reads the files of an ingested bundle (logs, samples, …).
  [[nodiscard]] base::Result<std::vector<std::string>> bundle_files(std::string_view id) const;
  [[nodiscard]] base::Result<std::string> bundle_file(std::string_view id, std::string_view name) const;

  /// Lists inputs on which candidates for the definition (empty: for any) failed, the newest first; at most `most`.
  [[nodiscard]] base::Result<std::vector<StoredFailingInput>> failing_inputs(
      std::string_view definition, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] base::Result<std::int64_t> count_failing_inputs(std::string_view definition) const;

  // What others measured.
  /// Takes in foreign results whole or not at all: their files as blobs, solutions with sources as candidates that
  /// nobody judged, and a row a result. The same files again change nothing.
  [[nodiscard]] base::Result<Import> record_import(const NewImport& what);
  [[nodiscard]] base::Result<std::vector<Import>> imports() const;
  /// Lists foreign results whose id, source digest or candidate begins with `prefix`; empty: all.
  [[nodiscard]] base::Result<std::vector<ForeignResult>> foreign_results(std::string_view prefix) const;

  // Campaigns and their journals.
  [[nodiscard]] base::Result<void> create_campaign(const Campaign& campaign);
  [[nodiscard]] base::Result<std::optional<Campaign>> campaign(std::string_view name) const;
  [[nodiscard]] base::Result<std::vector<Campaign>> campaigns() const;
  [[nodiscard]] base::Result<void> append(const Append& append);
  [[nodiscard]] base::Result<std::vector<Event>> events(std::string_view campaign) const;
  /// Lists the chain of all campaigns' decisions in its order (decisions.hpp). Entries that are decisions are chained by
  /// append and ingest, in their transaction.
  [[nodiscard]] base::Result<std::vector<ChainedDecision>> decisions() const;

  // Care.
  [[nodiscard]] base::Result<VerifyReport> verify() const;
  /// Removes blobs that no row names, and stale temporaries and spool entries of evaluations that are ingested (both
  /// are counted as temporaries). What waits for ingestion, conflicts or failed stays in the spool.
  [[nodiscard]] base::Result<CollectReport> collect_garbage();

 private:
  struct Implementation;
  explicit Archive(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace assay::archive
