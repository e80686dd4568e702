#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::task {

/// An expression of the Python subset that constraints use, as a tree. Texts point into the source.
struct PythonNode {
  enum class Kind : std::uint8_t {
    number,       ///< text
    text,         ///< text, with its quotes
    constant,     ///< text: True, False or None
    name,         ///< text
    sequence,     ///< A tuple or a list: children.
    unary,        ///< text: - + not; one child.
    binary,       ///< text: + - * / // % ** and or; two children.
    comparison,   ///< words: one operator between two children ("in", "not in", "is", "is not" too).
    conditional,  ///< Children: value, condition, other value.
    subscript,    ///< Children: what, index.
    attribute,    ///< text: its name; one child.
    call,         ///< Children: what is called, then the arguments.
  };
  Kind kind = Kind::constant;
  std::string_view text;
  std::vector<std::string_view> words;
  std::vector<PythonNode> children;
};

/// A tree, or what of the expression is beyond the subset.
struct PythonTree {
  std::optional<PythonNode> root;
  std::string fault;
};

/// Parses one expression. At most 4,096 characters and 64 levels. `source` must outlive the tree.
[[nodiscard]] PythonTree parse_python_tree(std::string_view source);

}  // namespace assay::task
