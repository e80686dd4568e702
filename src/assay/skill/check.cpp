#include <assay/skill/check.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <system_error>

#include <assay/base/text.hpp>
#include <assay/skill/command_line.hpp>
#include <assay/skill/front_matter.hpp>
#include <assay/skill/markdown.hpp>

namespace assay::skill {
namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

// Why a name is none, in words; empty if it is one.
std::string fault_of_name(std::string_view name) {
  if (name.size() > kLongestName) {
    return fmt::format("has {} characters, {} at most are allowed: shorten it", name.size(), kLongestName);
  }
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string_view::npos) {
    return "has other characters than a-z, 0-9 and -: replace them";
  }
  if (name.starts_with('-') || name.ends_with('-') || name.find("--") != std::string_view::npos) {
    return "begins or ends with -, or has two in a row: remove them";
  }
  return "";
}

bool says_when(std::string_view description) {
  std::string lower(description);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (std::size_t at = lower.find("when"); at != std::string::npos; at = lower.find("when", at + 1)) {
    const auto is_letter = [&](std::size_t i) { return i < lower.size() && lower[i] >= 'a' && lower[i] <= 'z'; };
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + 4)) {
      return true;
    }
  }
  return false;
}

class SkillCheck {
 public:
  SkillCheck(CheckedSkill& checked, const CheckAgainst& against) : checked_(checked), against_(against) {}

  void run() {
    const SkillFolder& folder = checked_.folder;
    checked_.problems = folder.problems;
    const SkillFile* main = folder.find(kSkillFile);
    if (main == nullptr) {
      report("skill.missing", folder.path.string(), 0, "", fmt::format("has no {}: write one", kSkillFile));
      return;
    }
    const std::string file = name_of(*main);
    const auto front = parse_front_matter(main->content, file);
    std::string_view body;
    int first_line = 1;
    if (!front) {
      checked_.problems.push_back(front.error());
      body = main->content;
    } else {
      check_fields(*front, file);
      body = std::string_view(main->content).substr(front->body);
      first_line = front->body_line;
    }
    check_body(body, file);
    look_through(*main, body, first_line);
    for (const SkillFile& other : folder.files) {
      if (&other != main && other.path.ends_with(".md")) {
        look_through(other, other.content, 1);
      }
    }
    for (const SkillFile& other : folder.files) {
      if (&other != main && mentioned_.count(other.path) == 0 && other.path != checked_.skill.license) {
        report("skill.unmentioned", name_of(other), 0, "",
               fmt::format("is named nowhere, so that nobody reads it: link it in {}, or remove it", kSkillFile));
      }
    }
  }

 private:
  void report(std::string code, std::string file, int line, std::string field, std::string message) {
    checked_.problems.push_back({std::move(code), std::move(file), line, std::move(field), std::move(message)});
  }

  [[nodiscard]] std::string name_of(const SkillFile& file) const { return (checked_.folder.path / file.path).string(); }

  // Returns the text of a field, or "" after saying what is wrong with it.
  std::string text_of(const Field& field, const std::string& file, std::size_t longest) {
    const std::string pointer = "/" + field.key;
    if (field.kind == Field::Kind::map) {
      report("skill.type", file, field.line, pointer, "is a map: write text");
      return "";
    }
    if (field.kind == Field::Kind::other) {
      report(
          "skill.type", file, field.line, pointer,
          field.value.empty()
              ? "has no value: write text, or remove it"
              : fmt::format("is {} without quotes, which YAML does not take for text: put it in quotes", field.value));
      return "";
    }
    if (base::trim(field.value).empty()) {
      report("skill.empty", file, field.line, pointer, "is empty: write something, or remove it");
      return "";
    }
    if (longest > 0 && characters(field.value) > longest) {
      report("skill.too_long", file, field.line, pointer,
             fmt::format("has {} characters, {} at most are allowed: shorten it", characters(field.value), longest));
    }
    return field.value;
  }

  void check_fields(const FrontMatter& front, const std::string& file) {
    Skill& skill = checked_.skill;
    for (const Field& field : front.fields) {
      if (field.key == "name") {
        skill.name = text_of(field, file, 0);
        check_name(field, file);
      } else if (field.key == "description") {
        skill.description = text_of(field, file, kLongestDescription);
        if (!skill.description.empty() && !says_when(skill.description)) {
          report("skill.when", file, field.line, "/description",
                 "does not say when to use the skill: add a sentence such as \"Use when …\"");
        }
      } else if (field.key == "license") {
        skill.license = text_of(field, file, 0);
      } else if (field.key == "compatibility") {
        skill.compatibility = text_of(field, file, kLongestCompatibility);
      } else if (field.key == "allowed-tools") {
        skill.allowed_tools = text_of(field, file, 0);
      } else if (field.key == "metadata") {
        check_metadata(field, file);
      } else {
        const std::vector<std::string> known = {"name",          "description", "license",
                                                "compatibility", "metadata",    "allowed-tools"};
        const std::string meant = base::nearest(field.key, known);
        report("skill.unknown_field", file, field.line, "/" + field.key,
               meant.empty() ? "is no field of the format: put it into metadata"
                             : fmt::format("is no field of the format: did you mean {}?", meant));
      }
    }
    for (const std::string_view required : {"name", "description"}) {
      if (front.find(required) == nullptr) {
        report("skill.required", file, 1, fmt::format("/{}", required), "is missing: add it to the front matter");
      }
    }
  }

  void check_name(const Field& field, const std::string& file) {
    const std::string& name = checked_.skill.name;
    if (name.empty()) {
      return;  // Said already.
    }
    if (const std::string fault = fault_of_name(name); !fault.empty()) {
      report("skill.name", file, field.line, "/name", fault);
    } else if (name != checked_.folder.name) {
      report("skill.name", file, field.line, "/name",
             fmt::format("must be the folder's name: write {}, or rename the folder", checked_.folder.name));
    }
  }

  void check_metadata(const Field& field, const std::string& file) {
    if (field.kind != Field::Kind::map) {
      report("skill.type", file, field.line, "/metadata", "is no map: write \"key: value\" lines below it, indented");
      return;
    }
    for (const Field& one : field.fields) {
      if (one.kind == Field::Kind::other) {
        report("skill.type", file, one.line, "/metadata/" + one.key,
               "is not text to YAML: put the value in quotes, or write one");
      } else {
        checked_.skill.metadata.emplace_back(one.key, one.value);
      }
    }
  }

  void check_body(std::string_view body, const std::string& file) {
    checked_.skill.body_bytes = body.size();
    checked_.skill.body_lines = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
    if (base::trim(body).empty()) {
      report("skill.body", file, 0, "", "has nothing below its front matter: write what to do");
    }
    if (checked_.skill.body_lines > kMostBodyLines || body.size() > kMostBodyBytes) {
      report("skill.body", file, 0, "",
             fmt::format("has {} lines and {} bytes below its front matter, more than {} lines or {} bytes (some 5,000 "
                         "tokens): move details into files that it links",
                         checked_.skill.body_lines, body.size(), kMostBodyLines, kMostBodyBytes));
    }
  }

  // Holds what a Markdown file names against what there is.
  void look_through(const SkillFile& file, std::string_view text, int first_line) {
    const std::string where = name_of(file);
    const Markdown found = scan_markdown(text, first_line);
    if (found.unclosed_fence > 0) {
      report("skill.fence", where, found.unclosed_fence, "", "begins a code block that is never closed: close it");
    }
    for (const Mention& link : found.links) {
      check_link(file, link);
    }
    for (const Mention& command : found.commands) {
      check_command(command, where);
    }
    for (const Mention& code : found.code) {
      if (checked_.folder.find(code.text) != nullptr) {
        mentioned_.insert(code.text);
      }
      check_path(code.text, code.line, where);
    }
  }

  void check_link(const SkillFile& file, const Mention& link) {
    const os::Path target = (os::Path(file.path).parent_path() / link.text).lexically_normal();
    const std::string path = target.generic_string();
    if (target.is_absolute() || path.starts_with("..")) {
      report(
          "skill.link", name_of(file), link.line, "",
          fmt::format("links to {}, outside of the skill, which alone is installed: move the file into it", link.text));
    } else if (checked_.folder.find(path) == nullptr) {
      report("skill.link", name_of(file), link.line, "",
             fmt::format("links to {}, which the skill does not have: write it, or mend the link", link.text));
    } else if (std::count(path.begin(), path.end(), '/') > 1) {
      report("skill.link", name_of(file), link.line, "",
             fmt::format("links to {}, more than one folder down: move it up", link.text));
    } else {
      mentioned_.insert(path);
    }
  }

  void check_command(const Mention& command, const std::string& where) {
    ++checked_.commands;
    auto words = shell_words(command.text);
    if (!words) {
      report("skill.command", where, command.line, "", "has a quote that is not closed: close it");
      return;
    }
    while (!words->empty() && words->front().find('=') != std::string::npos) {
      words->erase(words->begin());
    }
    for (const std::string& word : *words) {
      check_path(word, command.line, where);
    }
    if (against_.refusal) {
      if (const std::string why = against_.refusal(*words); !why.empty()) {
        report("skill.command", where, command.line, "",
               fmt::format("this program refuses \"{}\": {}", command.text, why));
      }
    }
  }

  // A path of the root is told by its first part, which is there. What is built is on no other machine.
  void check_path(const std::string& text, int line, const std::string& where) {
    const std::size_t slash = text.find('/');
    if (against_.root.empty() || slash == 0 || slash == std::string::npos ||
        text.find_first_of(" *<>{}$\"'(),;:…") != std::string::npos || text.starts_with("build/") ||
        text.find("..") != std::string::npos) {
      return;
    }
    std::error_code error;
    if (!std::filesystem::exists(against_.root / text.substr(0, slash), error)) {
      return;
    }
    ++checked_.paths;
    if (!std::filesystem::exists(against_.root / text, error)) {
      report("skill.path", where, line, "",
             fmt::format("names {}, which is not in {}: mend the path", text, against_.root.string()));
    }
  }

  CheckedSkill& checked_;
  const CheckAgainst& against_;
  std::set<std::string> mentioned_;
};

}  // namespace

CheckedSkill check_skill(SkillFolder folder, const CheckAgainst& against) {
  CheckedSkill checked;
  checked.folder = std::move(folder);
  SkillCheck(checked, against).run();
  return checked;
}

CheckedSkill check_skill(const os::Path& folder, const CheckAgainst& against) {
  return check_skill(read_skill_folder(folder), against);
}

}  // namespace assay::skill
