#pragma once

#include <string>

namespace assay::skill {

/// Something that is wrong with a skill: where, and what to do about it.
struct Problem {
  std::string code;  ///< Stable, for programs: "skill.name".
  std::string file;
  int line = 0;         ///< 0: the file as a whole.
  std::string field;    ///< A JSON pointer into the front matter ("/metadata/version"); empty: not about a field.
  std::string message;  ///< One sentence with the remedy.

  /// "skills/x/SKILL.md:3: /description: is empty: say …".
  [[nodiscard]] std::string text() const;
};

}  // namespace assay::skill
