#include <assay/cli/print_dataset.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

dataset::DatasetCheck sample_check() {
  dataset::DatasetCheck check;
  check.root = "data";
  check.definitions = {{"rows", "paged", 12, 1, 12, 5, 5, 6, 1, {}}, {"plain", "gemm", 3, 0, 0, 0, 0, 0, 0, {}}};
  return check;
}

TEST(PrintDatasetCheck, HasARowADefinition) {
  const std::string text = print_dataset_check(sample_check(), report::Colour::off);
  EXPECT_THAT(text, StartsWith("definition"));
  EXPECT_THAT(text, HasSubstr("5 of 12"));
  EXPECT_THAT(text, HasSubstr("5 from blobs, 6 from lengths/, 1 generated"));
  EXPECT_THAT(text, testing::ContainsRegex("plain +gemm +3 +0 +- +- +0\n"));
  EXPECT_THAT(text, EndsWith("data: all sound\n"));
}

TEST(PrintDatasetCheck, TellsEveryProblem) {
  dataset::DatasetCheck check = sample_check();
  check.problems = {{base::Owner::input, "a", "lost.jsonl: has no definition", {}}};
  check.definitions[0].problems = {{base::Owner::input, "b", "x: bad \x1b[31m", {"in y"}}};
  const std::string text = print_dataset_check(check, report::Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("\nlost.jsonl: has no definition\n"), HasSubstr("(in y)\n"),
                          EndsWith("data: 2 problems\n"), Not(HasSubstr("\x1b"))));
  check.problems.clear();
  EXPECT_THAT(print_dataset_check(check, report::Colour::off), EndsWith("data: 1 problem\n"));
}

TEST(PrintMaterialise, SaysWhatWasWrittenAndWhatWasKept) {
  service::MaterialiseReport report;
  report.folder = "out";
  report.seed = 3;
  report.files = {{"d", "u", "blob/u.safetensors", 2048, "ab"}};
  EXPECT_EQ(print_materialise(report), "out/blob/u.safetensors\nwrote 1 file (2.0 KiB) below out, seed 3\n");
  report.kept = 1;
  EXPECT_THAT(print_materialise(report), EndsWith("kept 1 file that was there: --force writes it anew\n"));
  report.kept = 2;
  report.files.push_back(report.files[0]);
  EXPECT_EQ(print_materialise(report),
            "wrote 2 files (4.0 KiB) below out, seed 3\nkept 2 files that were there: --force writes them anew\n");
}

}  // namespace
}  // namespace assay::cli
