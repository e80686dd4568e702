#include <assay/cli/print_skills.hpp>

#include <fmt/core.h>

#include <map>

#include <assay/base/text.hpp>

namespace assay::cli {

std::string print_skill_list(const std::vector<skill::CheckedSkill>& skills, report::Colour colour) {
  report::Table table({{"skill", report::Align::left, 64}, {"what, and when", report::Align::left, 100}, {"sound"}});
  for (const skill::CheckedSkill& one : skills) {
    const bool sound = one.problems.empty();
    table.add({one.folder.name,
               one.skill.description,
               {sound ? "yes" : "no", sound ? report::Tone::good : report::Tone::bad}});
  }
  return table.render(colour);
}

std::string print_skill_lint(const std::vector<skill::CheckedSkill>& skills) {
  std::string text;
  std::size_t commands = 0;
  std::size_t paths = 0;
  for (const skill::CheckedSkill& one : skills) {
    for (const skill::Problem& problem : one.problems) {
      text += base::printable(problem.text()) + "\n";
    }
    commands += one.commands;
    paths += one.paths;
  }
  const std::size_t problems = service::problem_count(skills);
  return text + fmt::format("{} skill{}, {} command{} and {} path{} in them: {}\n", skills.size(),
                            skills.size() == 1 ? "" : "s", commands, commands == 1 ? "" : "s", paths,
                            paths == 1 ? "" : "s",
                            problems == 0   ? "all sound"
                            : problems == 1 ? "1 problem"
                                            : fmt::format("{} problems", problems));
}

std::string print_skill_installation(const std::vector<skill::Placement>& placements) {
  std::string text;
  std::map<std::string_view, std::size_t> counts;
  for (const skill::Placement& one : placements) {
    text += fmt::format("{:<11} {}\n", skill::to_string(one.placed), one.folder.string());
    ++counts[skill::to_string(one.placed)];
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, word));
  }
  return base::printable(text + base::join(parts, ", ") + "\n");
}

}  // namespace assay::cli
