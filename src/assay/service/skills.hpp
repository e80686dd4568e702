#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/context.hpp>
#include <assay/skill/check.hpp>
#include <assay/skill/install.hpp>

namespace assay::service {

/// Reads the skills of a folder (empty: of this run), sorted by folder. What is wrong with one is in the answer.
[[nodiscard]] base::Result<std::vector<skill::CheckedSkill>> list_skills(const Context& context,
                                                                         const std::string& from);

/// Checks the skills that are, or lie in, these folders (none: those of this run). A path without a skill is an error.
[[nodiscard]] base::Result<std::vector<skill::CheckedSkill>> lint_skills(const Context& context,
                                                                         const std::vector<std::string>& paths,
                                                                         const skill::CheckAgainst& against);

[[nodiscard]] std::size_t problem_count(const std::vector<skill::CheckedSkill>& skills);

struct SkillInstallOptions {
  std::string worktree;
  std::vector<std::string> names;  ///< Empty: all.
  std::string from;                ///< Empty: the skills of this run.
  skill::EditedSkill edited = skill::EditedSkill::refuse;
};

/// Installs skills for coding agents that work in a folder. Skills that are not sound are not installed: an input error.
[[nodiscard]] base::Result<std::vector<skill::Placement>> install_skills(const Context& context,
                                                                         const SkillInstallOptions& options);

/// Encode as [{"name", "description", …, "sound"}], {"sound", "skills": [{"folder", "problems": […]}]} and
/// {"installed": [{"skill", "folder", "what"}]}.
[[nodiscard]] base::Json encode_list(const std::vector<skill::CheckedSkill>& skills);
[[nodiscard]] base::Json encode_lint(const std::vector<skill::CheckedSkill>& skills);
[[nodiscard]] base::Json encode(const std::vector<skill::Placement>& placements);

}  // namespace assay::service
