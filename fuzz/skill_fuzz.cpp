// Any bytes as a skill's file: read or refused with a line; what it names lies in it; checking it always ends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/skill/check.hpp>
#include <assay/skill/front_matter.hpp>
#include <assay/skill/markdown.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  const auto front = skill::parse_front_matter(text, "SKILL.md");
  if (front) {
    ASSAY_CHECK(front->body <= text.size());
    ASSAY_CHECK(front->body_line >= 3 && front->body_line <= lines + 1);
    ASSAY_CHECK(front->fields.size() <= skill::kMostFields);
    for (const skill::Field& field : front->fields) {
      ASSAY_CHECK(front->find(field.key) == &field);
      ASSAY_CHECK(field.value.size() <= text.size());
    }
  } else {
    ASSAY_CHECK(front.error().line >= 1 && front.error().line <= lines);
    ASSAY_CHECK(!front.error().message.empty());
  }
  const skill::Markdown found = skill::scan_markdown(text, 1);
  for (const auto* mentions : {&found.commands, &found.links, &found.code}) {
    for (const skill::Mention& one : *mentions) {
      ASSAY_CHECK(one.line >= 1 && one.line <= lines);
    }
  }
  skill::SkillFolder folder;
  folder.name = "x";
  folder.files.push_back({"SKILL.md", text, false});
  const skill::CheckedSkill checked = skill::check_skill(std::move(folder), {});
  ASSAY_CHECK(front.has_value() || !checked.problems.empty());
  return 0;
}
