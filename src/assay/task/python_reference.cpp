#include <assay/task/python_syntax.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace assay::task {

namespace {

using Kind = PythonToken::Kind;

bool starts_block(const PythonToken& token) {
  constexpr std::array<std::string_view, 12> kWords = {"def",   "class", "if",  "elif",   "else",    "for",
                                                       "while", "with",  "try", "except", "finally", "async"};
  return token.kind == Kind::keyword && std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
}

// Checks one logical line, tokens [first, last); `last` is its newline. Returns whether it opens a block.
bool opens_block(const std::vector<PythonToken>& tokens, std::size_t first, std::size_t last) {
  return last > first && tokens[last - 1].is(":");
}

bool has_colon(const std::vector<PythonToken>& tokens, std::size_t first, std::size_t last) {
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view text = tokens[i].kind == Kind::op ? tokens[i].text : std::string_view();
    depth += text == "(" || text == "[" || text == "{" ? 1 : 0;
    depth -= text == ")" || text == "]" || text == "}" ? 1 : 0;
    if (depth == 0 && text == ":") {
      return true;
    }
  }
  return false;
}

bool defines_run(const std::vector<PythonToken>& tokens, std::size_t first, std::size_t last) {
  return last - first >= 5 && tokens[first].is("def") && tokens[first + 1].kind == Kind::name &&
         tokens[first + 1].text == "run" && tokens[first + 2].is("(");
}

}  // namespace

std::optional<std::string> check_python_reference(std::string_view source) {
  const auto [tokens, fault] = tokenise_python(source);
  if (fault) {
    return "is not valid Python: " + *fault;
  }
  bool run = false;
  bool block_due = false;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const PythonToken& token = tokens[i];
    const bool indent = token.kind == Kind::indent;
    if (block_due != indent) {
      return fmt::format("is not valid Python: line {}: {}", token.line,
                         block_due ? "an indented block is missing" : "unexpected indentation");
    }
    block_due = false;
    if (indent || token.kind == Kind::dedent) {
      depth += indent ? 1 : -1;
      continue;
    }
    std::size_t last = i;
    while (tokens[last].kind != Kind::newline && tokens[last].kind != Kind::end) {
      ++last;
    }
    if (starts_block(token) && !has_colon(tokens, i, last)) {
      return fmt::format("is not valid Python: line {}: ':' is missing after \"{}\"", token.line, token.text);
    }
    run = run || (depth == 0 && defines_run(tokens, i, last));
    block_due = opens_block(tokens, i, last);
    i = last;
  }
  return run ? std::nullopt : std::optional<std::string>("must define a top-level function: add `def run(…):`");
}

}  // namespace assay::task
