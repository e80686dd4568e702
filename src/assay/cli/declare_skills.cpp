#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <assay/cli/shared_options.hpp>

namespace assay::cli {
namespace {

constexpr const char* kFrom = "Folder of skills (default: $ASSAY_SKILLS, or those that came with this program)";

void declare_skill_list(CLI::App& parent, Draft& draft) {
  const Slot<SkillsListCommand> slot(draft);
  CLI::App* command = add_command(parent, "list", "List skills and when they are for",
                                  "  assay skills list\n"
                                  "  assay skills list --json");
  command->add_option("--from", slot->from, kFrom);
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

void declare_skill_lint(CLI::App& parent, Draft& draft) {
  const Slot<SkillsLintCommand> slot(draft);
  CLI::App* command = add_command(
      parent, "lint", "Hold skills against the Agent Skills format, and their commands against this program",
      "  assay skills lint\n"
      "  assay skills lint .claude/skills my-skill --json\n"
      "  assay skills lint skills --root .\n\n"
      "Each problem has its file, line, field and remedy (docs/skills.md).\n"
      "Exit code 1 if something is wrong with a skill, 2 if there is none where one was named.");
  command->add_option("path", slot->paths,
                      "Folders of a skill or of skills (default: those that came with this program)");
  command->add_option(
      "--root", slot->root,
      "Paths that skills name must exist in this folder, if their first part does (default: not looked at)");
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

void declare_skill_install(CLI::App& parent, Draft& draft) {
  const Slot<SkillsInstallCommand> slot(draft);
  CLI::App* command =
      add_command(parent, "install", "Copy skills to where coding agents look: .agents/skills and .claude/skills",
                  "  assay skills install worktree\n"
                  "  assay skills install worktree --skill assay-gdn-decode assay-hopper\n"
                  "  assay skills install worktree --force\n\n"
                  "A skill appears whole or not at all. An older version of ours is replaced; one that was edited, or\n"
                  "that came from elsewhere, is kept, and then nothing is installed.");
  command->add_option("folder", slot->options.worktree, "The folder that the agent works in")->required();
  command->add_option("--skill", slot->options.names, "Only these (default: all)")->expected(-1);
  command->add_option("--from", slot->options.from, kFrom);
  command->add_flag_callback(
      "--force", [slot] { slot->options.edited = skill::EditedSkill::overwrite; }, "Overwrite what was edited");
  add_shared(*command, draft, {Shared::json});
  command->final_callback(slot.chosen());
}

}  // namespace

void declare_skills(CLI::App& app, Draft& draft) {
  CLI::App* group = add_command(app, "skills", "Playbooks for coding agents: list, lint, install",
                                "  assay skills list\n"
                                "  assay skills install worktree");
  group->require_subcommand(1);
  declare_skill_list(*group, draft);
  declare_skill_lint(*group, draft);
  declare_skill_install(*group, draft);
}

}  // namespace assay::cli
