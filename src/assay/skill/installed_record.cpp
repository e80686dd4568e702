#include <assay/skill/installed_record.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>

namespace assay::skill {
namespace {

constexpr const char* kRecordFile = ".assay-installed.json";
constexpr int kRecordVersion = 1;  // Never changes its meaning.
constexpr std::uint64_t kLargestRecord = std::uint64_t{4} << 20U;

tl::unexpected<base::Error> unreadable_record(const os::Path& file, std::string_view why) {
  return base::input_error(
      "skill.record", fmt::format("{} {}: remove it; skills that were edited are then refused", file.string(), why));
}

}  // namespace

FileDigests digests_of(const SkillFolder& folder) {
  FileDigests digests;
  for (const SkillFile& file : folder.files) {
    digests[file.path] = base::sha256(file.content).hex();
  }
  return digests;
}

base::Result<InstalledRecord> InstalledRecord::read(const os::Path& skills_folder) {
  const os::Path file = skills_folder / kRecordFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return InstalledRecord{};
  }
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(file, kLargestRecord));
  const auto json = base::parse_json(text, file.string());
  if (!json) {
    return unreadable_record(file, "is no JSON");
  }
  if (!json->is_object() || json->value("version", base::Json()) != base::Json(kRecordVersion) ||
      !json->contains("skills") || !(*json)["skills"].is_object()) {
    return unreadable_record(file, "is no record of this version");
  }
  InstalledRecord record;
  for (const auto& [skill, files] : (*json)["skills"].items()) {
    FileDigests& digests = record.skills[skill];
    if (!files.is_object()) {
      return unreadable_record(file, "has a skill that is no object");
    }
    for (const auto& [path, digest] : files.items()) {
      if (!digest.is_string() || !base::Digest::parse(digest.get<std::string>())) {
        return unreadable_record(file, "has a file without a digest");
      }
      digests[path] = digest.get<std::string>();
    }
  }
  return record;
}

base::Result<void> InstalledRecord::write(const os::Path& skills_folder) const {
  const base::Json json = {{"version", kRecordVersion}, {"skills", skills}};
  return os::write_file_atomic(skills_folder / kRecordFile, base::dump_pretty(json) + "\n");
}

}  // namespace assay::skill
