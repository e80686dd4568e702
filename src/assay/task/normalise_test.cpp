#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <assay/task/solution.hpp>

namespace assay::task {
namespace {

// Blanks folded: what is a comment, a literal, a line can be seen best so.
std::string normal(std::string_view source) { return normalise_source(source, LayoutUse::blanks); }

// Blanks removed, except where they keep tokens apart.
std::string bare(std::string_view source) { return normalise_source(source, LayoutUse::none); }

TEST(Normalise, FoldsBlankSpace) {
  EXPECT_EQ(normal("int  x ;\n\n\t int y;\r\n"), "int x ; int y;");
  EXPECT_EQ(normal("  \n\n"), "");
  EXPECT_EQ(normal(""), "");
}

TEST(Normalise, CommentsAreOneSpace) {
  EXPECT_EQ(normal("a/* x */b"), "a b");
  EXPECT_EQ(normal("a // x\nb"), "a b");
  EXPECT_EQ(normal("a /* x\n * y\n */ b"), "a b");
  EXPECT_EQ(normal("a /**/ /***/ b"), "a b");
  EXPECT_EQ(normal("a / b * c / d"), "a / b * c / d");
  EXPECT_EQ(normal("/* only */"), "");
  EXPECT_EQ(normal("// x \\\n still a comment\nb"), "b");
  EXPECT_EQ(normal("// x \\ \t\n still a comment\nb"), "b");
  EXPECT_EQ(normal("a /\\\n/ x\nb"), "a b");
  EXPECT_EQ(normal("a /\\\n* x *\\\n/ b"), "a b");
}

TEST(Normalise, TokensNeverMerge) {
  EXPECT_EQ(normal("a+ +b"), "a+ +b");
  EXPECT_NE(normal("a+ +b"), normal("a++b"));
  EXPECT_EQ(normal("a+/**/+b"), "a+ +b");
  EXPECT_NE(normal("int x"), normal("intx"));
  EXPECT_EQ(normal("in\\\nt x"), "int x");
}

TEST(Normalise, LiteralsAreLeftAlone) {
  EXPECT_EQ(normal("\"a  // b\"  ;"), "\"a  // b\" ;");
  EXPECT_EQ(normal("\"a \\\" /* b\" /* c */"), "\"a \\\" /* b\"");
  EXPECT_EQ(normal("'\"' /* x */ '\\''"), "'\"' '\\''");
  EXPECT_EQ(normal("u8'/' // c"), "u8'/'");
  EXPECT_EQ(normal("\"a\\\\\" // c"), "\"a\\\\\"");
}

TEST(Normalise, DigitSeparatorsOpenNoCharacter) {
  EXPECT_EQ(normal("1'000 // x\n+ 1'0'0;"), "1'000 + 1'0'0;");
  EXPECT_EQ(normal("0xAB'CD /* x */ ;"), "0xAB'CD ;");
  EXPECT_EQ(normal("1.5e+3 // x"), "1.5e+3");
  EXPECT_EQ(normal(".5'0 // '"), ".5'0");
  EXPECT_EQ(normal("case 1:'a' // '"), "case 1:'a'");
}

TEST(Normalise, RawStringsAreCopied) {
  EXPECT_EQ(normal("R\"(a  // b\n  \"c)\"  ;"), "R\"(a  // b\n  \"c)\" ;");
  EXPECT_EQ(normal("R\"x(a)\" /* )y\" */)x\" /* c */ ;"), "R\"x(a)\" /* )y\" */)x\" ;");
  EXPECT_EQ(normal("u8R\"(a\\\n)\" // x"), "u8R\"(a\\\n)\"");
  EXPECT_EQ(normal("fooR\"(a)\" /* b */ ;"), "fooR\"(a)\" ;");
  EXPECT_EQ(normal("R\"(never  closed // x"), "R\"(never  closed // x");
  EXPECT_EQ(normal("a  R\"no delimiter\"  // x"), "a R\"no delimiter\"  // x");
  EXPECT_EQ(normal("R\"\\\n(\n)\"  // x"), "R\"\\\n(\n)\"  // x");
}

TEST(Normalise, DirectivesKeepTheirLines) {
  EXPECT_EQ(normal("int a;\n#define  X 1 // one\n  # define Y \\\n   2\nint  b;"),
            "int a;\n#define X 1\n# define Y 2\nint b;");
  EXPECT_EQ(normal("#if A\nx\n#endif\n"), "#if A\nx\n#endif");
  EXPECT_EQ(normal("/* c */ #define F (x)"), "#define F (x)");
  EXPECT_NE(normal("#define F (x)"), normal("#define F(x)"));
  EXPECT_EQ(normal("#define A /* two\nlines */ 1\nint x;"), "#define A 1\nint x;");
  EXPECT_EQ(normal("a # b\nc"), "a # b c");
  EXPECT_EQ(normal("%:define A 1\nint x;"), "%:define A 1\nint x;");
  EXPECT_NE(normal("#define A 1\nint x;"), normal("#define A 1 int x;"));
}

TEST(Normalise, HeaderNamesAreNoComments) {
  EXPECT_EQ(normal("#include <a//b.h>\nint x; // c"), "#include <a//b.h>\nint x;");
  EXPECT_EQ(normal("#include \"a//b.h\" // c"), "#include \"a//b.h\"");
  EXPECT_EQ(normal("#/* c */ include /* c */ <a//b.h>"), "# include <a//b.h>");
  EXPECT_EQ(normal("#if A <B // c\n"), "#if A <B");
  EXPECT_EQ(normal("#define include <a // c\n"), "#define include <a");
}

TEST(Normalise, AnApostropheInATextLineEndsWithIt) {
  EXPECT_EQ(normal("#error don't\nint  x; // c"), "#error don't\nint x;");
  EXPECT_EQ(normal("#if 0\n don't  do\n#endif\nint  x;"), "#if 0\ndon't  do\n#endif\nint x;");
}

TEST(Normalise, UnterminatedConstructsRunToTheEnd) {
  EXPECT_EQ(normal("a /* b"), "a");
  EXPECT_EQ(normal("a // b"), "a");
  EXPECT_EQ(normal("a /*"), "a");
  EXPECT_EQ(normal("a /"), "a /");
  EXPECT_EQ(normal("a \"b  c"), "a \"b  c");
  EXPECT_EQ(normal("\"\\"), "\"\\");
  EXPECT_EQ(normal("#"), "#");
  EXPECT_EQ(normal("\\"), "\\");
}

TEST(Normalise, AStrayBackslashDoesNotJoinLines) {
  const std::string once = normal("#define A \\/**/\nint x;");
  EXPECT_EQ(once, normal(once));
  EXPECT_NE(once, normal("#define A int x;"));
  const std::string literal = normal("'\\\\\n \n6");  // found by fuzzing
  EXPECT_EQ(literal, normal(literal));
  EXPECT_EQ(normal("# 3'a // b\nc"), "# 3'a\nc");
}

TEST(Normalise, BlanksStayWhereTokensWouldMerge) {
  EXPECT_EQ(bare("int  x ;\n\n y = a + b ;"), "int x;y=a+b;");
  EXPECT_EQ(bare("return - 1 ;"), "return-1;");
  EXPECT_EQ(bare("a + + b"), "a+ +b");
  EXPECT_EQ(bare("a ++ + b"), "a++ +b");
  EXPECT_EQ(bare("a - -1 ; b -- ;"), "a- -1;b--;");
  EXPECT_EQ(bare("a & & b ; a && b"), "a& &b;a&&b");
  EXPECT_EQ(bare("a < -1"), "a< -1");
  EXPECT_EQ(bare("x < ::y"), "x< ::y");
  EXPECT_EQ(bare("a / *b"), "a/ *b");
  EXPECT_EQ(bare("1 .5"), "1 .5");
  EXPECT_EQ(bare("1e + 5 ; 1e+5"), "1e +5;1e+5");
  EXPECT_EQ(bare("x . y ; x .5"), "x.y;x.5");
  EXPECT_EQ(bare("1 'a' ; L 'a' ; L'a' ; \"a\" b ; \"a\"b"), "1 'a';L 'a';L'a';\"a\" b;\"a\"b");
  EXPECT_EQ(bare("\"a\"  \"b\""), "\"a\"\"b\"");
  EXPECT_EQ(bare("A < B < C > > x ; y >> z"), "A<B<C> >x;y>>z");
  EXPECT_EQ(bare("p ->* q <=> r ... , ##"), "p->*q<=>r...,##");
  EXPECT_EQ(bare("f ( ) [ [ x ] ] { }"), "f()[[x]]{}");
  EXPECT_EQ(bare("\\ u1234 ; \\u1234 ; a\\u1234"), "\\ u1234; \\u1234;a\\u1234");
}

TEST(Normalise, OneSequenceOfTokensHasOneForm) {
  EXPECT_EQ(bare("a<-1"), bare("a < -1"));
  EXPECT_EQ(bare("f(a/**/,b)"), bare("f(a,b)"));
  EXPECT_EQ(bare("f(/* none */)"), bare("f()"));
  EXPECT_EQ(bare("a/* x */+b"), bare("a+b"));
  EXPECT_EQ(bare("x=1;// why\ny=2;"), bare("x=1;y=2;"));
  EXPECT_EQ(bare("a+=1"), bare("a += 1"));
  EXPECT_NE(bare("a+=1"), bare("a+ =1"));
  EXPECT_NE(bare("a>>b"), bare("a> >b"));
  EXPECT_NE(bare("int x"), bare("intx"));
}

TEST(Normalise, DirectivesKeepTheirBlanks) {
  EXPECT_EQ(bare("#define  F (x)  a + b\nint  x ;"), "#define F (x) a + b\nint x;");
  EXPECT_NE(bare("#define F/**/(x)\n"), bare("#define F(x)\n"));
  EXPECT_EQ(bare("a ;\n# if A && B\nb ;\n# endif\n"), "a;\n# if A && B\nb;\n# endif");
}

TEST(Normalise, KnowsWhatASourceSeesOfItsLayout) {
  EXPECT_EQ(layout_use("int x;\n#define A(x) x ## 1\n"), LayoutUse::none);
  EXPECT_EQ(layout_use("#define A(x) #x\n"), LayoutUse::blanks);
  EXPECT_EQ(layout_use("#define A(x) # x\n"), LayoutUse::blanks);
  EXPECT_EQ(layout_use("%:define A(x) %:x\n"), LayoutUse::blanks);
  EXPECT_EQ(layout_use("int x = __LINE__;"), LayoutUse::lines);
  EXPECT_EQ(layout_use("std::source_location::current()"), LayoutUse::lines);
  EXPECT_EQ(layout_use("#define A(x) #x\nint y = __builtin_LINE();"), LayoutUse::lines);
  EXPECT_EQ(layout_use("// __LINE__\n\"__LINE__\" /* #define A(x) #x */"), LayoutUse::none);
  EXPECT_EQ(layout_use("int __LINE__2;"), LayoutUse::none);
}

TEST(Normalise, ASourceThatSeesItsLinesIsLeftAsItIs) {
  const std::string source = "int  x = __LINE__ ; // here\n";
  EXPECT_EQ(normalise_source(source), source);
  EXPECT_EQ(normalise_source("#define A(x)  #x // y\nA( b )"), "#define A(x) #x\nA( b )");
  EXPECT_EQ(normalise_source("f( b ) // y"), "f(b)");
}

TEST(Normalise, PlainCodeHasNeitherLiteralsNorDirectives) {
  EXPECT_EQ(plain_code("f(\"ASSAY(x)\", 'a') // c"), "f ( \"\" , \"\" ) ");
  EXPECT_EQ(plain_code("#define F f(x)\ng(); R\"(h())\" u8\"i\""), "g ( ) ; \"\" u8 \"\" ");
  EXPECT_EQ(plain_code(""), "");
}

TEST(Normalise, IsIdempotentAndIgnoresComments) {
  const auto pieces = rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
      "a",   "1'0",     "'", "\"", "\\", "\n", " ",    "/",  "*", "//", "/*", "*/",     "#",    "R\"(",
      ")\"", "include", "<", ">",  "+",  "%:", "\\\n", "\t", "e", ".",  "R",  "define", "\r\n", "1"}));
  EXPECT_TRUE(rc::check("normalising twice changes nothing", [&] {
    std::string source;
    for (const std::string& piece : *pieces) {
      source += piece;
    }
    const std::string once = normalise_source(source);
    RC_ASSERT(normalise_source(once) == once);
    for (const LayoutUse use : {LayoutUse::none, LayoutUse::blanks, LayoutUse::lines}) {
      const std::string form = normalise_source(source, use);
      RC_ASSERT(normalise_source(form, use) == form);
    }
  }));
  EXPECT_TRUE(rc::check("a comment line changes nothing", [](const std::vector<bool>& places) {
    std::string plain;
    std::string commented;
    for (const bool comment : places) {
      plain += "x = x + 1;\n";
      commented += comment ? "x = x + 1; // why\n" : "x = x + 1;\n/* \n */ ";
    }
    RC_ASSERT(normalise_source(plain) == normalise_source(commented));
  }));
  // Any blank space, and any comment, between the same tokens.
  EXPECT_TRUE(rc::check("blank space and comments between tokens change nothing", [] {
    const std::vector<std::string> tokens = {"a",  "b1", "+",  "++",    "-",   "<", "<<", ">>", "=",
                                             "==", "1",  ".5", "1e3",   "(",   ")", "[",  ",",  ";",
                                             "::", ".",  "->", "\"s\"", "'c'", "&", "&&"};
    const std::vector<std::string> gaps = {" ", "\n", " /* c */ ", "/**/", " // c\n", "\t\\\n "};
    std::string one;
    std::string two;
    for (const std::string& token : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(tokens))) {
      one += token + " ";
      two += token + *rc::gen::elementOf(gaps);
    }
    RC_ASSERT(normalise_source(one, LayoutUse::none) == normalise_source(two, LayoutUse::none));
  }));
}

}  // namespace
}  // namespace assay::task
