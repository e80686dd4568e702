#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include <assay/task/solution.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using testing::sample_solution;

TEST(Identity, IgnoresWhatDoesNotDecideTheObject) {
  const CandidateIdentity first = identify(sample_solution("one"));
  Solution other = sample_solution("two");
  other.author = "someone else";
  other.description = "better";
  other.definition = "another";
  other.tuning = Tuning{{{"A", {1, 2}}}, {}};
  EXPECT_EQ(identify(other), first);
}

TEST(Identity, IsFixed) {
  // Computed apart from this code, from the framing that identity.cpp describes. Archives hold such values: a change
  // needs a new tag there.
  const CandidateIdentity identity = identify(sample_solution("one"));
  EXPECT_EQ(identity.content.hex(), "2dc4a71007a2d4be88d615b9d8428875f1e092cafacdc659d84a5535094574bc");
  EXPECT_EQ(identity.normalised.hex(), "00af76d80e52ac3ca2dcd974ecd484aa91021aa87266488882d6aa25f281d4f7");
  EXPECT_EQ(earlier_normalised(sample_solution("one")).hex(),
            "433844e8869ed234335071b6d19c7180e8cfc5ca9bd18587ad92329ff7dbcd33")
      << "archives of before hold such values";
}

TEST(Identity, SeesEverythingThatDecidesTheObject) {
  const std::vector<std::function<void(Solution&)>> changes = {
      [](Solution&) {},
      [](Solution& s) { s.sources[0].content += "int x;"; },
      [](Solution& s) { s.sources[1].path = "lib/other.hpp"; },
      [](Solution& s) { std::swap(s.sources[0].content, s.sources[1].content); },
      [](Solution& s) { s.sources.pop_back(); },
      [](Solution& s) { s.spec.entry_point = "kernel.cpp::go"; },
      [](Solution& s) { s.spec.language = Language::cuda; },
      [](Solution& s) { s.spec.binding = Binding::torch; },
      [](Solution& s) { s.spec.binding = Binding::tvm_ffi; },
      [](Solution& s) { s.spec.destination_passing_style = false; },
      [](Solution& s) { s.spec.dependencies = {"cublas"}; },
      [](Solution& s) { s.spec.dependencies = {"cu", "blas"}; },
      [](Solution& s) { s.parameters = {{"A", 1}}; },
      [](Solution& s) { s.parameters = {{"A", 2}}; },
      [](Solution& s) { s.parameters = {{"A", 1}, {"B", 2}}; },
  };
  std::set<std::string> contents;
  std::set<std::string> normalised;
  for (const auto& change : changes) {
    Solution solution = sample_solution("s");
    change(solution);
    contents.insert(identify(solution).content.hex());
    normalised.insert(identify(solution).normalised.hex());
  }
  EXPECT_EQ(contents.size(), changes.size());
  EXPECT_EQ(normalised.size(), changes.size());
}

TEST(Identity, BordersBetweenFieldsCount) {
  Solution left = sample_solution("s");
  left.sources = {{"a", "bc"}, {"d", "e"}};
  Solution right = left;
  right.sources = {{"ab", "c"}, {"d", "e"}};
  EXPECT_NE(identify(left).content, identify(right).content);
  right.sources = {{"a", "bc1:d"}, {"d", "e"}};
  EXPECT_NE(identify(left).content, identify(right).content);
}

TEST(Identity, OrderOfSourcesAndParametersDoesNotCount) {
  Solution one = sample_solution("s");
  one.parameters = {{"A", 1}, {"B", 2}};
  Solution two = one;
  std::swap(two.sources[0], two.sources[1]);
  std::swap(two.parameters[0], two.parameters[1]);
  EXPECT_EQ(identify(one), identify(two));
  two.sources[0].path = "./lib//tile.hpp";
  EXPECT_EQ(identify(one), identify(two));
}

TEST(Identity, AnEditedCommentChangesTheContentAlone) {
  Solution one = sample_solution("s");
  one.sources[0].content = "int a; // first\nint b;\n";
  Solution two = one;
  two.sources[0].content = "int a; // second\n\n\nint b;\n";
  EXPECT_NE(identify(one).content, identify(two).content);
  EXPECT_EQ(identify(one).normalised, identify(two).normalised);
}

TEST(Identity, ACommentWhereNoBlankWasChangesTheContentAlone) {
  Solution one = sample_solution("s");
  one.sources[0].content = "int f(int a,int b){return a+b;}\n";
  for (const char* source : {"int f(int a/* first */,int b){return a+/* sum */b;}\n",
                             "int f ( int a , int b )\n{\n  return a + b;  // why\n}\n"}) {
    Solution two = one;
    two.sources[0].content = source;
    EXPECT_NE(identify(one).content, identify(two).content);
    EXPECT_EQ(identify(one).normalised, identify(two).normalised) << source;
  }
  Solution other = one;
  other.sources[0].content = "int f(int a,int b){return a-b;}\n";
  EXPECT_NE(identify(one).normalised, identify(other).normalised);
}

// A macro of one file reaches the others.
TEST(Identity, ALayoutThatTheProgramSeesCountsInAllItsSources) {
  Solution one = sample_solution("s");
  one.sources[0].content = "#include \"lib/tile.hpp\"\nint line = HERE;\n";
  Solution two = one;
  two.sources[0].content = "#include \"lib/tile.hpp\"\n\nint line = HERE;\n";
  EXPECT_EQ(identify(one).normalised, identify(two).normalised);
  one.sources[1].content = two.sources[1].content = "#define HERE __LINE__\n";
  EXPECT_NE(identify(one).normalised, identify(two).normalised) << "the second is one line further down";
  one.sources[1].content = two.sources[1].content = "#define HERE 3 // not __LINE__\n";
  EXPECT_EQ(identify(one).normalised, identify(two).normalised);
  one.sources[1].content = two.sources[1].content = "#define TEXT(x) #x\n";
  one.sources[0].content = "const char* name = TEXT(a+b);\n";
  two.sources[0].content = "const char* name = TEXT(a + b);\n";
  EXPECT_NE(identify(one).normalised, identify(two).normalised) << "the texts differ";
}

TEST(Identity, OnlyCAndCppAreNormalised) {
  Solution one = sample_solution("s");
  one.spec.language = Language::python;
  one.sources[0].content = "x = 1 // 2\n";
  Solution two = one;
  two.sources[0].content = "x = 1 // 3\n";
  EXPECT_NE(identify(one).normalised, identify(two).normalised);
  one = sample_solution("s");
  one.sources.push_back({"table.txt", "1  2"});
  two = one;
  two.sources.back().content = "1 2";
  EXPECT_NE(identify(one).normalised, identify(two).normalised);
}

TEST(Identity, EntryPointHasTwoParts) {
  Solution solution = sample_solution("s");
  EXPECT_EQ(solution.entry_file(), "kernel.cpp");
  EXPECT_EQ(solution.entry_symbol(), "run");
  solution.spec.entry_point = "a/k.cu::";
  EXPECT_EQ(solution.entry_file(), "a/k.cu");
  EXPECT_EQ(solution.entry_symbol(), "");
}

}  // namespace
}  // namespace assay::task
