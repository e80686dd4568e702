#pragma once

#include <string>
#include <vector>

#include <assay/report/table.hpp>
#include <assay/service/skills.hpp>

namespace assay::cli {

/// Render for people: what skills there are, what is wrong with them, and where they were put.
[[nodiscard]] std::string print_skill_list(const std::vector<skill::CheckedSkill>& skills, report::Colour colour);
[[nodiscard]] std::string print_skill_lint(const std::vector<skill::CheckedSkill>& skills);
[[nodiscard]] std::string print_skill_installation(const std::vector<skill::Placement>& placements);

}  // namespace assay::cli
