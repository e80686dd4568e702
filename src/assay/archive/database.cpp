#include <assay/archive/database.hpp>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/core.h>
#include <sqlite3.h>

#include <cerrno>
#include <utility>

namespace assay::archive {
namespace {

constexpr int kBusyMilliseconds = 5000;

bool out_of_space(int errno_value) { return errno_value == ENOSPC || errno_value == EDQUOT; }

tl::unexpected<base::Error> disk_full(const std::string& file) {
  return base::environment_error(
      "archive.disk_full", fmt::format("{}: the disk is full; free some space and repeat the command: what was being "
                                       "written is undone, what was there is whole",
                                       file));
}

// Says who has to act. The primary code is the low byte of the extended one; `errno_value` is that of the last failed
// system call, which tells a full disk behind an I/O error (the WAL index is a mapped file).
tl::unexpected<base::Error> translate(int code, int errno_value, const std::string& file, const std::string& what) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return disk_full(file);
    case SQLITE_IOERR:
      if (out_of_space(errno_value)) {
        return disk_full(file);
      }
      return base::environment_error("archive.disk",
                                     fmt::format("{}: {}; the disk failed to read or write: check it (dmesg), then "
                                                 "run `assay archive verify`",
                                                 file, what));
    case SQLITE_CANTOPEN:
      if (out_of_space(errno_value)) {
        return disk_full(file);
      }
      return base::environment_error(
          "archive.unreadable",
          fmt::format("{}: {}; check that the folder exists and that you may read and write it", file, what));
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return base::environment_error("archive.read_only",
                                     fmt::format("{}: {}; make the file and its folder writable for you", file, what));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return base::environment_error(
          "archive.busy",
          fmt::format("{}: {}; another program holds it: close that and repeat the command", file, what));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return base::environment_error(
          "archive.damaged", fmt::format("{}: {}; it is not an archive's database or it is damaged: restore it from a "
                                         "copy, or move it away to begin a new one",
                                         file, what));
    case SQLITE_NOMEM:
      return base::environment_error("archive.memory", fmt::format("{}: out of memory", file));
    default:
      return base::internal_error("archive.sql", fmt::format("{}: SQLite error {}: {}", file, code, what));
  }
}

tl::unexpected<base::Error> translate(const SQLite::Exception& exception, const SQLite::Database* database,
                                      const std::string& file) {
  const int errno_value = database == nullptr ? errno : sqlite3_system_errno(database->getHandle());
  const int code = exception.getExtendedErrorCode() >= 0 ? exception.getExtendedErrorCode() : exception.getErrorCode();
  return translate(code, errno_value, file, exception.what());
}

void bind(SQLite::Statement& statement, int index, const Value& value) {
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          statement.bind(index);
        } else {
          statement.bind(index, held);
        }
      },
      value);
}

std::unique_ptr<SQLite::Statement> prepare(const SQLite::Database& database, const std::string& sql,
                                           const std::vector<Value>& values) {
  auto statement = std::make_unique<SQLite::Statement>(database, sql);
  int index = 0;
  for (const Value& value : values) {
    bind(*statement, ++index, value);
  }
  return statement;
}

}  // namespace

Rows::Rows(std::unique_ptr<SQLite::Statement> statement, const SQLite::Database* database, std::string file)
    : statement_(std::move(statement)), database_(database), file_(std::move(file)) {}
Rows::~Rows() = default;
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;

base::Result<bool> Rows::next() {
  try {
    return statement_->executeStep();
  } catch (const SQLite::Exception& exception) {
    return translate(exception, database_, file_);
  }
}

// A column that does not exist, or no current row, is a bug: SQLiteCpp's exception may end the program.
bool Rows::is_null(int column) const { return statement_->isColumnNull(column); }
std::int64_t Rows::integer(int column) const { return statement_->getColumn(column).getInt64(); }
double Rows::real(int column) const { return statement_->getColumn(column).getDouble(); }
std::string Rows::text(int column) const { return statement_->getColumn(column).getString(); }

Database::Database(std::unique_ptr<SQLite::Database> database, std::string file)
    : database_(std::move(database)), file_(std::move(file)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

base::Result<Database> Database::open(const os::Path& file, Access access) {
  const int flags = access == Access::read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  std::unique_ptr<SQLite::Database> handle;
  errno = 0;
  try {
    handle = std::make_unique<SQLite::Database>(file.string(), flags, kBusyMilliseconds);
  } catch (const SQLite::Exception& exception) {
    return translate(exception, nullptr, file.string());
  }
  Database database(std::move(handle), file.string());
  // SQLite reads the file at the first statement: it is here that a file of another kind is found out.
  ASSAY_TRY(database.script("PRAGMA foreign_keys = ON; SELECT count(*) FROM sqlite_schema;"));
  return database;
}

base::Result<void> Database::keep_safely() {
  std::string mode;
  {
    ASSAY_TRY_ASSIGN(Rows rows, query("PRAGMA journal_mode = WAL"));
    ASSAY_TRY_ASSIGN(const bool found, rows.next());
    mode = found ? rows.text(0) : std::string();
  }
  if (mode != "wal") {
    return base::environment_error("archive.no_wal",
                                   fmt::format("{}: SQLite's write-ahead log does not work here (mode \"{}\"); put the "
                                               "archive on a local disk",
                                               file_, mode));
  }
  return script("PRAGMA synchronous = FULL");
}

base::Result<Rows> Database::query(const std::string& sql, const std::vector<Value>& values) const {
  try {
    return Rows(prepare(*database_, sql, values), database_.get(), file_);
  } catch (const SQLite::Exception& exception) {
    return translate(exception, database_.get(), file_);
  }
}

base::Result<std::int64_t> Database::execute(const std::string& sql, const std::vector<Value>& values) const {
  try {
    return std::int64_t{prepare(*database_, sql, values)->exec()};
  } catch (const SQLite::Exception& exception) {
    return translate(exception, database_.get(), file_);
  }
}

base::Result<void> Database::script(const std::string& sql) const {
  try {
    database_->exec(sql);
    return {};
  } catch (const SQLite::Exception& exception) {
    return translate(exception, database_.get(), file_);
  }
}

std::int64_t Database::last_inserted() const { return database_->getLastInsertRowid(); }

base::Result<Transaction> Transaction::begin(const Database& database, Kind kind) {
  ASSAY_TRY(database.script(kind == Kind::read ? "BEGIN" : "BEGIN IMMEDIATE"));
  return Transaction(&database);
}

Transaction::Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_ != nullptr) {
    // Fails if SQLite has rolled back already (a full disk): then there is nothing left to do.
    static_cast<void>(database_->script("ROLLBACK"));
  }
}

base::Result<void> Transaction::commit() {
  ASSAY_TRY(database_->script("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace assay::archive
