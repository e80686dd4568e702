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

// The name of the function that a logical line defines; empty if it defines none. `async def` is another statement.
std::string_view defined_function(const std::vector<PythonToken>& tokens, std::size_t first, std::size_t last) {
  const bool defines =
      last - first >= 5 && tokens[first].is("def") && tokens[first + 1].kind == Kind::name && tokens[first + 2].is("(");
  return defines ? tokens[first + 1].text : std::string_view();
}

// A module's top-level functions in their order, or its first fault.
struct Module {
  std::vector<std::string_view> functions;
  std::optional<std::string> fault;
};

Module scan_module(std::string_view source) {
  Module module;
  const auto [tokens, fault] = tokenise_python(source);
  if (fault) {
    module.fault = "is not valid Python: " + *fault;
    return module;
  }
  bool block_due = false;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const PythonToken& token = tokens[i];
    const bool indent = token.kind == Kind::indent;
    if (block_due != indent) {
      module.fault = fmt::format("is not valid Python: line {}: {}", token.line,
                                 block_due ? "an indented block is missing" : "unexpected indentation");
      return module;
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
      module.fault = fmt::format("is not valid Python: line {}: ':' is missing after \"{}\"", token.line, token.text);
      return module;
    }
    if (const std::string_view name = defined_function(tokens, i, last); depth == 0 && !name.empty()) {
      module.functions.push_back(name);
    }
    block_due = opens_block(tokens, i, last);
    i = last;
  }
  return module;
}

std::string_view chosen_function(const Module& module) {
  std::string_view chosen;
  for (const std::string_view name : module.functions) {
    if (name == "run") {
      return name;
    }
    chosen = name.ends_with("_reference") ? name : chosen;
  }
  return chosen;
}

}  // namespace

std::optional<std::string> check_python_module(std::string_view source) {
  const Module module = scan_module(source);
  if (!module.fault && module.functions.empty()) {
    return "must define a top-level function: add `def name(…):`";
  }
  return module.fault;
}

std::optional<std::string> check_python_reference(std::string_view source, ReferenceName name) {
  const Module module = scan_module(source);
  if (module.fault) {
    return module.fault;
  }
  const std::string_view function = chosen_function(module);
  if (name == ReferenceName::run && function != "run") {
    return "must define a top-level function: add `def run(…):`";
  }
  if (function.empty()) {
    return "must define a top-level function run or _<op>_reference: add `def run(…):`";
  }
  return std::nullopt;
}

std::optional<std::string> reference_function(std::string_view source) {
  const Module module = scan_module(source);
  const std::string_view function = chosen_function(module);
  return module.fault || function.empty() ? std::nullopt : std::optional<std::string>(function);
}

}  // namespace assay::task
