#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/task/python_syntax.hpp>

// The verdicts are those of CPython 3.11's ast.parse.
namespace assay::task {
namespace {

using ::testing::HasSubstr;

bool is_expression(std::string_view text) { return !check_python_expression(text).has_value(); }

TEST(PythonExpression, AcceptsExpressions) {
  for (const char* text : {"1 ",
                           "1\n",
                           "M == N*2",
                           "M == A[-1].item()",
                           "(a\n+b)",
                           "M == N # c",
                           "x if y else z",
                           "lambda x: x",
                           "lambda: 0",
                           "lambda *a, b=1, **c: a",
                           "a,b",
                           "a,",
                           "(x := 1)",
                           "f(a=1,*b,**c)",
                           "f(x := 1)",
                           "a[1:2,::3]",
                           "a[:]",
                           "a[*b]",
                           "not a in b",
                           "a not in b",
                           "a is not b",
                           "[x for x in y if z]",
                           "{x: y for x, y in z}",
                           "{1:2,**a}",
                           "{*a}",
                           "{}",
                           "[]",
                           "()",
                           "[*a, b]",
                           "(*a, b)",
                           "await x",
                           "'a' 'b'",
                           "f'{x}'",
                           "rb'\\''",
                           "'''a\nb'''",
                           "1if x else 2",
                           "a.b.c",
                           "...",
                           "None",
                           "a<b<c",
                           "~a@b",
                           "a!=b",
                           "1_0",
                           "0x_f",
                           "0b1",
                           "0o17",
                           "00",
                           "1.e5j",
                           "1e-5",
                           ".5",
                           "-a**-b",
                           "f(x for x in y)",
                           "a\\\n+b",
                           "(yield)",
                           "(yield x)",
                           "(yield from x)",
                           "a if b else c if d else e",
                           "not not a",
                           "a and not b or c",
                           "f()()[0].g",
                           "x<<1|y&~z",
                           "(a, *b)",
                           "\xC3\xA9 + 1",
                           "f(a, b,)",
                           "[\n1,\n2,\n]"}) {
    EXPECT_TRUE(is_expression(text)) << text << ": " << check_python_expression(text).value_or("");
  }
}

TEST(PythonExpression, RefusesEverythingElse) {
  for (const char* text :
       {"",         " 1",       "\t1",      "#c",           "M = 2",   "a\nb",        "yield x", "*a",
        "x := 1",   "a<>b",     "0777",     "1x",           "1__0",    "1_",          "0x",      "0b2",
        "a;b",      "print x",  "def",      "x and",        "in",      "pass",        "if x",    "a +",
        "(a",       "a)",       "(a]",      "[a",           "'a",      "\"a\nb\"",    "'''a",    "a b",
        "f(a b)",   "f(=1)",    "f(a=)",    "a..b",         "a.1",     "a[",          "a[]",     "{1:2, 3}",
        "{1, 2:3}", "{**a, 1}", "lambda x", "lambda 1: 2",  "x if y",  "x else y",    "not",     "a not b",
        "is a",     "a is",     "(*a)",     "[for x in y]", "[x for]", "[x for x y]", "$a",      "a?b",
        "a ! b",    "import x", "return",   "a == == b",    "(,)",     "f(,)",        "[,]",     "a\\ \n+b",
        "True = 1", "1 2",      "@a",       "a := b",       "else"}) {
    EXPECT_FALSE(is_expression(text)) << text;
  }
}

TEST(PythonExpression, IsBounded) {
  EXPECT_FALSE(is_expression(std::string(100000, '(')));
  EXPECT_FALSE(is_expression(std::string(100000, '(') + "1" + std::string(100000, ')')));
  EXPECT_TRUE(is_expression(std::string(100000, '-') + "1"));
  EXPECT_TRUE(is_expression(std::string(50, '(') + "1" + std::string(50, ')')));
  std::string lambdas;
  for (int i = 0; i < 50000; ++i) {
    lambdas += "lambda:";
  }
  EXPECT_FALSE(is_expression(lambdas + "1"));
}

TEST(PythonExpression, SaysWhere) {
  EXPECT_THAT(check_python_expression("a b").value(), HasSubstr("\"b\""));
  EXPECT_THAT(check_python_expression("a +").value(), HasSubstr("its end"));
  EXPECT_THAT(check_python_expression("f(\n'x").value(), HasSubstr("line 2"));
}

bool is_reference(std::string_view text) { return !check_python_reference(text).has_value(); }

TEST(PythonReference, AcceptsATopLevelRun) {
  for (const char* text :
       {"def run(A):\n    return A\n", "def run(A): return A",
        "import torch\n\n\ndef helper(x):\n  return x\n\ndef run(\n    a,\n"
        "    b,\n) -> int:\n    # note\n    if a:\n        return b\n    else:\n        return [\n   1]\n",
        "@torch.no_grad()\ndef run(a):\n\treturn a\n", "'''doc\n def run(: '''\ndef run(a):\n  '''x'''\n  return a",
        "x = {'a': [1, 2]}\ndef run(a):\n\n  # c\n  return a\n\n# end", "def run(a):\r\n  return a\r\n",
        "def run(a):\n  return a[1:2]\nclass B:\n  def run(self): pass\n", "def run(*, a: int = 3): ...\n",
        "if True:\n  x = 1\ndef run():\n  for i in range(3):\n    pass\n  return 0"}) {
    EXPECT_TRUE(is_reference(text)) << text << ": " << check_python_reference(text).value_or("");
  }
}

TEST(PythonReference, RefusesWhatDoesNotDefineIt) {
  for (const char* text :
       {"", "x = 1", "def ref(A):\n  return A", "async def run(A):\n  return A", "run = lambda A: A", "class run: pass",
        "def f():\n  def run(A):\n    return A\n", "if True:\n  def run(A): return A\n", "# def run(A): return A\n",
        "'''\ndef run(A): return A\n'''", "def runner(A): return A", "def run_(A): return A", "x = 'def run(A):'"}) {
    const auto fault = check_python_reference(text);
    ASSERT_TRUE(fault.has_value()) << text;
    EXPECT_THAT(*fault, HasSubstr("def run(")) << text;
  }
}

TEST(PythonReference, RefusesWhatIsNoPython) {
  for (const char* text :
       {"def run(:", "def run(A) return A", "def run(A):", "def run(A):\nreturn A", "  def run(A): pass",
        "def run(A):\n    x = 1\n  return x", "def run(A):\n  return (A", "def run(A):\n  return A)",
        "def run(A):\n  return 'A\n", "def run(A):\n  return \"\"\"A\n", "def run(A):\n  x = 1\n    y = 2\n",
        "def run(A):\n  if A\n    return A\n", "def run(A):\n  return A ? 1 : 2\n", "def run(A):\n  return 1abc\n",
        "def run(A):\n  return A \\", "def run(A):\n  else:\n"}) {
    const auto fault = check_python_reference(text);
    ASSERT_TRUE(fault.has_value()) << text;
    EXPECT_THAT(*fault, HasSubstr("not valid Python")) << text;
  }
  EXPECT_THAT(check_python_reference("def run(A):\n  return 'A\n").value(), HasSubstr("line 2"));
}

TEST(PythonTokens, CoverTheSource) {
  const auto [tokens, fault] = tokenise_python("if x:\n  y = 'a' # c\n");
  ASSERT_FALSE(fault.has_value());
  std::vector<std::string> texts;
  for (const PythonToken& token : tokens) {
    texts.emplace_back(token.kind == PythonToken::Kind::newline ? std::string_view("NL") : token.text);
  }
  EXPECT_THAT(texts, ::testing::ElementsAre("if", "x", ":", "NL", "", "y", "=", "'a'", "NL", "", ""));
  EXPECT_EQ(tokens.back().kind, PythonToken::Kind::end);
}

}  // namespace
}  // namespace assay::task
