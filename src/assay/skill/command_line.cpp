#include <assay/skill/command_line.hpp>

namespace assay::skill {

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  const auto add = [&](char c) {
    if (!in_word) {
      words.emplace_back();
      in_word = true;
    }
    words.back() += c;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else if (c == '\\' && quote == '"' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) {
        add(line[++i]);
      } else {
        add(c);
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      if (!in_word) {
        words.emplace_back();
        in_word = true;
      }
    } else if (c == '\\' && i + 1 < line.size()) {
      add(line[++i]);
    } else if (c == ' ' || c == '\t') {
      in_word = false;
    } else if (c == '#' && !in_word) {
      break;
    } else if (std::string_view("|;&<>").find(c) != std::string_view::npos) {
      break;
    } else {
      add(c);
    }
  }
  if (quote != '\0') {
    return std::nullopt;
  }
  return words;
}

}  // namespace assay::skill
