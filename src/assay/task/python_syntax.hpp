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

/// Checks that `source` looks like a Python module with at least one top-level function. Nothing is executed. Catches
/// brackets, strings, indentation and missing blocks, not every fault of a statement. Returns the fault, if any.
[[nodiscard]] std::optional<std::string> check_python_module(std::string_view source);

/// How the function of a reference may be called: `run`, or FlashInfer's `_<op>_reference` as well.
enum class ReferenceName : std::uint8_t { run, any_operator };

/// Checks that `source` is such a module with a top-level reference function. Returns the fault, if any.
[[nodiscard]] std::optional<std::string> check_python_reference(std::string_view source,
                                                                ReferenceName name = ReferenceName::run);

/// Returns the name of the function to call in a reference: `run` if the module defines it at its top level, else the
/// last function there whose name ends in "_reference", else nothing. Source with faults has none.
[[nodiscard]] std::optional<std::string> reference_function(std::string_view source);

/// Checks that `text` is one Python expression, by Python's full expression grammar. Returns the fault, if any.
[[nodiscard]] std::optional<std::string> check_python_expression(std::string_view text);

}  // namespace assay::task
