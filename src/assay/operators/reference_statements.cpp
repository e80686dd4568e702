#include <assay/operators/reference_statements.hpp>

#include <algorithm>
#include <span>

#include <assay/task/python_syntax.hpp>

namespace assay::operators {
namespace {

using Kind = task::PythonToken::Kind;

constexpr std::string_view kImports[] = {"import torch", "import numpy as np", "import numpy"};
constexpr std::string_view kDecorators[] = {"@ torch . no_grad ( )", "@ torch . inference_mode ( )"};

bool is_one_of(std::string_view text, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// "M , K = A . shape": names on the left, one tensor's shape on the right.
bool takes_shape_apart(std::string_view statement) {
  const std::size_t equals = statement.find(" = ");
  return equals != std::string_view::npos && statement.ends_with(" . shape") &&
         statement.substr(equals + 3).find(' ') ==
             statement.size() - equals - 3 - std::string_view(" . shape").size() &&
         statement.substr(0, equals).find_first_of("([.") == std::string_view::npos &&
         statement.substr(0, equals).find(',') != std::string_view::npos;
}

struct Line {
  std::string text;
  int depth = 0;
  bool only_text = true;
};

std::vector<Line> logical_lines(const std::vector<task::PythonToken>& tokens) {
  std::vector<Line> lines;
  Line line;
  int depth = 0;
  for (const task::PythonToken& token : tokens) {
    if (token.kind == Kind::indent || token.kind == Kind::dedent) {
      depth += token.kind == Kind::indent ? 1 : -1;
    } else if (token.kind == Kind::newline || token.kind == Kind::end || token.is(";")) {
      if (!line.text.empty()) {
        lines.push_back(std::move(line));
      }
      line = Line();
    } else {
      line.depth = line.text.empty() ? depth : line.depth;
      line.only_text = line.only_text && token.kind == Kind::string;
      line.text += line.text.empty() ? "" : " ";
      line.text += token.text;
    }
  }
  return lines;
}

}  // namespace

std::optional<std::vector<std::string>> reference_statements(std::string_view source) {
  const auto [tokens, fault] = task::tokenise_python(source);
  if (fault) {
    return std::nullopt;
  }
  std::vector<std::string> statements;
  int functions = 0;
  for (Line& line : logical_lines(tokens)) {
    if (line.only_text) {
      continue;
    }
    if (line.depth == 0) {
      if (line.text.starts_with("def run (") && line.text.ends_with(") :")) {
        ++functions;
        statements.push_back(std::move(line.text));
      } else if (!is_one_of(line.text, kImports) && !is_one_of(line.text, kDecorators)) {
        return std::nullopt;
      }
      continue;
    }
    if (line.depth > 1) {
      return std::nullopt;
    }
    if (!line.text.starts_with("assert ") && !takes_shape_apart(line.text)) {
      statements.push_back(std::move(line.text));
    }
  }
  return functions == 1 ? std::optional(std::move(statements)) : std::nullopt;
}

}  // namespace assay::operators
