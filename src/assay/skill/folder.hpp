#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/os/file.hpp>
#include <assay/skill/problem.hpp>

namespace assay::skill {

inline constexpr std::string_view kSkillFile = "SKILL.md";

/// A file of a skill, whole in memory: what was checked is what is installed.
struct SkillFile {
  std::string path;  ///< From the skill's folder, with slashes.
  std::string content;
  bool executable = false;
};

struct SkillFolder {
  os::Path path;
  std::string name;               ///< The folder's.
  std::vector<SkillFile> files;   ///< Sorted by path.
  std::vector<Problem> problems;  ///< What could not be read, and why.

  [[nodiscard]] const SkillFile* find(std::string_view file) const;
};

/// Bounds on what is read of one skill.
inline constexpr std::size_t kMostSkillFiles = 200;
inline constexpr std::uint64_t kLargestSkillFile = std::uint64_t{1} << 20U;
inline constexpr int kDeepestSkillFolder = 4;

/// Reads every file below a folder. Links and whatever is no regular file are problems, and are not followed.
[[nodiscard]] SkillFolder read_skill_folder(const os::Path& path);

/// Tells which skills a path holds: itself if it has a SKILL.md, else the folders in it, sorted, but those that begin
/// with a dot. A path without any is an input error.
[[nodiscard]] base::Result<std::vector<os::Path>> find_skill_folders(const os::Path& path);

}  // namespace assay::skill
