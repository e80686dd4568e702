#pragma once

#include <map>
#include <string>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/skill/folder.hpp>

namespace assay::skill {

/// The files of a skill by path, each with its SHA-256 in hexadecimal digits.
using FileDigests = std::map<std::string, std::string>;

[[nodiscard]] FileDigests digests_of(const SkillFolder& folder);

/// What `assay skills install` put into a folder of skills, so that a later one can tell an older version from files that
/// somebody edited. It lies beside the skills, where no coding agent looks.
struct InstalledRecord {
  std::map<std::string, FileDigests> skills;

  /// Reads the record of a folder of skills. Without one it is empty; one that cannot be read is an input error.
  [[nodiscard]] static base::Result<InstalledRecord> read(const os::Path& skills_folder);
  [[nodiscard]] base::Result<void> write(const os::Path& skills_folder) const;
};

}  // namespace assay::skill
