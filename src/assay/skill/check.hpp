#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <assay/skill/folder.hpp>
#include <assay/skill/problem.hpp>

namespace assay::skill {

/// What a skill says of itself.
struct Skill {
  std::string name;
  std::string description;
  std::string license;
  std::string compatibility;
  std::string allowed_tools;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::size_t body_bytes = 0;
  std::size_t body_lines = 0;
};

/// The format's limits (Agent Skills, as its specification has them).
inline constexpr std::size_t kLongestName = 64;
inline constexpr std::size_t kLongestDescription = 1024;
inline constexpr std::size_t kLongestCompatibility = 500;
/// What the format recommends of a body, and this holds skills to: fewer than 500 lines, and 5,000 tokens, which are
/// counted as four bytes each.
inline constexpr std::size_t kMostBodyLines = 499;
inline constexpr std::size_t kMostBodyBytes = 20000;

/// What else a skill is held against.
struct CheckAgainst {
  /// Paths in code spans and in commands must exist below this folder if their first part does; empty: not looked at.
  os::Path root;
  /// Says why our program refuses these words, the program's name first; empty if it does not. No function: commands
  /// are only split into words.
  std::function<std::string(const std::vector<std::string>&)> refusal;
};

/// A skill that was read, and all that is wrong with it.
struct CheckedSkill {
  SkillFolder folder;
  Skill skill;  ///< As far as it could be read.
  std::vector<Problem> problems;
  std::size_t commands = 0;  ///< How many command lines were looked at.
  std::size_t paths = 0;     ///< How many paths below `root`.
};

/// Reads a skill and collects what is wrong with it; never the end of it.
[[nodiscard]] CheckedSkill check_skill(const os::Path& folder, const CheckAgainst& against);
/// The same for a folder that is in memory.
[[nodiscard]] CheckedSkill check_skill(SkillFolder folder, const CheckAgainst& against);

}  // namespace assay::skill
