#include <assay/archive/database.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/migrations.hpp>
#include <assay/os/file.hpp>

namespace assay::archive {
namespace {

using testing::HasSubstr;

class DatabaseTest : public testing::Test {
 protected:
  Database open(Access access = Access::read_write) { return Database::open(file_, access).value(); }
  static std::int64_t number(const Database& database, const std::string& sql) {
    Rows rows = database.query(sql).value();
    EXPECT_TRUE(rows.next().value());
    return rows.integer(0);
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "database-").value();
  os::Path file_ = folder_.path() / "test.sqlite";
};

TEST_F(DatabaseTest, KeepsEveryKindOfValue) {
  const Database database = open();
  ASSERT_TRUE(database.script("CREATE TABLE t (i INTEGER, r REAL, s TEXT, n TEXT) STRICT"));
  const std::string text("a\0b'\"é", 7);
  const std::int64_t large = std::int64_t{1} << 62U;
  ASSERT_EQ(database.execute("INSERT INTO t VALUES (?, ?, ?, ?)", {large, 0.1, text, Value()}), 1);
  EXPECT_EQ(database.last_inserted(), 1);
  Rows rows = database.query("SELECT * FROM t").value();
  ASSERT_TRUE(rows.next().value());
  EXPECT_EQ(rows.integer(0), large);
  EXPECT_EQ(rows.real(1), 0.1);
  EXPECT_EQ(rows.text(2), text);
  EXPECT_TRUE(rows.is_null(3));
  EXPECT_FALSE(rows.is_null(2));
  EXPECT_FALSE(rows.next().value());
}

TEST_F(DatabaseTest, AFaultOfOursIsInternalAndQuotesSqlite) {
  const Database database = open();
  for (const auto& error : {database.script("SELEKT 1").error(), database.query("SELECT nothing").error(),
                            database.execute("INSERT INTO nowhere VALUES (1)").error(),
                            database.execute("SELECT ?", {std::int64_t{1}, std::int64_t{2}}).error()}) {
    EXPECT_EQ(error.owner, base::Owner::internal);
    EXPECT_EQ(error.code, "archive.sql");
    EXPECT_THAT(error.text(), HasSubstr(file_.string()));
  }
}

TEST_F(DatabaseTest, TablesAreStrictAboutTypesAndKeys) {
  const Database database = open();
  ASSERT_TRUE(migrate(database));
  EXPECT_FALSE(database.execute("INSERT INTO campaigns VALUES ('a', 'b', x'00', 'c')"));
  EXPECT_FALSE(database.execute("INSERT INTO events VALUES ('no such campaign', 1, 'k', '{}', 'now')"));
}

TEST_F(DatabaseTest, AFileOfAnotherKindIsNamedWithTheRemedy) {
  ASSERT_TRUE(os::write_file_atomic(file_, std::string(5000, 'x')));
  for (const Access access : {Access::read_only, Access::read_write}) {
    const auto database = Database::open(file_, access);
    ASSERT_FALSE(database);
    EXPECT_EQ(database.error().owner, base::Owner::environment);
    EXPECT_EQ(database.error().code, "archive.damaged");
    EXPECT_THAT(database.error().text(), HasSubstr(file_.string()));
    EXPECT_THAT(database.error().text(), HasSubstr("restore"));
  }
  EXPECT_EQ(os::read_file(file_).value(), std::string(5000, 'x'));
}

TEST_F(DatabaseTest, AFolderThatDoesNotExistIsNamed) {
  const auto database = Database::open(folder_.path() / "none" / "x.sqlite", Access::read_write);
  ASSERT_FALSE(database);
  EXPECT_EQ(database.error().owner, base::Owner::environment);
  EXPECT_EQ(database.error().code, "archive.unreadable");
  EXPECT_THAT(database.error().text(), HasSubstr("none/x.sqlite"));
}

TEST_F(DatabaseTest, AReaderCannotWrite) {
  ASSERT_TRUE(open().script("CREATE TABLE t (i INTEGER)"));
  const auto written = open(Access::read_only).execute("INSERT INTO t VALUES (1)");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "archive.read_only");
}

TEST_F(DatabaseTest, SafeKeepingIsWalWithFullSync) {
  Database database = open();
  ASSERT_TRUE(database.keep_safely());
  EXPECT_EQ(database.query("PRAGMA journal_mode").value().next(), true);
  Rows rows = database.query("PRAGMA journal_mode").value();
  ASSERT_TRUE(rows.next().value());
  EXPECT_EQ(rows.text(0), "wal");
  EXPECT_EQ(number(database, "PRAGMA synchronous"), 2);
  EXPECT_EQ(number(database, "PRAGMA foreign_keys"), 1);
}

TEST_F(DatabaseTest, ATransactionIsUndoneUnlessCommitted) {
  const Database database = open();
  ASSERT_TRUE(database.script("CREATE TABLE t (i INTEGER)"));
  {
    const Transaction transaction = Transaction::begin(database, Transaction::Kind::write).value();
    ASSERT_TRUE(database.execute("INSERT INTO t VALUES (1)"));
  }
  EXPECT_EQ(number(database, "SELECT count(*) FROM t"), 0);
  {
    Transaction transaction = Transaction::begin(database, Transaction::Kind::write).value();
    ASSERT_TRUE(database.execute("INSERT INTO t VALUES (1)"));
    ASSERT_TRUE(transaction.commit());
  }
  EXPECT_EQ(number(database, "SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, AReadTransactionSeesOneState) {
  Database writer = open();
  ASSERT_TRUE(writer.keep_safely());
  ASSERT_TRUE(writer.script("CREATE TABLE t (i INTEGER)"));
  const Database reader = open(Access::read_only);
  {
    const Transaction snapshot = Transaction::begin(reader, Transaction::Kind::read).value();
    EXPECT_EQ(number(reader, "SELECT count(*) FROM t"), 0);
    ASSERT_TRUE(writer.execute("INSERT INTO t VALUES (1)"));
    EXPECT_EQ(number(reader, "SELECT count(*) FROM t"), 0);
  }
  EXPECT_EQ(number(reader, "SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, MigrationMakesTheKnownSchemaOnce) {
  const Database database = open();
  EXPECT_EQ(schema_version(database), 0);
  ASSERT_TRUE(migrate(database));
  EXPECT_EQ(schema_version(database), known_schema());
  ASSERT_TRUE(database.execute("INSERT INTO campaigns VALUES ('a', 'b', '{}', 'now')"));
  ASSERT_TRUE(migrate(database));
  EXPECT_EQ(number(database, "SELECT count(*) FROM campaigns"), 1);
}

TEST_F(DatabaseTest, VersionsAreNumberedFromOneWithoutGaps) {
  int expected = 1;
  for (const Migration& step : migrations()) {
    EXPECT_EQ(step.version, expected++);
  }
  EXPECT_EQ(known_schema(), expected - 1);
}

TEST_F(DatabaseTest, MigrationRunsOnlyTheMissingSteps) {
  const Database database = open();
  ASSERT_TRUE(migrate(database));
  std::vector<Migration> longer = migrations();
  longer.push_back({known_schema() + 1, "ALTER TABLE campaigns ADD COLUMN note TEXT"});
  longer.push_back({known_schema() + 2, "UPDATE meta SET only = only; CREATE TABLE later (i INTEGER) STRICT"});
  ASSERT_TRUE(migrate(database, longer));
  EXPECT_EQ(schema_version(database), known_schema() + 2);
  EXPECT_TRUE(database.query("SELECT note FROM campaigns"));
}

TEST_F(DatabaseTest, AFailedMigrationLeavesTheOldSchema) {
  const Database database = open();
  ASSERT_TRUE(migrate(database));
  std::vector<Migration> broken = migrations();
  broken.push_back({known_schema() + 1, "CREATE TABLE later (i INTEGER) STRICT"});
  broken.push_back({known_schema() + 2, "CREATE TABLE later (i INTEGER) STRICT"});
  const auto migrated = migrate(database, broken);
  ASSERT_FALSE(migrated);
  EXPECT_THAT(migrated.error().text(), HasSubstr("while migrating to schema " + std::to_string(known_schema() + 2)));
  EXPECT_EQ(schema_version(database), known_schema());
  EXPECT_EQ(number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'later'"), 0);
}

TEST_F(DatabaseTest, ANewerSchemaIsRefusedByName) {
  const Database database = open();
  ASSERT_TRUE(migrate(database));
  ASSERT_TRUE(database.script("UPDATE meta SET schema_version = 7"));
  for (const auto& refused : {migrate(database), refuse_newer(database)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().owner, base::Owner::input);
    EXPECT_EQ(refused.error().message, file_.string() + " was written by a newer Assay (schema 7; this one knows " +
                                           std::to_string(known_schema()) + "): upgrade Assay");
  }
}

TEST_F(DatabaseTest, ADatabaseOfAnotherProgramIsRefused) {
  const Database database = open();
  ASSERT_TRUE(database.script("CREATE TABLE meta (something TEXT)"));
  EXPECT_EQ(schema_version(database).error().code, "archive.foreign");
  ASSERT_TRUE(database.script("ALTER TABLE meta RENAME TO other"));
  EXPECT_EQ(migrate(database).error().code, "archive.foreign");
  EXPECT_EQ(number(database, "SELECT count(*) FROM sqlite_schema"), 1);
}

}  // namespace
}  // namespace assay::archive
