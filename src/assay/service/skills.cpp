#include <assay/service/skills.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>

namespace assay::service {
namespace {

base::Result<std::vector<os::Path>> skill_folders(const Context& context, const std::string& from) {
  const os::Path path = from.empty() ? context.places.skills : os::Path(from);
  if (path.empty()) {
    std::vector<std::string> tried;
    for (const os::Path& candidate : context.places.skills_candidates) {
      tried.push_back(candidate.string());
    }
    return base::input_error("skill.not_found", fmt::format("no skills came with this program; name their folder by "
                                                            "--from DIR or $ASSAY_SKILLS (looked for {})",
                                                            base::join(tried, ", ")));
  }
  return skill::find_skill_folders(path);
}

base::Json encode_problems_of(const skill::CheckedSkill& checked) {
  base::Json problems = base::Json::array();
  for (const skill::Problem& problem : checked.problems) {
    problems.push_back({{"code", problem.code},
                        {"file", problem.file},
                        {"line", problem.line == 0 ? base::Json() : base::Json(problem.line)},
                        {"field", problem.field},
                        {"message", base::printable(problem.message)}});
  }
  return problems;
}

}  // namespace

base::Result<std::vector<skill::CheckedSkill>> list_skills(const Context& context, const std::string& from) {
  ASSAY_TRY_ASSIGN(const std::vector<os::Path> folders, skill_folders(context, from));
  std::vector<skill::CheckedSkill> skills;
  for (const os::Path& folder : folders) {
    skills.push_back(skill::check_skill(folder, {}));
  }
  return skills;
}

base::Result<std::vector<skill::CheckedSkill>> lint_skills(const Context& context,
                                                           const std::vector<std::string>& paths,
                                                           const skill::CheckAgainst& against) {
  std::vector<skill::CheckedSkill> skills;
  for (const std::string& path : paths.empty() ? std::vector<std::string>{""} : paths) {
    ASSAY_TRY_ASSIGN(const std::vector<os::Path> folders, skill_folders(context, path));
    for (const os::Path& folder : folders) {
      skills.push_back(skill::check_skill(folder, against));
    }
  }
  return skills;
}

std::size_t problem_count(const std::vector<skill::CheckedSkill>& skills) {
  std::size_t count = 0;
  for (const skill::CheckedSkill& one : skills) {
    count += one.problems.size();
  }
  return count;
}

base::Result<std::vector<skill::Placement>> install_skills(const Context& context, const SkillInstallOptions& options) {
  ASSAY_TRY_ASSIGN(const std::vector<skill::CheckedSkill> all, list_skills(context, options.from));
  std::vector<std::string> known;
  for (const skill::CheckedSkill& one : all) {
    known.push_back(one.folder.name);
  }
  for (const std::string& name : options.names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string meant = base::nearest(name, known);
      return base::input_error("skill.unknown", fmt::format("there is no skill {}: {}", name,
                                                            meant.empty() ? "assay skills list shows all"
                                                                          : fmt::format("did you mean {}?", meant)));
    }
  }
  std::vector<skill::SkillFolder> chosen;
  for (const skill::CheckedSkill& one : all) {
    if (!options.names.empty() &&
        std::find(options.names.begin(), options.names.end(), one.folder.name) == options.names.end()) {
      continue;
    }
    if (!one.problems.empty()) {
      return base::input_error("skill.unsound", fmt::format("{}; nothing was installed: mend it (assay skills lint {})",
                                                            one.problems.front().text(), one.folder.path.string()));
    }
    chosen.push_back(one.folder);
  }
  return skill::install_skills(chosen, options.worktree, options.edited);
}

base::Json encode_list(const std::vector<skill::CheckedSkill>& skills) {
  base::Json list = base::Json::array();
  for (const skill::CheckedSkill& one : skills) {
    base::Json metadata = base::Json::object();
    for (const auto& [key, value] : one.skill.metadata) {
      metadata[key] = value;
    }
    list.push_back({{"name", one.folder.name},
                    {"description", one.skill.description},
                    {"license", one.skill.license},
                    {"compatibility", one.skill.compatibility},
                    {"allowed_tools", one.skill.allowed_tools},
                    {"metadata", metadata},
                    {"folder", one.folder.path.string()},
                    {"files", one.folder.files.size()},
                    {"body_bytes", one.skill.body_bytes},
                    {"sound", one.problems.empty()}});
  }
  return list;
}

base::Json encode_lint(const std::vector<skill::CheckedSkill>& skills) {
  base::Json list = base::Json::array();
  for (const skill::CheckedSkill& one : skills) {
    list.push_back({{"name", one.folder.name},
                    {"folder", one.folder.path.string()},
                    {"commands", one.commands},
                    {"paths", one.paths},
                    {"problems", encode_problems_of(one)}});
  }
  return {{"sound", problem_count(skills) == 0}, {"skills", list}};
}

base::Json encode(const std::vector<skill::Placement>& placements) {
  base::Json list = base::Json::array();
  for (const skill::Placement& one : placements) {
    list.push_back({{"skill", one.skill}, {"folder", one.folder.string()}, {"what", skill::to_string(one.placed)}});
  }
  return {{"installed", list}};
}

}  // namespace assay::service
