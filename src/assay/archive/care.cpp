#include <chrono>
#include <map>
#include <set>

#include <assay/archive/archive.hpp>
#include <assay/archive/examine.hpp>
#include <assay/archive/store.hpp>
#include <assay/task/bundle.hpp>

namespace assay::archive {
namespace {

// Nobody else writes blobs while we hold the archive's lock, so every temporary is stale.
constexpr std::chrono::seconds kStaleAfter(0);

base::Result<std::set<std::string>> text_set(const Database& database, const std::string& sql) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query(sql));
  std::set<std::string> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    found.insert(rows.text(0));
  }
}

base::Result<std::map<std::string, std::string>> ingested_bundles(const Database& database) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT id, bundle FROM evaluations"));
  std::map<std::string, std::string> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    found.emplace(rows.text(0), rows.text(1));
  }
}

// A bundle under an ingested id is only rubbish if it is that very bundle; another one is a conflict for a person.
bool is_bundle(const os::Path& folder, const std::string& digest) {
  const auto manifest = os::read_file(folder / task::kManifestFile);
  return manifest && base::sha256(*manifest).hex() == digest;
}

}  // namespace

base::Result<VerifyReport> Archive::verify() const {
  return examine(implementation_->database, implementation_->blobs);
}

base::Result<CollectReport> Archive::collect_garbage() {
  ASSAY_TRY(implementation_->require_writer("collect garbage"));
  const Database& database = implementation_->database;
  CollectReport report;

  ASSAY_TRY_ASSIGN(const auto named,
                   text_set(database,
                            "SELECT blob FROM bundle_files UNION "
                            "SELECT solution_blob FROM candidates UNION SELECT blob FROM import_files"));
  ASSAY_TRY_ASSIGN(const std::vector<base::Digest> stored, implementation_->blobs.list());
  for (const base::Digest& digest : stored) {
    if (named.count(digest.hex()) == 0) {
      ASSAY_TRY_ASSIGN(const std::uint64_t bytes, implementation_->blobs.size_bytes(digest));
      ASSAY_TRY(implementation_->blobs.remove(digest));
      ++report.blobs_removed;
      report.bytes_freed += bytes;
    }
  }
  ASSAY_TRY_ASSIGN(report.temporaries_removed, implementation_->blobs.remove_stale_temporaries(kStaleAfter));

  // Ids hold no dot, so "<id>" and "<id>.…" are the bundle and what the runner and we put beside it. What a judge's
  // failure left ("failed-…") stays: it is evidence, and only its owner knows when it is no longer wanted.
  ASSAY_TRY_ASSIGN(const auto bundles, ingested_bundles(database));
  ASSAY_TRY_ASSIGN(const std::vector<std::string> entries, os::list_directory(spool()));
  for (const std::string& entry : entries) {
    const auto ingested = bundles.find(entry.substr(0, entry.find('.')));
    if (ingested != bundles.end() && (entry != ingested->first || is_bundle(spool() / entry, ingested->second))) {
      ASSAY_TRY(os::remove_tree(spool() / entry));
      ++report.temporaries_removed;
    }
  }
  return report;
}

}  // namespace assay::archive
