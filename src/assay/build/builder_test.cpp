#include <assay/build/builder.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include <assay/base/text.hpp>
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
  // Each of the 64 lines of 16 KiB is shown twice: about 2 MiB, of which half is kept.
  EXPECT_GT(result.record.log_bytes_cut, std::uint64_t{900} << 10U);
  EXPECT_LT(result.record.log_bytes_cut, std::uint64_t{1400} << 10U);
  EXPECT_THAT(result.log, ::testing::EndsWith(" that the compiler wrote are left out\n"));
  EXPECT_THAT(result.log, HasSubstr("\nassay: the log is cut here: " + base::human_bytes(result.record.log_bytes_cut)));
  const BuildResult again = build(solution_of(source + kGood));
  EXPECT_TRUE(again.record.from_cache);
  EXPECT_EQ(again.record.log_bytes_cut, result.record.log_bytes_cut);
}

TEST_F(BuilderTest, AWholeLogSaysNothingOfACut) {
  const BuildResult result = build(solution_of("#warning here\n" + std::string(kGood)));
  EXPECT_EQ(result.record.log_bytes_cut, 0U);
  EXPECT_THAT(result.log, ::testing::Not(HasSubstr("cut")));
}

// A compiler that does not go on before somebody opens its fifo, which is named by the source that it is given.
constexpr const char* kWaitingCompiler = R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    *.cpp) name=${1%.cpp} ;;
  esac
  shift
done
read -r word < "${0%/*}/$name" && echo "$word" > "$out"
)";

// Holds the writing end of a fifo; -1 until somebody reads it, which opening tells without waiting.
class WritingEnd {
 public:
  explicit WritingEnd(const os::Path& fifo) : fifo_(fifo) {}
  WritingEnd(const WritingEnd&) = delete;
  WritingEnd& operator=(const WritingEnd&) = delete;
  ~WritingEnd() { release(); }

  bool has_reader_within(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (fd_ < 0 && std::chrono::steady_clock::now() < end) {
      fd_ = ::open(fifo_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);  // NOLINT: open is variadic
      if (fd_ < 0) {
        std::this_thread::sleep_for(5ms);
      }
    }
    return fd_ >= 0;
  }
  // Lets the compiler go on, which otherwise waits until its time is up.
  void release() {
    if (fd_ >= 0) {
      EXPECT_EQ(::write(fd_, "object\n", 7), 7);
      ::close(std::exchange(fd_, -1));
    }
  }

 private:
  os::Path fifo_;
  int fd_ = -1;
};

TEST_F(BuilderTest, SeveralBuildsRunAtOnce) {
  using std::filesystem::perms;
  const os::Path meeting = folder_.path() / "meeting";
  ASSERT_TRUE(os::create_directories(meeting));
  ASSERT_TRUE(os::write_file_atomic(meeting / "compiler", kWaitingCompiler));
  const perms open = perms::owner_all | perms::group_read | perms::group_exec | perms::others_read | perms::others_exec;
  for (const os::Path& path : {folder_.path(), meeting, meeting / "compiler"}) {
    std::filesystem::permissions(path, open);  // Inside, all are nobody.
  }
  for (const char* name : {"one", "two"}) {
    ASSERT_EQ(::mkfifo((meeting / name).c_str(), 0644), 0);
    std::filesystem::permissions(meeting / name, perms::owner_all | perms::group_read | perms::others_read);
  }
  Toolchain waiting = *find_toolchain();
  waiting.binds.push_back({meeting, "/meeting", os::SandboxBind::Use::execute});
  waiting.compiler = os::seen_path(meeting, "/meeting") / "compiler";
  const Builder builder(folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", waiting, "m");
  std::vector<BuildResult> results(2);
  std::vector<std::thread> threads;
  for (const std::size_t i : {0U, 1U}) {
    threads.emplace_back([&, i] {
      auto result = builder.build(solution_of("int x;\n", i == 0 ? "one.cpp" : "two.cpp"), 60s);
      EXPECT_TRUE(result) << result.error().text();
      results[i] = result ? std::move(*result) : BuildResult{};
    });
  }
  {
    // Neither is let go on before both are there.
    WritingEnd one(meeting / "one");
    WritingEnd two(meeting / "two");
    EXPECT_TRUE(one.has_reader_within(30s)) << "the first compiler does not run";
    EXPECT_TRUE(two.has_reader_within(10s)) << "the second compiler does not run beside the first";
    one.release();
    EXPECT_TRUE(two.has_reader_within(10s)) << "the second compiler does not run at all";
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const BuildResult& result : results) {
    EXPECT_TRUE(result.record.built) << result.log;
    EXPECT_EQ(result.object, "object\n");
  }
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
