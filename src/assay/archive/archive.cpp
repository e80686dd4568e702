#include <assay/archive/archive.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <system_error>

#include <assay/archive/database.hpp>
#include <assay/archive/migrations.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/text.hpp>

namespace assay::archive {
namespace {

constexpr std::string_view kDatabaseFile = "archive.sqlite";
constexpr std::string_view kBlobFolder = "blobs";
constexpr std::string_view kSpoolFolder = "spool";
constexpr std::string_view kLockFile = "lock";

// The holder writes its number into the file that it has locked; the lock, not the number, is what counts.
base::Result<os::FileLock> acquire_lock(const os::Path& root) {
  const os::Path path = root / kLockFile;
  auto lock = os::FileLock::try_acquire(path);
  if (!lock) {
    if (lock.error().code != "lock.held") {
      return lock;
    }
    std::string holder;
    std::ifstream(path) >> holder;
    return base::environment_error(
        "archive.in_use", fmt::format("{}: the archive is in use by process {}: wait until it has finished, or stop it",
                                      root.string(), holder.empty() ? "(unknown)" : base::printable(holder)));
  }
  // In place: a rename would put another file under the name that others try to lock.
  std::ofstream stream(path, std::ios::trunc);
  stream << ::getpid() << '\n';
  stream.flush();
  if (!stream) {
    return base::environment_error("archive.lock_file", fmt::format("{}: cannot be written: is the disk full, or the "
                                                                    "folder not yours?",
                                                                    path.string()));
  }
  return lock;
}

base::Result<void> require_current_schema(const Database& database) {
  ASSAY_TRY(refuse_newer(database));
  ASSAY_TRY_ASSIGN(const int version, schema_version(database));
  if (version < known_schema()) {
    return base::input_error(
        "archive.older", fmt::format("{} is of schema {} and this Assay reads {}: run `assay archive gc` once, which "
                                     "brings it up to date",
                                     database.file(), version, known_schema()));
  }
  return {};
}

}  // namespace

Archive::Archive(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;

base::Result<Archive> Archive::open_writer(const os::Path& root) {
  ASSAY_TRY(os::create_directories(root));
  ASSAY_TRY_ASSIGN(os::FileLock lock, acquire_lock(root));
  ASSAY_TRY_ASSIGN(Database database, Database::open(root / kDatabaseFile, Access::read_write));
  // Before WAL is turned on, which would write to a file that is not ours to change.
  ASSAY_TRY(refuse_newer(database));
  ASSAY_TRY(database.keep_safely());
  ASSAY_TRY(migrate(database));
  ASSAY_TRY(os::create_directories(root / kSpoolFolder));
  ASSAY_TRY_ASSIGN(blob::BlobStore blobs, blob::BlobStore::open(root / kBlobFolder));
  return Archive(std::make_unique<Implementation>(
      Implementation{root, Access::read_write, std::move(lock), std::move(database), std::move(blobs)}));
}

base::Result<Archive> Archive::open_reader(const os::Path& root) {
  const os::Path file = root / kDatabaseFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return base::input_error("archive.not_found",
                             fmt::format("{}: there is no archive here: `assay evaluate` and `assay campaign run` make "
                                         "one; or name another with --archive",
                                         root.string()));
  }
  ASSAY_TRY_ASSIGN(Database database, Database::open(file, Access::read_only));
  ASSAY_TRY(require_current_schema(database));
  ASSAY_TRY_ASSIGN(blob::BlobStore blobs, blob::BlobStore::open(root / kBlobFolder));
  return Archive(std::make_unique<Implementation>(
      Implementation{root, Access::read_only, std::nullopt, std::move(database), std::move(blobs)}));
}

const os::Path& Archive::root() const { return implementation_->root; }

os::Path Archive::spool() const { return implementation_->root / kSpoolFolder; }

base::Result<void> Archive::Implementation::require_writer(std::string_view what) const {
  if (access == Access::read_write) {
    return {};
  }
  return base::internal_error("archive.opened_for_reading",
                              fmt::format("{}: cannot {}: the archive was opened for reading", root.string(), what));
}

os::Path retired_path(const os::Path& bundle) {
  os::Path name = bundle.filename();
  name += ".ingested";
  return bundle.parent_path() / name;
}

}  // namespace assay::archive
