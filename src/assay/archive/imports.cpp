#include <assay/archive/imports.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include <assay/archive/archive.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/text.hpp>
#include <assay/base/time.hpp>

namespace assay::archive {
namespace {

constexpr const char* kImportColumns = "SELECT digest, kind, name, imported, results, candidates FROM imports ";

base::Digest digest_of(const NewImport& what) {
  base::Sha256 hash;
  hash.update_framed("assay.import.1");  // Part of the name: another way to compute it needs another tag.
  hash.update_framed(what.kind);
  for (const auto& [name, content] : what.files) {
    hash.update_framed(name);
    hash.update_framed(content);
  }
  return hash.finish();
}

base::Result<Import> read_import(const Rows& rows) {
  Import import;
  ASSAY_TRY_ASSIGN(import.digest, base::Digest::parse(rows.text(0)));
  import.kind = rows.text(1);
  import.name = rows.text(2);
  import.imported = rows.text(3);
  import.results = static_cast<std::size_t>(rows.integer(4));
  import.candidates = static_cast<std::size_t>(rows.integer(5));
  return import;
}

base::Result<std::optional<Import>> find_import(const Database& database, const base::Digest& digest) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query(std::string(kImportColumns) + "WHERE digest = ?", {digest.hex()}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  if (!found) {
    return std::optional<Import>();
  }
  ASSAY_TRY_ASSIGN(Import import, read_import(rows));
  return std::optional(std::move(import));
}

Value number_or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

base::Result<std::optional<base::Digest>> optional_digest(const Rows& rows, int column) {
  if (rows.is_null(column)) {
    return std::optional<base::Digest>();
  }
  ASSAY_TRY_ASSIGN(const base::Digest digest, base::Digest::parse(rows.text(column)));
  return std::optional(digest);
}

base::Result<ForeignResult> read_result(const Rows& rows) {
  ForeignResult result;
  result.id = rows.text(0);
  result.definition = rows.text(1);
  result.solution = rows.text(2);
  ASSAY_TRY_ASSIGN(result.candidate, optional_digest(rows, 3));
  ASSAY_TRY_ASSIGN(result.source, optional_digest(rows, 4));
  result.outcome = rows.text(5);
  result.latency_ms = rows.is_null(6) ? std::nullopt : std::optional(rows.real(6));
  result.reference_latency_ms = rows.is_null(7) ? std::nullopt : std::optional(rows.real(7));
  result.workload = rows.text(8);
  result.time = rows.text(9);
  result.origin = rows.text(10);
  return result;
}

base::Result<void> insert_results(const Database& database, std::int64_t import, const NewImport& what,
                                  const std::map<base::Digest, std::int64_t>& candidates) {
  for (const ForeignResult& result : what.results) {
    Value candidate;
    if (result.candidate) {
      const auto found = candidates.find(*result.candidate);
      ASSAY_CHECK(found != candidates.end());
      candidate = found->second;
    }
    ASSAY_TRY(database.execute(
        "INSERT INTO foreign_results (import, id, definition, solution, candidate, source, outcome, latency_ms, "
        "reference_latency_ms, workload, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {import, result.id, result.definition, result.solution, candidate,
         result.source ? Value(result.source->hex()) : Value(), result.outcome, number_or_null(result.latency_ms),
         number_or_null(result.reference_latency_ms), result.workload, result.time}));
  }
  return {};
}

}  // namespace

base::Result<Import> Archive::record_import(const NewImport& what) {
  ASSAY_TRY(implementation_->require_writer("import results"));
  const Database& database = implementation_->database;
  const base::Digest digest = digest_of(what);
  ASSAY_TRY_ASSIGN(auto known, find_import(database, digest));
  if (known) {
    return *std::move(known);
  }
  // Blobs first: what a transaction names must be there, and what nothing names is collected.
  std::vector<base::Digest> blobs;
  for (const auto& [name, content] : what.files) {
    ASSAY_TRY_ASSIGN(blobs.emplace_back(), implementation_->blobs.put(content, os::Durability::power));
  }
  std::vector<PreparedCandidate> prepared;
  for (const task::Solution& solution : what.solutions) {
    ASSAY_TRY_ASSIGN(prepared.emplace_back(), store_solution(implementation_->blobs, solution));
  }
  Import import{digest, what.kind, what.name, base::utc_now(), what.results.size(), what.solutions.size(), true};
  ASSAY_TRY_ASSIGN(Transaction transaction, Transaction::begin(database, Transaction::Kind::write));
  ASSAY_TRY(
      database.execute("INSERT INTO imports (digest, kind, name, imported, results, candidates) "
                       "VALUES (?, ?, ?, ?, ?, ?)",
                       {digest.hex(), import.kind, import.name, import.imported,
                        static_cast<std::int64_t>(import.results), static_cast<std::int64_t>(import.candidates)}));
  const std::int64_t number = database.last_inserted();
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    ASSAY_TRY(database.execute(
        "INSERT INTO import_files (import, name, blob, bytes) VALUES (?, ?, ?, ?)",
        {number, what.files[i].first, blobs[i].hex(), static_cast<std::int64_t>(what.files[i].second.size())}));
  }
  std::map<base::Digest, std::int64_t> candidates;
  for (const PreparedCandidate& candidate : prepared) {
    ASSAY_TRY_ASSIGN(candidates[candidate.identity.content], insert_candidate(database, candidate));
  }
  ASSAY_TRY(insert_results(database, number, what, candidates));
  ASSAY_TRY(transaction.commit());
  return import;
}

base::Result<std::vector<Import>> Archive::imports() const {
  ASSAY_TRY_ASSIGN(Rows rows, implementation_->database.query(std::string(kImportColumns) + "ORDER BY number"));
  std::vector<Import> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    ASSAY_TRY_ASSIGN(found.emplace_back(), read_import(rows));
  }
}

base::Result<std::vector<ForeignResult>> Archive::foreign_results(std::string_view prefix) const {
  ASSAY_TRY_ASSIGN(
      Rows rows,
      implementation_->database.query(
          "SELECT r.id, r.definition, r.solution, c.content, r.source, r.outcome, r.latency_ms, "
          "r.reference_latency_ms, "
          "r.workload, r.time, i.name FROM foreign_results r JOIN imports i ON i.number = r.import "
          "LEFT JOIN candidates c ON c.number = r.candidate WHERE ?1 = '' OR substr(r.id, 1, length(?1)) = ?1 OR "
          "substr(r.source, 1, length(?1)) = ?1 OR substr(c.content, 1, length(?1)) = ?1 ORDER BY r.number",
          {std::string(prefix)}));
  std::vector<ForeignResult> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    ASSAY_TRY_ASSIGN(found.emplace_back(), read_result(rows));
  }
}

}  // namespace assay::archive
