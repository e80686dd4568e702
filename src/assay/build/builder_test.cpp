#include <assay/build/builder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <assay/build/cache_entry.hpp>

namespace assay::build {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

task::Solution solution_of(const std::string& source, const std::string& path = "kernel.cpp") {
  task::Solution solution;
  solution.name = "s";
  solution.definition = "d";
  solution.author = "a";
  solution.spec.language = task::Language::cpp;
  solution.spec.entry_point = path + "::run";
  solution.sources = {{path, source}};
  return solution;
}

constexpr const char* kGood = "#include <assay/candidate.h>\nASSAY_KERNEL(run) { return call->input_count; }\n";

class BuilderTest : public ::testing::Test {
 protected:
  BuilderTest() : folder_(std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-build-"))) {}

  Builder builder(const std::string& machine = "m") const {
    return {folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", *find_toolchain(), machine};
  }

  BuildResult build(const task::Solution& solution, std::chrono::milliseconds limit = 60s) const {
    auto result = builder().build(solution, limit);
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(*result) : BuildResult{};
  }

  std::size_t cached() const {
    const auto names = os::list_directory(folder_.path() / "cache" / "builds");
    return names ? names->size() : 0;
  }

  os::TemporaryDirectory folder_;
};

TEST_F(BuilderTest, BuildsAndThenAnswersFromTheCache) {
  const BuildResult first = build(solution_of(kGood));
  EXPECT_TRUE(first.record.built) << first.log;
  EXPECT_FALSE(first.record.from_cache);
  EXPECT_GT(first.record.seconds, 0);
  EXPECT_EQ(base::sha256(first.object).hex(), first.record.object_sha256);
  const BuildResult second = build(solution_of(kGood));
  EXPECT_TRUE(second.record.from_cache);
  EXPECT_EQ(second.record.seconds, 0);
  EXPECT_EQ(second.object, first.object);
  EXPECT_EQ(second.record.command, first.record.command);
}

TEST_F(BuilderTest, TheCommandHoldsNoPathOfThisMachine) {
  const BuildResult result = build(solution_of(kGood));
  for (const std::string& argument : result.record.command) {
    EXPECT_THAT(argument, ::testing::Not(HasSubstr("/"))) << argument;
  }
}

TEST_F(BuilderTest, AFailureIsAResultWithALogAndIsCachedToo) {
  const BuildResult first = build(solution_of("int f( {\n"));
  EXPECT_FALSE(first.record.built);
  EXPECT_THAT(first.log, HasSubstr("kernel.cpp:1:"));
  EXPECT_TRUE(first.object.empty());
  const BuildResult second = build(solution_of("int f( {\n"));
  EXPECT_TRUE(second.record.from_cache);
  EXPECT_EQ(second.log, first.log);
}

TEST_F(BuilderTest, ParametersBecomeDefinitions) {
  task::Solution solution = solution_of(std::string(kGood) + "static_assert(BLOCK == 8 && WIDTH == -1, \"\");\n");
  EXPECT_FALSE(build(solution).record.built);
  solution.parameters = {{"WIDTH", -1}, {"BLOCK", 8}};
  EXPECT_TRUE(build(solution).record.built);
}

TEST_F(BuilderTest, CAndSeveralSourcesAndHeadersAreBuiltTogether) {
  task::Solution solution = solution_of(
      "#include <assay/candidate.h>\n#include \"detail/part.h\"\n"
      "ASSAY_KERNEL(run) { return part(call->input_count); }\n");
  solution.sources.push_back({"detail/part.h", "#ifdef __cplusplus\nextern \"C\"\n#endif\nint part(int);\n"});
  solution.sources.push_back({"detail/part.c", "#include \"part.h\"\nint part(int class) { return class; }\n"});
  const BuildResult result = build(solution);
  EXPECT_TRUE(result.record.built) << result.log;
}

TEST_F(BuilderTest, ATimeoutIsSaidAndNotCached) {
  const std::string slow =
      "template <int N> struct F { static constexpr long v = F<N - 1>::v + F<N - 2>::v + N; };\n"
      "template <> struct F<0> { static constexpr long v = 0; };\ntemplate <> struct F<1> { static constexpr long v = "
      "1; };\n"
      "constexpr long spin() { long s = 0; for (long i = 0; i < 30000000; ++i) s += i % 7; return s; }\n"
      "static_assert(spin() != 0, \"\");\n";
  const BuildResult result = build(solution_of(slow), 50ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.record.built);
  EXPECT_THAT(result.log, HasSubstr("stopped after"));
  EXPECT_EQ(cached(), 0U);
}

TEST_F(BuilderTest, TheKeyKnowsEverythingThatDecides) {
  const base::Digest key = *builder().key(solution_of(kGood));
  EXPECT_EQ(*builder().key(solution_of(kGood)), key);
  EXPECT_NE(*builder("other machine").key(solution_of(kGood)), key);
  EXPECT_NE(*builder().key(solution_of(std::string(kGood) + " ")), key);
  task::Solution tuned = solution_of(kGood);
  tuned.parameters = {{"A", 1}};
  EXPECT_NE(*builder().key(tuned), key);
  task::Solution renamed = solution_of(kGood);
  renamed.name = "another";
  EXPECT_EQ(*builder().key(renamed), key);
}

TEST_F(BuilderTest, ADamagedEntryIsBuiltAgain) {
  const BuildResult first = build(solution_of(kGood));
  const os::Path entry = folder_.path() / "cache" / "builds" / (*builder().key(solution_of(kGood))).hex();
  {
    std::fstream object(entry / "object.so", std::ios::in | std::ios::out | std::ios::binary);
    object.seekp(100);
    object.put('\x7f');
  }
  const BuildResult second = build(solution_of(kGood));
  EXPECT_FALSE(second.record.from_cache);
  EXPECT_EQ(base::sha256(second.object).hex(), second.record.object_sha256);
  ASSERT_TRUE(load_entry(entry));
}

TEST_F(BuilderTest, ATruncatedRecordOrAnUnknownVersionIsBuiltAgain) {
  build(solution_of(kGood));
  const os::Path entry = folder_.path() / "cache" / "builds" / (*builder().key(solution_of(kGood))).hex();
  for (const char* text : {"{\"version\": 1", "{\"version\": 99, \"built\": true}", "[]", ""}) {
    ASSERT_TRUE(os::write_file_atomic(entry / "record.json", text));
    EXPECT_FALSE(load_entry(entry)) << text;
  }
  EXPECT_TRUE(build(solution_of(kGood)).record.built);
}

TEST_F(BuilderTest, NothingIsLeftInTheCacheFolderButEntries) {
  build(solution_of(kGood));
  build(solution_of("nonsense"));
  EXPECT_THAT(*os::list_directory(folder_.path() / "cache"), ::testing::ElementsAre("builds"));
  const auto entries = os::list_directory(folder_.path() / "cache" / "builds");
  ASSERT_TRUE(entries);
  for (const std::string& name : *entries) {
    EXPECT_EQ(name.size(), 64U) << name;
  }
}

TEST_F(BuilderTest, OtherLanguagesAndSourcesAreInputErrors) {
  task::Solution cuda = solution_of(kGood);
  cuda.spec.language = task::Language::cuda;
  const auto refused = builder().build(cuda, 1s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "build.language");
  const auto python = builder().build(solution_of("x", "kernel.py"), 1s);
  ASSERT_FALSE(python);
  EXPECT_EQ(python.error().owner, base::Owner::input);
}

// What a compiler could be made to read of the host must not be there.
class CompilerSandbox : public BuilderTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompilerSandbox, ShowsNothingOfTheHost) {
  const BuildResult result = build(solution_of(std::string(GetParam()) + "\n" + kGood));
  EXPECT_FALSE(result.record.built) << result.log;
  EXPECT_THAT(result.log,
              ::testing::AnyOf(HasSubstr("No such file"), HasSubstr("file not found"), HasSubstr("Permission denied")));
  EXPECT_EQ(result.log.find("root:"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Reads, CompilerSandbox,
                         ::testing::Values("#include \"/etc/passwd\"", "__asm__(\".incbin \\\"/etc/passwd\\\"\");",
                                           "#include \"/etc/hostname\"", "#include \"/proc/meminfo\"",
                                           "#include \"/proc/1/environ\""));

TEST_F(BuilderTest, TheCompilersEnvironmentHoldsNothingOfOurs) {
  setenv("ASSAY_SECRET_OF_THE_TEST", "do-not-show", 1);
  const BuildResult result = build(solution_of("#include \"/proc/self/environ\"\n" + std::string(kGood)));
  unsetenv("ASSAY_SECRET_OF_THE_TEST");
  EXPECT_EQ(result.log.find("do-not-show"), std::string::npos);
  EXPECT_EQ(result.object.find("do-not-show"), std::string::npos);
}

TEST_F(BuilderTest, TheLogNamesNoFolderOfThisMachine) {
  const BuildResult result = build(solution_of("int broken(\n"));
  EXPECT_EQ(result.log.find(folder_.path().string()), std::string::npos) << result.log;
}

TEST_F(BuilderTest, SourcesInFoldersSeeEachOther) {
  task::Solution solution = solution_of("#include \"parts/value.hpp\"\n" + std::string(kGood));
  solution.sources.push_back({"parts/value.hpp", "#include \"deep/other.hpp\"\n"});
  solution.sources.push_back({"parts/deep/other.hpp", "constexpr int kValue = 3;\n"});
  const BuildResult result = build(solution);
  EXPECT_TRUE(result.record.built) << result.log;
}

TEST_F(BuilderTest, ASourceThatACompilerWouldTakeForAnOptionIsAnInputError) {
  const auto refused = builder().build(solution_of(kGood, "-fplugin=x.cpp"), 1s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "build.source");
}

// Few long lines: the compiler shows each twice, and takes many seconds for as many bytes in short ones.
TEST_F(BuilderTest, AHugeLogIsCutAndMadePrintable) {
  std::string source = "#warning red \x1b[31m\n";
  for (int i = 0; i < 64; ++i) {
    source += "#warning w" + std::to_string(i) + std::string(16384, 'w') + "\n";
  }
  const BuildResult result = build(solution_of(source + kGood));
  EXPECT_TRUE(result.record.built);
  EXPECT_NE(result.log.find("#warning red \xEF\xBF\xBD[31m"), std::string::npos);
  EXPECT_EQ(result.log.find('\x1b'), std::string::npos);
  // Filled to the limit and no further, but for what stands for the bytes that are not printable.
  EXPECT_GT(result.log.size(), std::size_t{1023} << 10U);
  EXPECT_LE(result.log.size(), std::size_t{1025} << 10U);
}

TEST(Toolchain, AWrongChoiceIsAnError) {
  setenv("ASSAY_CXX", "no-such-compiler", 1);
  const auto missing = find_toolchain();
  setenv("ASSAY_CXX", "/bin/false", 1);
  const auto broken = find_toolchain();
  unsetenv("ASSAY_CXX");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("ASSAY_CXX"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().owner, base::Owner::environment);
  EXPECT_TRUE(find_toolchain());
}

TEST(ExportedSymbol, HasThePrefixOfTheHeader) { EXPECT_EQ(exported_symbol(solution_of("x")), "assay_kernel_run"); }

}  // namespace
}  // namespace assay::build
