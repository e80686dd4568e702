#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Counts and sizes of the archive and of the build cache beside it.
struct ArchiveStatistics {
  std::uint64_t campaigns = 0;
  std::uint64_t candidates = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t blobs = 0;
  std::uint64_t blob_bytes = 0;
  std::uint64_t database_bytes = 0;
  std::uint64_t build_cache_bytes = 0;
  os::Path root;
};

/// A kept input with the name of the candidate that failed on it first.
struct KeptFailure {
  archive::StoredFailingInput stored;
  std::string candidate;
};

/// Lists the inputs on which candidates for the definition (empty: for any) failed, the newest first.
[[nodiscard]] base::Result<std::vector<KeptFailure>> failing_inputs(const Context& context,
                                                                    const std::string& definition);
[[nodiscard]] base::Result<archive::VerifyReport> verify_archive(const Context& context);
[[nodiscard]] base::Result<archive::CollectReport> collect_garbage(const Context& context);
[[nodiscard]] base::Result<ArchiveStatistics> archive_statistics(const Context& context);

[[nodiscard]] base::Json encode(const archive::VerifyReport& report);
[[nodiscard]] base::Json encode(const archive::CollectReport& report);
[[nodiscard]] base::Json encode(const ArchiveStatistics& statistics);
[[nodiscard]] base::Json encode(const std::vector<KeptFailure>& kept);

}  // namespace assay::service
