#include <assay/skill/markdown.hpp>

#include <algorithm>
#include <array>

#include <assay/base/text.hpp>
#include <assay/skill/command_line.hpp>

namespace assay::skill {
namespace {

// The fence that a line begins or ends: its character, how many, and what stands behind them.
struct Fence {
  char character = '\0';
  std::size_t length = 0;
  std::string_view info;
};

Fence fence_of(std::string_view line) {
  const std::string_view content = base::trim(line);
  if (content.empty() || (content.front() != '`' && content.front() != '~')) {
    return {};
  }
  const std::size_t length = std::min(content.find_first_not_of(content.front()), content.size());
  return length < 3 ? Fence{} : Fence{content.front(), length, base::trim(content.substr(length))};
}

bool is_for_a_shell(std::string_view info) {
  constexpr std::array<std::string_view, 5> kWords = {"", "sh", "bash", "shell", "console"};
  return std::find(kWords.begin(), kWords.end(), info) != kWords.end();
}

bool runs_assay(std::string_view command) {
  const auto words = shell_words(command);
  if (!words) {
    return command.find("assay ") != std::string_view::npos;  // A quote that is not closed is reported as such.
  }
  for (const std::string& word : *words) {
    if (word.find('=') == std::string::npos) {  // VARIABLE=value may stand before.
      return word == "assay" || word.ends_with("/assay");
    }
  }
  return false;
}

// Adds what one line outside of fences names.
void scan_text_line(std::string_view line, int number, Markdown& found) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '`') {
      const std::size_t ticks = std::min(line.find_first_not_of('`', at), line.size()) - at;
      const std::size_t end = line.find(std::string(ticks, '`'), at + ticks);
      if (end == std::string_view::npos) {
        at += ticks - 1;
        continue;
      }
      found.code.push_back({std::string(base::trim(line.substr(at + ticks, end - at - ticks))), number});
      at = end + ticks - 1;
    } else if (line.substr(at).starts_with("](")) {
      const std::size_t end = line.find(')', at);
      if (end == std::string_view::npos) {
        return;
      }
      std::string_view target = base::trim(line.substr(at + 2, end - at - 2));
      target = target.substr(0, target.find_first_of("# "));
      if (!target.empty() && target.find("://") == std::string_view::npos && !target.starts_with("mailto:")) {
        found.links.push_back({std::string(target), number});
      }
      at = end;
    }
  }
}

}  // namespace

Markdown scan_markdown(std::string_view text, int first_line) {
  Markdown found;
  Fence open;
  bool joins = false;  // Whether the line before ends in a backslash.
  int number = first_line;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    start = end + 1;
    ++found.lines;
    const Fence fence = fence_of(line);
    if (open.length == 0) {
      if (fence.length > 0) {
        open = fence;
        found.unclosed_fence = number;
      } else {
        scan_text_line(line, number, found);
      }
      continue;
    }
    if (fence.character == open.character && fence.length >= open.length && fence.info.empty()) {
      open = {};
      found.unclosed_fence = 0;
      joins = false;
      continue;
    }
    if (!is_for_a_shell(open.info)) {
      continue;
    }
    line = base::trim(line);
    if (line.starts_with("$ ")) {
      line = base::trim(line.substr(2));
    }
    if (joins) {
      found.commands.back().text += " " + std::string(line);
    } else if (runs_assay(line)) {
      found.commands.push_back({std::string(line), number});
      joins = true;
    }
    if (joins) {
      joins = found.commands.back().text.ends_with('\\');
      if (joins) {
        found.commands.back().text.pop_back();
      }
    }
  }
  return found;
}

}  // namespace assay::skill
