#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/dataset/source_file.hpp>
#include <assay/dataset/test_dataset.hpp>

namespace assay::dataset {
namespace {

using ::testing::AllOf;
using testing::DatasetFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EntryPoints, AreFoundInTheirOrder) {
  EXPECT_THAT(entry_points("ASSAY_KERNEL(run) { return 0; }"), ElementsAre("run"));
  EXPECT_THAT(entry_points("int x;\nASSAY_KERNEL ( second_1 )\n{}\nASSAY_KERNEL(first) {}\nASSAY_KERNEL(first);"),
              ElementsAre("second_1", "first"));
  EXPECT_THAT(entry_points("ASSAY_KERNEL(/* name */ run // x\n) {}"), ElementsAre("run"));
}

TEST(EntryPoints, ThoseOfTvmFfiCountWhereThereAreNoneOfOurs) {
  EXPECT_THAT(
      entry_points("TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run);\nTVM_FFI_DLL_EXPORT_TYPED_FUNC( b , [](int x) {});"),
      ElementsAre("run", "b"));
  EXPECT_THAT(entry_points("ASSAY_KERNEL(own) {} TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run);"), ElementsAre("own"));
  EXPECT_THAT(entry_points("TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(run, \"x\"); TVM_FFI_DLL_EXPORT_TYPED_FUNC(run);"),
              IsEmpty());
}

TEST(EntryPoints, CommentsAndDirectivesDoNotCount) {
  EXPECT_THAT(
      entry_points("// ASSAY_KERNEL(run)\n/* ASSAY_KERNEL(run) */\n#define K ASSAY_KERNEL(run) \\\n ASSAY_KERNEL(b)\n"),
      IsEmpty());
  EXPECT_THAT(entry_points("MY_ASSAY_KERNEL(run) ASSAY_KERNELS(run) ASSAY_KERNEL(a, b) ASSAY_KERNEL() ASSAY_KERNEL"),
              IsEmpty());
}

TEST(EntryPoints, LiteralsDoNotCount) {
  EXPECT_THAT(entry_points("const char* hint = \"write ASSAY_KERNEL(run) { }\";"), IsEmpty());
  EXPECT_THAT(entry_points("const char* hint = R\"(\nASSAY_KERNEL(run))\";"), IsEmpty());
  EXPECT_THAT(entry_points("ASSAY_KERNEL(\"run\") ASSAY_KERNEL \"x\" (run)"), IsEmpty());
  EXPECT_THAT(entry_points("const char* hint = \"ASSAY_KERNEL(a)\"; ASSAY_KERNEL(run) {} // ASSAY_KERNEL(b)"),
              ElementsAre("run"));
  EXPECT_THAT(entry_points("int line = __LINE__; /* ASSAY_KERNEL(a) */ ASSAY_KERNEL(run) {}"), ElementsAre("run"));
}

TEST(PackSource, WrapsOneFile) {
  const DatasetFolder folder;
  for (const char* name : {"fast.cpp", "fast.c", "fast.cc", "fast.cxx"}) {
    folder.write(name, "#include <assay/candidate.h>\nASSAY_KERNEL(run) { return 0; }\n");
    const auto solution = load_solution_path(folder.path(name), "add").value();
    EXPECT_EQ(solution.name, "fast");
    EXPECT_EQ(solution.definition, "add");
    EXPECT_EQ(solution.author, "local");
    EXPECT_EQ(solution.spec.language, task::Language::cpp);
    EXPECT_THAT(solution.spec.target_hardware, ElementsAre("cpu"));
    const std::string packed = "kernel" + os::Path(name).extension().string();
    EXPECT_EQ(solution.spec.entry_point, packed + "::run");
    ASSERT_EQ(solution.sources.size(), 1U);
    EXPECT_EQ(solution.sources[0].path, packed);
    EXPECT_THAT(solution.sources[0].content, HasSubstr("ASSAY_KERNEL(run)"));
  }
}

TEST(PackSource, ARenamedCopyIsTheSameCandidate) {
  const DatasetFolder folder;
  for (const char* name : {"one.cpp", "a::b.cpp", "two.cpp"}) {
    folder.write(name, "ASSAY_KERNEL(run) { return 0; }\n");
  }
  const auto identity = [&](const char* name) { return task::identify(pack_source(folder.path(name), "add").value()); };
  EXPECT_EQ(identity("one.cpp"), identity("two.cpp"));
  EXPECT_EQ(identity("one.cpp"), identity("a::b.cpp"));
  folder.write("two.cpp", "ASSAY_KERNEL(run) { return 1; }\n");
  EXPECT_NE(identity("one.cpp"), identity("two.cpp"));
}

TEST(PackSource, TheExtensionSaysTheLanguage) {
  const DatasetFolder folder;
  folder.write("k.cpp", "ASSAY_KERNEL(run) {}\n");
  folder.write("k.cu", "ASSAY_KERNEL(run) {}\n");
  const task::Solution host = pack_source(folder.path("k.cpp"), "add").value();
  EXPECT_EQ(host.spec.language, task::Language::cpp);
  EXPECT_EQ(host.spec.target_hardware, std::vector<std::string>{"cpu"});
  const task::Solution cuda = pack_source(folder.path("k.cu"), "add").value();
  EXPECT_EQ(cuda.spec.language, task::Language::cuda);
  EXPECT_EQ(cuda.spec.target_hardware, std::vector<std::string>{"cuda"});
  EXPECT_EQ(cuda.spec.entry_point, "kernel.cu::run");
}

TEST(PackSource, ChoosesTheEntryPoint) {
  const DatasetFolder folder;
  const auto entry = [&](const std::string& source) {
    folder.write("k.cpp", source);
    const auto solution = pack_source(folder.path("k.cpp"), "add");
    return solution ? solution->entry_symbol() : solution.error().code;
  };
  EXPECT_EQ(entry("ASSAY_KERNEL(go) {}"), "go");
  EXPECT_EQ(entry("ASSAY_KERNEL(go) {} ASSAY_KERNEL(run) {}"), "run");
  EXPECT_EQ(entry("ASSAY_KERNEL(go) {} ASSAY_KERNEL(stop) {}"), "source.entry_point");
}

TEST(PackSource, AMissingEntryPointIsAnInputErrorWithTheRemedy) {
  const DatasetFolder folder;
  folder.write("k.cpp", "int main() {}\n");
  const auto solution = pack_source(folder.path("k.cpp"), "add");
  ASSERT_FALSE(solution.has_value());
  EXPECT_EQ(solution.error().code, "source.no_entry_point");
  EXPECT_EQ(solution.error().owner, base::Owner::input);
  EXPECT_THAT(solution.error().message,
              AllOf(HasSubstr("k.cpp"), HasSubstr("missing entry point"), HasSubstr("ASSAY_KERNEL(run) { … }")));
  folder.write("empty.cpp", "");
  EXPECT_EQ(pack_source(folder.path("empty.cpp"), "add").error().code, "source.no_entry_point");
}

TEST(PackSource, BytesThatAreNoUtf8AreRefused) {
  const DatasetFolder folder;
  folder.write("k.cpp", "ASSAY_KERNEL(run) {} // caf\xE9\n");
  EXPECT_EQ(pack_source(folder.path("k.cpp"), "add").error().code, "source.encoding");
  folder.write("u.cpp", "ASSAY_KERNEL(run) {} // caf\xC3\xA9\n");
  EXPECT_TRUE(pack_source(folder.path("u.cpp"), "add").has_value());
}

TEST(PackSource, FaultsOfTheFile) {
  const DatasetFolder folder;
  EXPECT_THAT(pack_source(folder.path("none.cpp"), "add").error().message, HasSubstr("none.cpp"));
  folder.write("a::b.cpp", "ASSAY_KERNEL(run) {}");
  EXPECT_TRUE(pack_source(folder.path("a::b.cpp"), "add")) << "the file's own name is not part of the solution's paths";
}

TEST(PackSource, ALaunchPlanBesideKernelsWithoutHostCodeMakesThemDeviceOnly) {
  const DatasetFolder folder;
  folder.write("k.cu", "extern \"C\" __global__ void decode() {}\n");
  const auto without = load_solution_path(folder.path("k.cu"), "add");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, "source.no_entry_point");
  EXPECT_THAT(without.error().message, HasSubstr("k.launch.json"));
  folder.write("k.launch.json", R"({"step": {"launches": []}})");
  const auto solution = load_solution_path(folder.path("k.cu"), "add");
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_EQ(task::tier_of(*solution), task::Tier::device_only);
  EXPECT_EQ(solution->spec.entry_point, "launch.json::step");
  ASSERT_EQ(solution->sources.size(), 2U);
  EXPECT_EQ(solution->sources[0].path, "kernel.cu");
  EXPECT_EQ(solution->sources[1].content, R"({"step": {"launches": []}})");
  folder.write("k.launch.json", R"({"step": {}, "run": {}})");
  EXPECT_EQ(load_solution_path(folder.path("k.cu"), "add")->entry_symbol(), "run");
  folder.write("k.launch.json", R"({"step": {}, "other": {}})");
  EXPECT_EQ(load_solution_path(folder.path("k.cu"), "add").error().code, "source.entry_point");
  folder.write("k.launch.json", "{");
  EXPECT_THAT(load_solution_path(folder.path("k.cu"), "add").error().message, HasSubstr("k.launch.json"));
  folder.write("k.cu", "ASSAY_KERNEL(run) { return 0; }\n");
  EXPECT_EQ(load_solution_path(folder.path("k.cu"), "add").error().code, "source.entry_point") << "which is meant?";
}

TEST(LoadSolutionPath, ReadsJsonOfThatDefinition) {
  const DatasetFolder folder;
  folder.write("s.json", DatasetFolder::solution("any_name", "add"));
  EXPECT_EQ(load_solution_path(folder.path("s.json"), "add")->name, "any_name");
  const auto other = load_solution_path(folder.path("s.json"), "sub");
  EXPECT_EQ(other.error().code, "source.definition");
  EXPECT_THAT(other.error().message, AllOf(HasSubstr("s.json: /definition"), HasSubstr("\"sub\"")));
}

TEST(LoadSolutionPath, RefusesOtherKindsOfFile) {
  const DatasetFolder folder;
  folder.write("k.py", "x");
  const auto result = load_solution_path(folder.path("k.py"), "add");
  EXPECT_EQ(result.error().code, "source.kind");
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("k.py"), HasSubstr(".json"), HasSubstr(".cpp")));
  EXPECT_FALSE(load_solution_path(folder.path("s.json"), "add").has_value());
}

}  // namespace
}  // namespace assay::dataset
