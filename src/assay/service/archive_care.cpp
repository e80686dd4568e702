#include <assay/service/archive_care.hpp>

#include <nlohmann/json.hpp>
#include <system_error>

namespace assay::service {
namespace {

// What cannot be read counts as nothing: a number for people, not evidence.
std::uint64_t tree_bytes(const os::Path& root) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) {
      const std::uintmax_t size = entry->file_size(ignored);
      bytes += ignored ? 0 : size;
    }
  }
  return bytes;
}

std::uint64_t database_bytes(const os::Path& root) {
  std::uint64_t bytes = 0;
  for (const char* name : {"archive.sqlite", "archive.sqlite-wal"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(root / name, error);
    bytes += error ? 0 : size;
  }
  return bytes;
}

}  // namespace

base::Result<std::vector<KeptFailure>> failing_inputs(const Context& context, const std::string& definition) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(auto stored, archive.failing_inputs(definition));
  std::vector<KeptFailure> kept;
  for (archive::StoredFailingInput& one : stored) {
    ASSAY_TRY_ASSIGN(const auto candidate, archive.candidate(one.candidate.hex()));
    kept.push_back({std::move(one), candidate ? candidate->solution.name : std::string("unknown")});
  }
  return kept;
}

base::Result<archive::VerifyReport> verify_archive(const Context& context) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  return archive.verify();
}

base::Result<archive::CollectReport> collect_garbage(const Context& context) {
  // A writer would make an archive where there is none; nothing is to be collected from a mistyped path.
  ASSAY_TRY(archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  return archive.collect_garbage();
}

base::Result<ArchiveStatistics> archive_statistics(const Context& context) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ArchiveStatistics statistics;
  statistics.root = archive.root();
  ASSAY_TRY_ASSIGN(const auto campaigns, archive.campaigns());
  ASSAY_TRY_ASSIGN(const auto candidates, archive.candidates(""));
  ASSAY_TRY_ASSIGN(const auto evaluations, archive.evaluations("", ""));
  statistics.campaigns = campaigns.size();
  statistics.candidates = candidates.size();
  statistics.evaluations = evaluations.size();
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(archive.root() / "blobs", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) {
      ++statistics.blobs;
    }
  }
  statistics.blob_bytes = tree_bytes(archive.root() / "blobs");
  statistics.database_bytes = database_bytes(archive.root());
  statistics.build_cache_bytes = tree_bytes(context.places.build_cache);
  return statistics;
}

base::Json encode(const archive::VerifyReport& report) {
  return {{"ok", report.problems.empty()}, {"evaluations", report.evaluations}, {"candidates", report.candidates},
          {"blobs", report.blobs},         {"blob_bytes", report.blob_bytes},   {"decisions", report.decisions},
          {"problems", report.problems}};
}

base::Json encode(const archive::CollectReport& report) {
  return {{"blobs_removed", report.blobs_removed},
          {"bytes_freed", report.bytes_freed},
          {"temporaries_removed", report.temporaries_removed}};
}

base::Json encode(const std::vector<KeptFailure>& kept) {
  base::Json json = base::Json::array();
  for (const KeptFailure& one : kept) {
    json.push_back({{"definition", one.stored.definition},
                    {"input", task::encode(one.stored.input)},
                    {"candidate", one.stored.candidate.hex()},
                    {"name", one.candidate},
                    {"evaluation", one.stored.evaluation},
                    {"when", one.stored.when},
                    {"failures", one.stored.failures}});
  }
  return json;
}

base::Json encode(const ArchiveStatistics& statistics) {
  return {{"root", statistics.root.string()},
          {"campaigns", statistics.campaigns},
          {"candidates", statistics.candidates},
          {"evaluations", statistics.evaluations},
          {"blobs", statistics.blobs},
          {"blob_bytes", statistics.blob_bytes},
          {"database_bytes", statistics.database_bytes},
          {"build_cache_bytes", statistics.build_cache_bytes}};
}

}  // namespace assay::service
