#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::task {

/// A token of Python source. Only what the checks below need.
struct PythonToken {
  enum class Kind : std::uint8_t { name, keyword, number, string, op, newline, indent, dedent, end };
  Kind kind = Kind::end;
  std::string_view text;
  int line = 1;
  /// Whether it is this operator or keyword.
  [[nodiscard]] bool is(std::string_view word) const {
    return (kind == Kind::op || kind == Kind::keyword) && text == word;
  }
};

/// Tokens of some source, or the first fault that a tokeniser sees: unbalanced brackets, unterminated strings,
/// inconsistent indentation, malformed numbers, characters that Python does not have.
struct PythonTokens {
  std::vector<PythonToken> tokens;  ///< The last one is `end`.
  std::optional<std::string> fault;
};

/// Splits Python source into tokens, which point into `source`.
[[nodiscard]] PythonTokens tokenise_python(std::string_view source);

/// Checks that `source` looks like a Python module with a top-level `def run(`. Nothing is executed. Catches brackets,
/// strings, indentation and missing blocks, not every fault of a statement. Returns the fault, if any.
[[nodiscard]] std::optional<std::string> check_python_reference(std::string_view source);

/// Checks that `text` is one Python expression, by Python's full expression grammar. Returns the fault, if any.
[[nodiscard]] std::optional<std::string> check_python_expression(std::string_view text);

}  // namespace assay::task
