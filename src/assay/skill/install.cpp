#include <assay/skill/install.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include <assay/base/text.hpp>
#include <assay/skill/installed_record.hpp>

namespace assay::skill {
namespace {

// One place, and what is to be done there.
struct AgentPlace {
  os::Path folder;
  InstalledRecord record;
  std::vector<PlacedSkill> plans;  // One a skill.
};

// Says which files of an installed skill are not as `expected` has them, "SKILL.md was edited, x.md was added".
std::string differences(const FileDigests& found, const FileDigests& expected) {
  std::vector<std::string> parts;
  for (const auto& [path, digest] : found) {
    const auto known = expected.find(path);
    if (known == expected.end()) {
      parts.push_back(path + " was added");
    } else if (known->second != digest) {
      parts.push_back(path + " was edited");
    }
  }
  for (const auto& [path, digest] : expected) {
    if (found.count(path) == 0) {
      parts.push_back(path + " was removed");
    }
  }
  return base::join(parts, ", ");
}

class SkillInstaller {
 public:
  SkillInstaller(const std::vector<SkillFolder>& skills, EditedSkill edited) : skills_(skills), edited_(edited) {}

  // Looks at what a place has, and decides for each skill; what is in the way is collected.
  base::Result<void> plan(AgentPlace& place) {
    ASSAY_TRY_ASSIGN(place.record, InstalledRecord::read(place.folder));
    for (const SkillFolder& skill : skills_) {
      const os::Path target = place.folder / skill.name;
      std::error_code error;
      const auto type = std::filesystem::symlink_status(target, error).type();
      if (type == std::filesystem::file_type::not_found) {
        place.plans.push_back(PlacedSkill::added);
        continue;
      }
      if (type != std::filesystem::file_type::directory) {
        return base::input_error("skill.in_the_way", fmt::format("{} is a link or a file: remove it", target.string()));
      }
      place.plans.push_back(compare(skill, target, place.record));
    }
    return {};
  }

  [[nodiscard]] base::Result<void> refusal() const {
    if (edited_ == EditedSkill::overwrite || in_the_way_.empty()) {
      return {};
    }
    return base::input_error("skill.edited", fmt::format("{}; nothing was installed: move what you want to keep, or "
                                                         "overwrite it with --force",
                                                         base::join(in_the_way_, "; ")));
  }

  base::Result<void> carry_out(AgentPlace& place, std::vector<Placement>& placements) const {
    ASSAY_TRY(os::create_directories(place.folder));
    for (std::size_t i = 0; i < skills_.size(); ++i) {
      if (place.plans[i] != PlacedSkill::unchanged) {
        ASSAY_TRY(put(skills_[i], place.folder));
      }
      place.record.skills[skills_[i].name] = digests_of(skills_[i]);
      placements.push_back({skills_[i].name, place.folder / skills_[i].name, place.plans[i]});
    }
    return place.record.write(place.folder);
  }

 private:
  PlacedSkill compare(const SkillFolder& skill, const os::Path& target, const InstalledRecord& record) {
    const SkillFolder found = read_skill_folder(target);
    const FileDigests there = digests_of(found);
    if (found.problems.empty() && there == digests_of(skill)) {
      return PlacedSkill::unchanged;
    }
    if (found.problems.empty() && there.empty()) {
      return PlacedSkill::added;
    }
    const auto known = record.skills.find(skill.name);
    if (found.problems.empty() && known != record.skills.end() && known->second == there) {
      return PlacedSkill::updated;
    }
    std::string what =
        known == record.skills.end() ? "was not put there by this command" : differences(there, known->second);
    for (const Problem& problem : found.problems) {
      what += (what.empty() ? "" : ", ") + problem.text();
    }
    in_the_way_.push_back(fmt::format("{}: {}", target.string(), what));
    return PlacedSkill::overwritten;
  }

  // Writes a skill beside its place first, then puts it there in one step.
  static base::Result<void> put(const SkillFolder& skill, const os::Path& folder) {
    ASSAY_TRY_ASSIGN(const os::TemporaryDirectory stage, os::TemporaryDirectory::create(folder, ".assay-"));
    const os::Path copy = stage.path() / skill.name;
    for (const SkillFile& file : skill.files) {
      const os::Path path = copy / file.path;
      ASSAY_TRY(os::create_directories(path.parent_path()));
      ASSAY_TRY(os::write_file_atomic(path, file.content));
      if (file.executable) {
        std::error_code error;
        using std::filesystem::perms;
        std::filesystem::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec,
                                     std::filesystem::perm_options::add, error);
        if (error) {
          return base::system_error("skill.permissions", "cannot make " + path.string() + " executable", error.value());
        }
      }
    }
    return os::replace_folder(copy, folder / skill.name);
  }

  const std::vector<SkillFolder>& skills_;
  EditedSkill edited_;
  std::vector<std::string> in_the_way_;
};

// The folders to serve, without links: those of the agents, each once.
base::Result<std::vector<AgentPlace>> places_in(const os::Path& worktree) {
  std::error_code error;
  if (!std::filesystem::is_directory(worktree, error)) {
    return base::input_error("skill.worktree",
                             fmt::format("{} is no folder: make it, or name the folder that the agent "
                                         "works in",
                                         worktree.string()));
  }
  const os::Path root = std::filesystem::canonical(worktree, error);
  if (error) {
    return base::system_error("skill.worktree", "cannot resolve " + worktree.string(), error.value());
  }
  std::vector<AgentPlace> places;
  for (const os::Path& place : places_of_agents()) {
    const os::Path folder = std::filesystem::weakly_canonical(root / place, error);
    const os::Path inside = folder.lexically_relative(root);
    if (error || inside.empty() || *inside.begin() == "..") {
      return base::input_error("skill.link", fmt::format("{} leads out of {}: remove the link",
                                                         (worktree / place).string(), worktree.string()));
    }
    if (std::none_of(places.begin(), places.end(), [&](const AgentPlace& one) { return one.folder == folder; })) {
      places.push_back({folder, {}, {}});
    }
  }
  return places;
}

}  // namespace

std::string_view to_string(PlacedSkill placed) {
  switch (placed) {
    case PlacedSkill::added:
      return "added";
    case PlacedSkill::unchanged:
      return "unchanged";
    case PlacedSkill::updated:
      return "updated";
    case PlacedSkill::overwritten:
      return "overwritten";
  }
  return "";
}

std::vector<os::Path> places_of_agents() {
  return {os::Path(".agents") / "skills",   // Codex, and whoever follows the format.
          os::Path(".claude") / "skills"};  // Claude Code.
}

base::Result<std::vector<Placement>> install_skills(const std::vector<SkillFolder>& skills, const os::Path& worktree,
                                                    EditedSkill edited) {
  ASSAY_TRY_ASSIGN(std::vector<AgentPlace> places, places_in(worktree));
  SkillInstaller installer(skills, edited);
  for (AgentPlace& place : places) {
    ASSAY_TRY(installer.plan(place));
  }
  ASSAY_TRY(installer.refusal());
  std::vector<Placement> placements;
  for (AgentPlace& place : places) {
    ASSAY_TRY(installer.carry_out(place, placements));
  }
  return placements;
}

}  // namespace assay::skill
