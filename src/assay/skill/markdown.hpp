#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::skill {

/// Something that a text names, and the line of the file where it does.
struct Mention {
  std::string text;
  int line = 0;
};

/// What of a Markdown text a program can hold against something.
struct Markdown {
  /// Lines of fenced blocks for a shell (```sh, bash, shell, console, or without a word) that run `assay`, each with
  /// the lines that a backslash joins to it, without a prompt.
  std::vector<Mention> commands;
  std::vector<Mention> links;  ///< Targets of [text](target), without fragments; none with a scheme, none in code.
  std::vector<Mention> code;   ///< Contents of `code spans`.
  int unclosed_fence = 0;      ///< The line of a fence that is never closed; 0: none.
  std::size_t lines = 0;
};

/// Looks through a text of which the first line is `first_line` of its file. The bytes may be anything.
[[nodiscard]] Markdown scan_markdown(std::string_view text, int first_line);

}  // namespace assay::skill
