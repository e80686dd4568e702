#include <assay/archive/imports.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/archive/sample_bundle.hpp>

namespace assay::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ImportsTest : public testing::Test {
 protected:
  ImportsTest() : folder_(os::TemporaryDirectory::create(testing::TempDir(), "imports-").value()) {}
  Archive writer() const { return Archive::open_writer(folder_.path()).value(); }

  static NewImport sample() {
    NewImport import{"flashinfer_traces", "theirs", {{"a.jsonl", "first"}, {"b.jsonl", "second"}}, {}, {}};
    const task::Solution solution = sample_solution("y = 2 * x;");
    import.solutions = {solution};
    import.results.resize(2);
    import.results[0].id = "one";
    import.results[0].definition = "scale";
    import.results[0].candidate = task::identify(solution).content;
    import.results[0].outcome = "measured";
    import.results[0].latency_ms = 0.25;
    import.results[1].id = "two";
    import.results[1].definition = "scale";
    import.results[1].source = base::sha256(std::string_view("elsewhere"));
    import.results[1].outcome = "compile";
    return import;
  }

  os::TemporaryDirectory folder_;
};

TEST_F(ImportsTest, TakesInResultsFilesAndSolutions) {
  Archive archive = writer();
  const auto import = archive.record_import(sample());
  ASSERT_TRUE(import) << import.error().text();
  EXPECT_TRUE(import->fresh);
  EXPECT_EQ(import->results, 2U);
  const auto results = archive.foreign_results("");
  ASSERT_TRUE(results);
  ASSERT_THAT(*results, SizeIs(2));
  EXPECT_EQ(results->front().latency_ms, 0.25);
  EXPECT_EQ(results->front().origin, "theirs");
  EXPECT_EQ(results->back().latency_ms, std::nullopt);
  EXPECT_EQ(results->back().source, base::sha256(std::string_view("elsewhere")));
  // The solution is a candidate without any evaluation: nothing of theirs is a verdict of ours.
  EXPECT_THAT(*archive.candidates("scale"), SizeIs(1));
  EXPECT_THAT(*archive.evaluations("", ""), IsEmpty());
}

TEST_F(ImportsTest, FindsResultsByIdSourceOrCandidate) {
  Archive archive = writer();
  const NewImport import = sample();
  ASSERT_TRUE(archive.record_import(import));
  const auto ids = [&](const std::string& prefix) {
    std::vector<std::string> found;
    const auto results = archive.foreign_results(prefix);
    for (const ForeignResult& result : *results) {
      found.push_back(result.id);
    }
    return found;
  };
  EXPECT_THAT(ids("tw"), ElementsAre("two"));
  EXPECT_THAT(ids(import.results[1].source->hex().substr(0, 8)), ElementsAre("two"));
  EXPECT_THAT(ids(import.results[0].candidate->hex()), ElementsAre("one"));
  EXPECT_THAT(ids("none"), IsEmpty());
}

TEST_F(ImportsTest, TheSameFilesAgainChangeNothing) {
  Archive archive = writer();
  const auto first = archive.record_import(sample());
  const auto second = archive.record_import(sample());
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->fresh);
  EXPECT_EQ(first->digest, second->digest);
  EXPECT_EQ(first->imported, second->imported);
  EXPECT_THAT(*archive.imports(), SizeIs(1));
  EXPECT_THAT(*archive.foreign_results(""), SizeIs(2));
  NewImport other = sample();
  other.files[0].second = "changed";
  EXPECT_TRUE(archive.record_import(other)->fresh);
}

TEST_F(ImportsTest, AnIdTwiceLeavesNothingBehind) {
  Archive archive = writer();
  NewImport import = sample();
  import.results[1].id = "one";
  EXPECT_FALSE(archive.record_import(import));
  EXPECT_THAT(*archive.imports(), IsEmpty());
  EXPECT_THAT(*archive.candidates(""), IsEmpty());
}

TEST_F(ImportsTest, FilesAreKeptAndLookedAfter) {
  Archive archive = writer();
  ASSERT_TRUE(archive.record_import(sample()));
  EXPECT_EQ(archive.collect_garbage()->blobs_removed, 0U);
  EXPECT_THAT(archive.verify()->problems, IsEmpty());
  ASSERT_TRUE(open_raw(folder_.path()).script("DELETE FROM foreign_results WHERE id = 'two'"));
  EXPECT_THAT(archive.verify()->problems, ElementsAre(HasSubstr("import theirs: has 1 results, its row says 2")));
  ASSERT_TRUE(open_raw(folder_.path()).script("UPDATE import_files SET bytes = 1 WHERE name = 'a.jsonl'"));
  EXPECT_THAT(archive.verify()->problems, testing::Contains(HasSubstr("file a.jsonl of import theirs")));
}

}  // namespace
}  // namespace assay::archive
