#include <assay/archive/built_code.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/archive/store.hpp>

namespace assay::archive {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kCodeLevels = {"ptx", "sass", "machine_code"};

}  // namespace

std::string_view to_string(CodeLevel level) { return kCodeLevels[static_cast<std::size_t>(level)]; }

const std::string& at_level(const task::BuiltCode& code, CodeLevel level) {
  switch (level) {
    case CodeLevel::ptx:
      return code.ptx;
    case CodeLevel::sass:
      return code.sass;
    case CodeLevel::machine_code:
      break;
  }
  return code.machine_code;
}

base::Result<std::vector<SameBuild>> Archive::same_builds(std::string_view definition,
                                                          const base::Digest& content) const {
  const Database& database = implementation_->database;
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT other.content, theirs.level FROM candidates own "
                                             "JOIN built_code mine ON mine.candidate = own.number "
                                             "JOIN built_code theirs ON theirs.digest = mine.digest "
                                             "AND theirs.level = mine.level AND theirs.candidate <> mine.candidate "
                                             "JOIN candidates other ON other.number = theirs.candidate "
                                             "WHERE own.definition = ?1 AND own.content = ?2 AND other.definition = ?1 "
                                             "ORDER BY other.number",
                                             {std::string(definition), content.hex()}));
  std::vector<SameBuild> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      break;
    }
    const auto other = base::Digest::parse(rows.text(0));
    const std::string word = rows.text(1);
    const auto* const level = std::find(kCodeLevels.begin(), kCodeLevels.end(), word);
    if (!other || level == kCodeLevels.end()) {
      return base::environment_error(
          "archive.damaged", fmt::format("{}: a row of built_code holds what Assay does not write: run `assay archive "
                                         "verify`",
                                         database.file()));
    }
    const auto known =
        std::find_if(found.begin(), found.end(), [&](const SameBuild& one) { return one.candidate == *other; });
    const auto read = static_cast<CodeLevel>(level - kCodeLevels.begin());
    if (known == found.end()) {
      found.push_back({*other, {}, read});
    } else {
      known->level = std::max(known->level, read);
    }
  }
  for (SameBuild& one : found) {
    ASSAY_TRY_ASSIGN(const auto stored, candidate(one.candidate.hex()));
    one.name = stored ? stored->solution.name : std::string();
  }
  return found;
}

}  // namespace assay::archive
