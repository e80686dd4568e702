#include <assay/service/corpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include <assay/base/error.hpp>

namespace assay::service {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kHead = "// assay-corpus: number=16 kind=hostile expect=incorrect probe=fresh_contents";

class CorpusTest : public testing::Test {
 protected:
  CorpusTest() {
    auto folder = os::TemporaryDirectory::create(testing::TempDir(), "corpus-");
    EXPECT_TRUE(folder);
    folder_ = std::make_unique<os::TemporaryDirectory>(std::move(*folder));
  }

  os::Path write(const std::string& name, const std::string& text) {
    const os::Path path = folder_->path() / name;
    EXPECT_TRUE(os::create_directories(path.parent_path()));
    EXPECT_TRUE(os::write_file_atomic(path, text));
    return path;
  }
  base::Result<CorpusEntry> read(const std::string& head, const std::string& rest = "// Does it.\nint x;\n") {
    return read_corpus_entry(write("c/01-name.cpp", head + "\n" + rest), "scale");
  }
  std::string complaint(const std::string& head, const std::string& rest = "// Does it.\n") {
    const auto entry = read(head, rest);
    EXPECT_FALSE(entry) << head;
    return entry ? std::string() : entry.error().text();
  }
  [[nodiscard]] const os::Path& folder() const { return folder_->path(); }

 private:
  std::unique_ptr<os::TemporaryDirectory> folder_;
};

TEST_F(CorpusTest, AHostileHead) {
  const auto entry =
      read("// assay-corpus: number=2 kind=hostile expect=incorrect|suspect probe=late_work stage=gate samples=16",
           "// Starts a thread\n// and returns.\n#include <x>\n");
  ASSERT_TRUE(entry) << entry.error().text();
  EXPECT_EQ(entry->name, "01-name");
  EXPECT_EQ(entry->kind, EntryKind::hostile);
  EXPECT_EQ(entry->number, 2);
  EXPECT_THAT(entry->expected, ElementsAre(task::Outcome::incorrect, task::Outcome::suspect));
  EXPECT_EQ(entry->probe, "late_work");
  EXPECT_EQ(entry->stage, task::Stage::gate);
  EXPECT_EQ(entry->samples, 16);
  EXPECT_EQ(entry->description, "Starts a thread and returns.");
}

TEST_F(CorpusTest, AnHonestHeadMustPass) {
  const auto alone = read("// assay-corpus: kind=honest");
  ASSERT_TRUE(alone) << alone.error().text();
  EXPECT_THAT(alone->expected, ElementsAre(task::Outcome::measured));
  EXPECT_EQ(alone->probe, "none");
  const auto compared = read("// assay-corpus: kind=honest stage=gate");
  ASSERT_TRUE(compared) << compared.error().text();
  EXPECT_THAT(compared->expected, SizeIs(3));
  for (const task::Outcome outcome : compared->expected) {
    EXPECT_TRUE(task::is_correct(outcome));
  }
}

TEST_F(CorpusTest, TheSolutionIsWhatAPersonWouldSubmit) {
  const auto entry = read(kHead);
  ASSERT_TRUE(entry) << entry.error().text();
  EXPECT_EQ(entry->solution.definition, "scale");
  EXPECT_EQ(entry->solution.name, "01-name");
  EXPECT_EQ(entry->solution.entry_file(), "kernel.cpp");
  EXPECT_EQ(entry->solution.entry_symbol(), "run");
  ASSERT_THAT(entry->solution.sources, SizeIs(1));
  EXPECT_THAT(entry->solution.sources.front().content, HasSubstr("int x;"));
}

TEST_F(CorpusTest, HeadersAreTakenAlongFromTheFolderOrTheOneAbove) {
  write("c/near.hpp", "int near;");
  write("far.hpp", "int far;");
  write("c/far_too.hpp", "int beside;");
  write("far_too.hpp", "int above;");
  const auto entry = read(kHead,
                          "// Does it.\n#include \"near.hpp\"\n#include \"far.hpp\"\n#include \"far_too.hpp\"\n"
                          "#include \"not_there.hpp\"\n#include \"/proc/self/environ\"\n#include \"../far.hpp\"\n"
                          "#include <vector>\n");
  ASSERT_TRUE(entry) << entry.error().text();
  std::vector<std::string> contents;
  for (const task::SourceFile& source : entry->solution.sources) {
    contents.push_back(source.path + ": " + source.content);
  }
  contents.erase(contents.begin());
  EXPECT_THAT(contents, ElementsAre("near.hpp: int near;", "far.hpp: int far;", "far_too.hpp: int beside;"));
}

TEST_F(CorpusTest, ABadHeadNamesFileWordAndRemedy) {
  EXPECT_THAT(complaint("#include <x>"), AllOf(HasSubstr("01-name.cpp:1"), HasSubstr("// assay-corpus: number=16")));
  EXPECT_THAT(complaint(""), HasSubstr("no head"));
  EXPECT_THAT(complaint(std::string(kHead) + " color=red"), HasSubstr("\"color\" is no word of a head"));
  EXPECT_THAT(complaint(std::string(kHead) + " kind=hostile"), HasSubstr("there twice"));
  EXPECT_THAT(complaint(std::string(kHead) + " loud"), HasSubstr("not of the form word=value"));
  EXPECT_THAT(complaint("// assay-corpus: number=x kind=hostile expect=incorrect probe=none"),
              HasSubstr("number=x is not a number from 1"));
  EXPECT_THAT(complaint("// assay-corpus: number=1 samples=0 kind=hostile expect=incorrect probe=none"),
              HasSubstr("samples=0 is not a number from 1 to 10000"));
  EXPECT_THAT(complaint("// assay-corpus: number=1 kind=evil expect=incorrect probe=none"),
              HasSubstr("must be hostile or honest"));
  EXPECT_THAT(complaint("// assay-corpus: number=1 kind=hostile expect=incorect probe=none"),
              HasSubstr("did you mean \"incorrect\""));
  EXPECT_THAT(complaint("// assay-corpus: number=1 kind=hostile expect=incorrect probe=posion"),
              HasSubstr("did you mean \"poison\""));
  EXPECT_THAT(complaint("// assay-corpus: number=1 kind=hostile expect=incorrect probe=none stage=sweep"),
              HasSubstr("must be measure or gate"));
  EXPECT_THAT(complaint(kHead, "int x;\n"), HasSubstr("say what the candidate does"));
}

TEST_F(CorpusTest, WhatAKindNeedsMustBeThere) {
  EXPECT_THAT(complaint("// assay-corpus: number=1 expect=incorrect probe=none"), HasSubstr("lacks kind="));
  EXPECT_THAT(complaint("// assay-corpus: kind=hostile expect=incorrect probe=none"), HasSubstr("needs number=N"));
  EXPECT_THAT(complaint("// assay-corpus: number=1 kind=hostile probe=none"), HasSubstr("needs expect="));
  EXPECT_THAT(complaint("// assay-corpus: number=1 kind=hostile expect=incorrect"), HasSubstr("needs probe="));
  EXPECT_THAT(complaint("// assay-corpus: kind=honest expect=incorrect"), HasSubstr("must pass"));
}

TEST_F(CorpusTest, AFolderIsReadByName) {
  write("h/b.cpp", std::string(kHead) + "\n// B.\n");
  write("h/a.c", std::string(kHead) + "\n// A.\n");
  write("h/shared.hpp", "int x;");
  write("h/README.md", "words");
  const auto entries = read_corpus(folder() / "h", "scale");
  ASSERT_TRUE(entries) << entries.error().text();
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_EQ(entries->at(0).name, "a");
  EXPECT_EQ(entries->at(0).solution.entry_file(), "kernel.c");
  EXPECT_EQ(entries->at(1).name, "b");
}

TEST_F(CorpusTest, AnEmptyOrMissingFolderIsAnError) {
  ASSERT_TRUE(os::create_directories(folder() / "empty"));
  const auto empty = read_corpus(folder() / "empty", "scale");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().text(), AllOf(HasSubstr("empty"), HasSubstr("tests/hostile")));
  const auto missing = read_corpus(folder() / "missing", "scale");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::input);
}

TEST_F(CorpusTest, DefaultCorporaAreFoundAboveAndBesideTheBuildTree) {
  EXPECT_THAT(default_corpora(folder() / "a" / "b", folder() / "x" / "bin", "cpu"), IsEmpty());
  ASSERT_TRUE(os::create_directories(folder() / "tests" / "hostile"));
  EXPECT_THAT(default_corpora(folder() / "a" / "b", folder() / "x" / "bin", "cpu"), IsEmpty())
      << "both belong together";
  ASSERT_TRUE(os::create_directories(folder() / "tests" / "honest"));
  const std::vector<os::Path> both = {folder() / "tests" / "hostile", folder() / "tests" / "honest"};
  EXPECT_EQ(default_corpora(folder() / "a" / "b", "/nowhere/bin", "cpu"), both);
  EXPECT_EQ(default_corpora("/nowhere", folder() / "build" / "release" / "bin", "simulated:4"), both);
}

TEST_F(CorpusTest, ACudaDeviceHasCorporaOfItsOwn) {
  ASSERT_TRUE(os::create_directories(folder() / "tests" / "hostile"));
  ASSERT_TRUE(os::create_directories(folder() / "tests" / "honest"));
  EXPECT_THAT(default_corpora(folder(), "/nowhere/bin", "cuda:0"), IsEmpty()) << "what is for a CPU is no substitute";
  ASSERT_TRUE(os::create_directories(folder() / "tests" / "hostile_cuda"));
  ASSERT_TRUE(os::create_directories(folder() / "tests" / "honest_cuda"));
  EXPECT_THAT(default_corpora(folder(), "/nowhere/bin", "cuda:0"),
              ElementsAre(folder() / "tests" / "hostile_cuda", folder() / "tests" / "honest_cuda"));
}

TEST_F(CorpusTest, ACudaFileIsReadLikeAnyOther) {
  write("gdn.cuh", "int shared;");
  const auto entry = read_corpus_entry(
      write("c/01-side-stream.cu", std::string(kHead) + "\n// Does it.\n#include \"gdn.cuh\"\n"), "scale");
  ASSERT_TRUE(entry) << entry.error().text();
  EXPECT_EQ(entry->name, "01-side-stream");
  EXPECT_EQ(entry->solution.spec.language, task::Language::cuda);
  EXPECT_THAT(entry->solution.spec.target_hardware, ElementsAre("cuda"));
  EXPECT_EQ(entry->solution.entry_file(), "kernel.cu");
  ASSERT_THAT(entry->solution.sources, SizeIs(2));
  EXPECT_EQ(entry->solution.sources[1].path, "gdn.cuh");
  EXPECT_EQ(read(kHead)->solution.spec.language, task::Language::cpp);
}

TEST_F(CorpusTest, AHeadWithAPlanMakesItDeviceOnly) {
  write("shared.launch.json", "{}");
  const std::string head = std::string(kHead) + " plan=shared.launch.json";
  const auto entry = read_corpus_entry(write("c/01-kernels.cu", head + "\n// Does it.\n"), "scale");
  ASSERT_TRUE(entry) << entry.error().text();
  EXPECT_EQ(task::tier_of(entry->solution), task::Tier::device_only);
  EXPECT_EQ(entry->solution.spec.entry_point, "launch.json::run");
  ASSERT_THAT(entry->solution.sources, SizeIs(2));
  EXPECT_EQ(entry->solution.sources[1].content, "{}");
  const auto fault = [&](const std::string& plan) {
    const auto bad =
        read_corpus_entry(write("c/02-kernels.cu", std::string(kHead) + " plan=" + plan + "\n// D.\n"), "s");
    return bad ? std::string() : bad.error().text();
  };
  EXPECT_THAT(fault("absent.json"), HasSubstr("plan=absent.json is neither"));
  EXPECT_THAT(fault("../shared.launch.json"), HasSubstr("must be the name"));
  EXPECT_THAT(complaint(head), HasSubstr("the file CUDA"));
}

// The files themselves: each must have a head that can be read, and be for the device of its folder.
TEST_F(CorpusTest, WhatComesWithAssayCanBeRead) {
  for (const char* device : {"cpu", "cuda:0"}) {
    const std::vector<os::Path> folders = default_corpora(ASSAY_SOURCE_DIR, "/nowhere/bin", device);
    ASSERT_THAT(folders, SizeIs(2)) << device;
    for (const os::Path& corpus : folders) {
      const auto entries = read_corpus(corpus, "scale");
      ASSERT_TRUE(entries) << entries.error().text();
      for (const CorpusEntry& entry : *entries) {
        EXPECT_EQ(entry.solution.spec.language == task::Language::cuda, device != std::string("cpu")) << entry.file;
        EXPECT_EQ(entry.kind == EntryKind::hostile, corpus == folders.front()) << entry.file;
      }
    }
  }
}

TEST_F(CorpusTest, SeveralProbesMayEachCatchIt) {
  const auto entry = read("// assay-corpus: number=2 kind=hostile expect=incorrect probe=late_work|poison");
  ASSERT_TRUE(entry) << entry.error().text();
  EXPECT_EQ(probes_of(*entry), (task::ProbeSet{task::Probe::late_work, task::Probe::poison}));
  const auto none = read("// assay-corpus: number=2 kind=hostile expect=incorrect probe=sandbox");
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_TRUE(probes_of(*none).empty());
  EXPECT_THAT(complaint("// assay-corpus: number=2 kind=hostile expect=incorrect probe=late_work|limits"),
              HasSubstr("limits cannot be switched off"));
  EXPECT_THAT(complaint("// assay-corpus: number=2 kind=hostile expect=incorrect probe=late_work|posion"),
              HasSubstr("poison"));
}

TEST(KnownProbesTest, AreDistinct) {
  const std::vector<std::string>& names = known_probes();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

}  // namespace
}  // namespace assay::service
