#include <assay/task/python_tree.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::task {
namespace {

using ::testing::HasSubstr;
using Kind = PythonNode::Kind;

// Writes a tree with every bracket, so that precedence can be seen.
std::string bracketed(const PythonNode& node) {
  std::string inner;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const std::string word = i > 0 && node.kind == Kind::comparison ? std::string(node.words[i - 1]) + " " : "";
    inner += (i == 0 ? "" : " ") + word + bracketed(node.children[i]);
  }
  switch (node.kind) {
    case Kind::number:
    case Kind::text:
    case Kind::constant:
    case Kind::name:
      return std::string(node.text);
    case Kind::sequence:
      return "[" + inner + "]";
    case Kind::comparison:
      return "(" + inner + ")";
    case Kind::subscript:
      return "(at " + inner + ")";
    case Kind::call:
      return "(call " + inner + ")";
    case Kind::attribute:
      return "(" + inner + " ." + std::string(node.text) + ")";
    case Kind::unary:
    case Kind::binary:
    case Kind::conditional:
      return "(" + std::string(node.text) + " " + inner + ")";
  }
  return "";
}

std::string tree_of(std::string_view source) {
  const PythonTree parsed = parse_python_tree(source);
  return parsed.root ? bracketed(*parsed.root) : "fault: " + parsed.fault;
}

TEST(PythonTree, PrecedenceIsPythons) {
  EXPECT_EQ(tree_of("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(tree_of("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(tree_of("-a ** -b"), "(- (** a (- b)))");
  EXPECT_EQ(tree_of("2 ** 3 ** 2"), "(** 2 (** 3 2))");
  EXPECT_EQ(tree_of("a or b and not c"), "(or a (and b (not c)))");
  EXPECT_EQ(tree_of("a // b % c / d"), "(/ (% (// a b) c) d)");
  EXPECT_EQ(tree_of("not a == b"), "(not (a == b))");
  EXPECT_EQ(tree_of("(a + b) * c"), "(* (+ a b) c)");
}

TEST(PythonTree, ComparisonsAreChains) {
  EXPECT_EQ(tree_of("1 <= a // b <= 32"), "(1 <= (// a b) <= 32)");
  EXPECT_EQ(tree_of("a in (1, 2) and b not in [3]"), "(and (a in [1 2]) (b not in [3]))");
  EXPECT_EQ(tree_of("a is None or b is not None"), "(or (a is None) (b is not None))");
}

TEST(PythonTree, TrailersAndConditionals) {
  EXPECT_EQ(tree_of("kv_indptr[-1].item() == n"), "((call ((at kv_indptr (- 1)) .item)) == n)");
  EXPECT_EQ(tree_of("x.shape[0]"), "(at (x .shape) 0)");
  EXPECT_EQ(tree_of("max(a, b, 3)"), "(call max a b 3)");
  EXPECT_EQ(tree_of("a if b else c if d else e"), "(if a b (if c d e))");
  EXPECT_EQ(tree_of("('causal', \"dense\")"), "['causal' \"dense\"]");
  EXPECT_EQ(tree_of("(a,)"), "[a]");
  EXPECT_EQ(tree_of("()"), "[]");
  EXPECT_EQ(tree_of("1.5e3"), "1.5e3");
}

TEST(PythonTree, WhatIsBeyondTheSubsetIsSaid) {
  for (const char* source : {"lambda x: x", "[x for x in y]", "x[1:2]", "{1: 2}", "f(a=1)", "a @ b", "~a", "a & b",
                             "*a", "x.1", "x.", "a if b", "a b"}) {
    EXPECT_THAT(tree_of(source), HasSubstr("fault: ")) << source;
  }
  EXPECT_THAT(tree_of("a +"), HasSubstr("ends where"));
  EXPECT_THAT(tree_of(""), HasSubstr("fault"));
  EXPECT_THAT(tree_of("x[1:2]"), HasSubstr("\":\" is not evaluated"));
  EXPECT_THAT(tree_of("a + ("), HasSubstr("not closed"));
}

TEST(PythonTree, DepthAndLengthAreBounded) {
  EXPECT_EQ(tree_of(std::string(30, '(') + "a" + std::string(30, ')')), "a");
  EXPECT_THAT(tree_of(std::string(500, '(') + "a" + std::string(500, ')')), HasSubstr("nested deeper"));
  EXPECT_THAT(tree_of(std::string(500, '-') + "a"), HasSubstr("nested deeper"));
  EXPECT_THAT(tree_of(std::string(5000, 'a')), HasSubstr("longer than"));
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) {
    sum += "+1";
  }
  EXPECT_TRUE(parse_python_tree(sum).root) << "a long chain is not deep";
}

}  // namespace
}  // namespace assay::task
