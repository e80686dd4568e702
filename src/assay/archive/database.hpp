#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace assay::archive {

/// Whether a connection may change the archive.
enum class Access : std::uint8_t { read_only, read_write };

/// A value bound to a statement's parameter; monostate is NULL.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

/// The rows of a running query. It must die before its Database does.
class Rows {
 public:
  ~Rows();
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;

  /// Moves to the next row; false after the last. The getters read the current row, columns from 0.
  [[nodiscard]] base::Result<bool> next();
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  friend class Database;
  Rows(std::unique_ptr<SQLite::Statement> statement, const SQLite::Database* database, std::string file);
  std::unique_ptr<SQLite::Statement> statement_;
  const SQLite::Database* database_;
  std::string file_;
};

/// One connection to an SQLite file. SQLiteCpp's exceptions end here: they become Results whose owner says who must
/// act, and whose code is one of
///   archive.disk_full, archive.disk (I/O), archive.busy, archive.read_only, archive.unreadable (cannot be opened),
///   archive.damaged (not a database, or a broken one), archive.sql (a bug in Assay).
/// Each message names the file and the remedy. Not thread-safe.
class Database {
 public:
  /// Opens a file; for writing, creates it if absent. Waits up to five seconds for a lock. Reads the header, so that a
  /// file that is no database is refused here; changes nothing in the file (see keep_safely).
  [[nodiscard]] static base::Result<Database> open(const os::Path& file, Access access);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  /// Turns on WAL and synchronous=FULL: a commit survives a power cut, and readers do not wait for the writer.
  [[nodiscard]] base::Result<void> keep_safely();

  /// Starts a query; `values` are bound to its parameters in order.
  [[nodiscard]] base::Result<Rows> query(const std::string& sql, const std::vector<Value>& values = {}) const;
  /// Runs one statement to its end and returns the number of rows that it changed.
  [[nodiscard]] base::Result<std::int64_t> execute(const std::string& sql, const std::vector<Value>& values = {}) const;
  /// Runs several statements without parameters.
  [[nodiscard]] base::Result<void> script(const std::string& sql) const;
  /// Returns the key of the row inserted last.
  [[nodiscard]] std::int64_t last_inserted() const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  Database(std::unique_ptr<SQLite::Database> database, std::string file);
  std::unique_ptr<SQLite::Database> database_;
  std::string file_;
};

/// A transaction that is undone unless it was committed.
class Transaction {
 public:
  /// A read transaction sees one state of the archive throughout; a write transaction takes the write lock at once.
  enum class Kind : std::uint8_t { read, write };

  [[nodiscard]] static base::Result<Transaction> begin(const Database& database, Kind kind);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] base::Result<void> commit();

 private:
  explicit Transaction(const Database* database) : database_(database) {}
  const Database* database_;  ///< Null once it is over.
};

}  // namespace assay::archive
