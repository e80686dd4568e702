#pragma once

#include <string_view>
#include <vector>

#include <assay/archive/database.hpp>
#include <assay/base/error.hpp>

namespace assay::archive {

/// One step from schema `version` - 1 to `version`. A step that was released is never edited: a change is a new step.
struct Migration {
  int version = 0;
  std::string_view sql;
  /// What SQL cannot do, run after it; may be null.
  base::Result<void> (*then)(const Database&) = nullptr;
};

/// Lists all steps in order; versions are 1, 2, …
[[nodiscard]] const std::vector<Migration>& migrations();

/// The schema that this program reads and writes.
[[nodiscard]] int known_schema();

/// Reads meta.schema_version; 0 if the file holds nothing yet. A database with other contents is an input error.
[[nodiscard]] base::Result<int> schema_version(const Database& database);

/// Refuses a database that a newer Assay wrote, by naming both versions. Changes nothing.
[[nodiscard]] base::Result<void> refuse_newer(const Database& database);

/// Runs the missing steps in one transaction: a crash leaves the old schema or the new one. Refuses a newer one.
[[nodiscard]] base::Result<void> migrate(const Database& database, const std::vector<Migration>& steps = migrations());

}  // namespace assay::archive
