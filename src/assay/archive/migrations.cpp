#include <assay/archive/migrations.hpp>

#include <fmt/core.h>

#include <string>

#include <assay/archive/decisions.hpp>

namespace assay::archive {
namespace {

// Larger things (sources, logs, samples) are blobs named by their SHA-256 in hexadecimal; rows hold what is searched.
// Outcomes and stages are stored in their spelling (task/outcome.hpp), times as UTC text.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE meta (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  schema_version INTEGER NOT NULL
) STRICT;

CREATE TABLE candidates (
  number INTEGER PRIMARY KEY,
  content TEXT NOT NULL CHECK (length(content) = 64),
  normalised TEXT NOT NULL CHECK (length(normalised) = 64),
  definition TEXT NOT NULL,
  solution_blob TEXT NOT NULL,
  first_seen TEXT NOT NULL,
  UNIQUE (content, definition)
) STRICT;
CREATE INDEX candidates_by_normalised ON candidates (definition, normalised);

CREATE TABLE campaigns (
  name TEXT PRIMARY KEY,
  definition TEXT NOT NULL,
  configuration TEXT NOT NULL,
  created TEXT NOT NULL
) STRICT;

CREATE TABLE evaluations (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  campaign TEXT REFERENCES campaigns (name),
  candidate INTEGER NOT NULL REFERENCES candidates (number),
  incumbent INTEGER REFERENCES candidates (number),
  stage TEXT NOT NULL,
  device TEXT NOT NULL,
  outcome TEXT NOT NULL,
  cause TEXT NOT NULL,
  started TEXT NOT NULL,
  wall_seconds REAL NOT NULL,
  bundle TEXT NOT NULL
) STRICT;
CREATE INDEX evaluations_by_campaign ON evaluations (campaign);
CREATE INDEX evaluations_by_candidate ON evaluations (candidate);

CREATE TABLE bundle_files (
  evaluation INTEGER NOT NULL REFERENCES evaluations (number),
  name TEXT NOT NULL,
  blob TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (evaluation, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX bundle_files_by_blob ON bundle_files (blob);

CREATE TABLE events (
  campaign TEXT NOT NULL REFERENCES campaigns (name),
  sequence INTEGER NOT NULL CHECK (sequence >= 1),
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (campaign, sequence)
) STRICT, WITHOUT ROWID;

INSERT INTO meta (only, schema_version) VALUES (1, 0);
)sql";

// What others measured (archive/imports.hpp).
constexpr std::string_view kImports = R"sql(
CREATE TABLE imports (
  number INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  imported TEXT NOT NULL,
  results INTEGER NOT NULL,
  candidates INTEGER NOT NULL
) STRICT;

CREATE TABLE import_files (
  import INTEGER NOT NULL REFERENCES imports (number),
  name TEXT NOT NULL,
  blob TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (import, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_files_by_blob ON import_files (blob);

CREATE TABLE foreign_results (
  number INTEGER PRIMARY KEY,
  import INTEGER NOT NULL REFERENCES imports (number),
  id TEXT NOT NULL,
  definition TEXT NOT NULL,
  solution TEXT NOT NULL,
  candidate INTEGER REFERENCES candidates (number),
  source TEXT CHECK (length(source) = 64),
  outcome TEXT NOT NULL,
  latency_ms REAL,
  reference_latency_ms REAL,
  workload TEXT NOT NULL,
  time TEXT NOT NULL,
  UNIQUE (import, id)
) STRICT;
CREATE INDEX foreign_results_by_candidate ON foreign_results (candidate);
)sql";

// What candidates were built to (task::BuiltCode), so that those which are the same code are found by a digest.
constexpr std::string_view kBuiltCode = R"sql(
CREATE TABLE built_code (
  candidate INTEGER NOT NULL REFERENCES candidates (number),
  level TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (length(digest) = 64),
  PRIMARY KEY (candidate, level, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX built_code_by_digest ON built_code (digest, level);
)sql";

// Inputs on which candidates failed: a permanent corpus, replayed before anything else. What is there stays.
constexpr std::string_view kFailures = R"sql(
CREATE TABLE failing_inputs (
  number INTEGER PRIMARY KEY,
  definition TEXT NOT NULL,
  input TEXT NOT NULL,
  UNIQUE (definition, input)
) STRICT;

CREATE TABLE input_failures (
  input INTEGER NOT NULL REFERENCES failing_inputs (number),
  evaluation INTEGER NOT NULL REFERENCES evaluations (number),
  PRIMARY KEY (input, evaluation)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER failing_inputs_stay BEFORE DELETE ON failing_inputs
BEGIN SELECT RAISE (ABORT, 'failing inputs are kept for ever'); END;
CREATE TRIGGER input_failures_stay BEFORE DELETE ON input_failures
BEGIN SELECT RAISE (ABORT, 'failing inputs are kept for ever'); END;
)sql";

// The chain of decisions (archive/decisions.hpp).
constexpr std::string_view kDecisionChain = R"sql(
CREATE TABLE decisions (
  number INTEGER PRIMARY KEY CHECK (number >= 1),
  campaign TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  chained INTEGER NOT NULL CHECK (chained IN (0, 1)),
  evidence TEXT CHECK (length(evidence) = 64),
  record TEXT NOT NULL CHECK (length(record) = 64),
  predecessor TEXT NOT NULL UNIQUE CHECK (length(predecessor) = 64),
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
  UNIQUE (campaign, sequence),
  FOREIGN KEY (campaign, sequence) REFERENCES events (campaign, sequence)
) STRICT;
)sql";

base::Result<std::int64_t> single_integer(const Database& database, const std::string& sql) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query(sql));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  return found ? rows.integer(0) : std::int64_t{-1};
}

tl::unexpected<base::Error> newer(const Database& database, int found, int known) {
  return base::input_error("archive.newer",
                           fmt::format("{} was written by a newer Assay (schema {}; this one knows {}): upgrade Assay",
                                       database.file(), found, known));
}

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> kSteps = {
      {1, kFirst}, {2, kImports}, {3, kBuiltCode}, {4, kFailures}, {5, kDecisionChain, &chain_earlier_decisions}};
  return kSteps;
}

int known_schema() { return migrations().back().version; }

base::Result<int> schema_version(const Database& database) {
  ASSAY_TRY_ASSIGN(
      const std::int64_t meta,
      single_integer(database, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta'"));
  if (meta == 1) {
    const auto version = single_integer(database, "SELECT schema_version FROM meta WHERE only = 1");
    if (version && *version >= 1) {
      return static_cast<int>(*version);
    }
    if (!version && version.error().code != "archive.sql") {
      return tl::unexpected(version.error());
    }
  } else {
    ASSAY_TRY_ASSIGN(const std::int64_t others, single_integer(database, "SELECT count(*) FROM sqlite_schema"));
    if (others == 0) {
      return 0;
    }
  }
  return base::input_error(
      "archive.foreign", fmt::format("{} is an SQLite database, but not one of Assay's: choose another folder for the "
                                     "archive",
                                     database.file()));
}

base::Result<void> refuse_newer(const Database& database) {
  ASSAY_TRY_ASSIGN(const int version, schema_version(database));
  if (version > known_schema()) {
    return newer(database, version, known_schema());
  }
  return {};
}

base::Result<void> migrate(const Database& database, const std::vector<Migration>& steps) {
  ASSAY_TRY_ASSIGN(Transaction transaction, Transaction::begin(database, Transaction::Kind::write));
  ASSAY_TRY_ASSIGN(const int version, schema_version(database));
  const int known = steps.back().version;
  if (version > known) {
    return newer(database, version, known);
  }
  for (const Migration& step : steps) {
    if (step.version > version) {
      ASSAY_TRY(base::with_context(database.script(std::string(step.sql)),
                                   fmt::format("while migrating to schema {}", step.version)));
      if (step.then != nullptr) {
        ASSAY_TRY(base::with_context(step.then(database), fmt::format("while migrating to schema {}", step.version)));
      }
    }
  }
  if (version < known) {
    ASSAY_TRY(database.execute("UPDATE meta SET schema_version = ? WHERE only = 1", {std::int64_t{known}}));
  }
  return transaction.commit();
}

}  // namespace assay::archive
