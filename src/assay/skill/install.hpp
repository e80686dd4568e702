#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/skill/folder.hpp>

namespace assay::skill {

/// What is done with an installed skill that somebody edited.
enum class EditedSkill : std::uint8_t { refuse, overwrite };

/// What became of a skill in one place. `updated`: an older version of ours, as it was installed, was replaced;
/// `overwritten`: one that was edited, or that we did not install.
enum class PlacedSkill : std::uint8_t { added, unchanged, updated, overwritten };

[[nodiscard]] std::string_view to_string(PlacedSkill placed);

struct Placement {
  std::string skill;
  os::Path folder;  ///< Where it lies now.
  PlacedSkill placed = PlacedSkill::added;
};

/// Where coding agents look for skills, below the folder that they work in.
[[nodiscard]] std::vector<os::Path> places_of_agents();

/// Copies skills, as they are in memory, into every place of `worktree`: each appears there whole or not at all. Nothing
/// is written if in some place a skill of one of these names was edited and `edited` is `refuse`; the error names every
/// such file. A place that is a link to another one of the worktree's is served once; one that leads out of it is refused.
[[nodiscard]] base::Result<std::vector<Placement>> install_skills(const std::vector<SkillFolder>& skills,
                                                                  const os::Path& worktree, EditedSkill edited);

}  // namespace assay::skill
