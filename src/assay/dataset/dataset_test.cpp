#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/dataset/dataset.hpp>
#include <assay/dataset/test_dataset.hpp>

namespace assay::dataset {
namespace {

using ::testing::AllOf;
using testing::DatasetFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset opened(const DatasetFolder& folder) { return Dataset::open(folder.path()).value(); }

template <class T>
std::string fault(const base::Result<T>& result) {
  return result ? std::string("no fault") : result.error().text();
}

TEST(Dataset, ReadsDefinitionsWorkloadsAndSolutions) {
  const DatasetFolder folder;
  const Dataset dataset = opened(folder);
  EXPECT_THAT(dataset.definition_names(), ElementsAre("add"));
  EXPECT_EQ(dataset.definition("add")->op_type, "elementwise");
  const auto workloads = dataset.workloads("add").value();
  ASSERT_EQ(workloads.size(), 2U);
  EXPECT_EQ(workloads[1].uuid, "w-2");
  EXPECT_EQ(workloads[1].axes, (task::AxisValues{{"n", 8}}));
  EXPECT_THAT(dataset.solution_names("add"), ElementsAre("plain"));
  EXPECT_EQ(dataset.solutions("add").value().at(0).name, "plain");
  EXPECT_EQ(dataset.solution("plain")->author, "someone");
}

TEST(Dataset, AFolderThatDoesNotExistIsAnError) {
  const DatasetFolder folder;
  const auto missing = Dataset::open(folder.path("nowhere"));
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, "dataset.not_found");
  EXPECT_EQ(missing.error().owner, base::Owner::input);
  EXPECT_THAT(fault(missing), AllOf(HasSubstr("nowhere"), HasSubstr("definitions/")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("nowhere")));
  folder.write("file", "x");
  EXPECT_EQ(Dataset::open(folder.path("file")).error().code, "dataset.not_found");
}

TEST(Dataset, AFolderWithoutDefinitionsIsAnError) {
  const DatasetFolder folder;
  folder.remove("definitions");
  EXPECT_EQ(Dataset::open(folder.path()).error().code, "dataset.empty");
  folder.write("definitions/flat.json", DatasetFolder::definition("flat"));
  EXPECT_THAT(fault(Dataset::open(folder.path())), HasSubstr("definitions/<op_type>/<definition>.json"));
}

TEST(Dataset, ANameInTwoFilesNamesBoth) {
  DatasetFolder folder;
  folder.write("definitions/other/add.json", DatasetFolder::definition("add"));
  EXPECT_THAT(fault(Dataset::open(folder.path())),
              AllOf(HasSubstr("definition \"add\""), HasSubstr("elementwise/add.json"), HasSubstr("other/add.json")));
  folder.remove("definitions/other");
  folder.write("solutions/another/elementwise/add/plain.json", DatasetFolder::solution("plain", "add"));
  EXPECT_THAT(
      fault(Dataset::open(folder.path())),
      AllOf(HasSubstr("solution \"plain\""), HasSubstr("another/elementwise"), HasSubstr("someone/elementwise")));
  folder.remove("solutions/another");
  folder.write("workloads/other/add.jsonl", "");
  EXPECT_EQ(Dataset::open(folder.path()).error().code, "dataset.duplicate");
}

TEST(Dataset, AUuidThatComesTwiceNamesBothLines) {
  const DatasetFolder folder;
  folder.write("workloads/elementwise/add.jsonl",
               DatasetFolder::workload("add", "w", 1) + "\n\n" + DatasetFolder::workload("add", "w", 2) + "\n");
  EXPECT_THAT(fault(opened(folder).workloads("add")), AllOf(HasSubstr("add.jsonl:3"), HasSubstr("add.jsonl:1")));
}

TEST(Dataset, UnknownNamesAreSuggested) {
  const DatasetFolder folder;
  const Dataset dataset = opened(folder);
  EXPECT_THAT(fault(dataset.definition("ad")), HasSubstr("did you mean \"add\"?"));
  EXPECT_THAT(fault(dataset.definition("something_else")), HasSubstr("add definitions/<op_type>/something_else.json"));
  EXPECT_THAT(fault(dataset.solution("plane")), HasSubstr("did you mean \"plain\"?"));
  EXPECT_EQ(dataset.solutions("ad").error().code, "dataset.unknown");
  EXPECT_EQ(dataset.workloads("ad").error().code, "dataset.unknown");
}

TEST(Dataset, ContentsMustMatchTheirPlace) {
  const DatasetFolder folder;
  folder.write("definitions/elementwise/sub.json", DatasetFolder::definition("add"));
  folder.write("solutions/someone/elementwise/add/fast.json", DatasetFolder::solution("slow", "add"));
  folder.write("solutions/someone/elementwise/add/odd.json", DatasetFolder::solution("odd", "sub"));
  folder.write("workloads/elementwise/add.jsonl", DatasetFolder::workload("sub", "w", 1));
  const Dataset dataset = opened(folder);
  EXPECT_THAT(fault(dataset.definition("sub")), AllOf(HasSubstr("sub.json: /name:"), HasSubstr("\"add\"")));
  EXPECT_THAT(fault(dataset.solution("fast")), HasSubstr("fast.json: /name:"));
  EXPECT_THAT(fault(dataset.solution("odd")), HasSubstr("odd.json: /definition:"));
  EXPECT_THAT(fault(dataset.workloads("add")), HasSubstr("add.jsonl:1: /definition:"));
  EXPECT_FALSE(dataset.solutions("add").has_value());
}

TEST(Dataset, WorkloadFaultsNameTheirLine) {
  const DatasetFolder folder;
  const Dataset dataset = opened(folder);
  const auto with = [&](const std::string& text) {
    folder.write("workloads/elementwise/add.jsonl", DatasetFolder::workload("add", "w-1", 1) + "\n" + text + "\n");
    return fault(dataset.workloads("add"));
  };
  EXPECT_THAT(with("{\"definition\": "), AllOf(HasSubstr("add.jsonl:2"), HasSubstr("truncated")));
  EXPECT_THAT(with("{}"), AllOf(HasSubstr("add.jsonl:2: /definition:"), HasSubstr("missing")));
  EXPECT_THAT(with(DatasetFolder::workload("add", "w-2", 0)),
              AllOf(HasSubstr("workload w-2: /axes/n:"), HasSubstr("add.jsonl:2")));
  std::string result = DatasetFolder::workload("add", "w-2", 1);
  result.replace(result.find("null"), 4, "\"plain\"");
  EXPECT_THAT(with(result), AllOf(HasSubstr("add.jsonl:2: /solution:"), HasSubstr("traces/")));
}

TEST(Dataset, NoWorkloadsIsAnError) {
  const DatasetFolder folder;
  folder.write("workloads/elementwise/add.jsonl", "\n \n");
  EXPECT_EQ(opened(folder).workloads("add").error().code, "dataset.no_workloads");
  folder.remove("workloads");
  EXPECT_THAT(fault(opened(folder).workloads("add")), HasSubstr("add workloads/elementwise/add.jsonl"));
}

TEST(Dataset, FilesOfNoDefinitionAreTold) {
  const DatasetFolder folder;
  EXPECT_TRUE(opened(folder).files_without_definition().empty());
  folder.write("workloads/elementwise/sub.jsonl", "");
  folder.write("lengths/elementwise/mul.jsonl", "");
  folder.write("solutions/someone/elementwise/div/fast.json", DatasetFolder::solution("fast", "div"));
  EXPECT_THAT(opened(folder).files_without_definition(),
              ElementsAre(folder.path("workloads/elementwise/sub.jsonl"), folder.path("lengths/elementwise/mul.jsonl"),
                          folder.path("solutions/someone/elementwise/div/fast.json")));
  folder.write("lengths/other/mul.jsonl", "");
  EXPECT_THAT(fault(Dataset::open(folder.path())), HasSubstr("the lengths of definition \"mul\""));
}

TEST(Dataset, NoSolutionsAreFine) {
  const DatasetFolder folder;
  folder.remove("solutions");
  EXPECT_TRUE(opened(folder).solutions("add").value().empty());
  EXPECT_TRUE(opened(folder).solution_names("add").empty());
}

TEST(Dataset, OpeningReadsNothing) {
  const DatasetFolder folder;
  folder.write("definitions/elementwise/broken.json", "{");
  folder.write("definitions/elementwise/.hidden.json", "{");
  folder.write("definitions/elementwise/notes.txt", "x");
  folder.write("solutions/someone/elementwise/add/broken.json", "[]");
  const Dataset dataset = opened(folder);
  EXPECT_THAT(dataset.definition_names(), ElementsAre("add", "broken"));
  EXPECT_EQ(dataset.definition("broken").error().code, "json.syntax");
  EXPECT_THAT(fault(dataset.definition("broken")), HasSubstr("broken.json"));
  EXPECT_EQ(dataset.solution("broken").error().code, "schema.invalid");
  EXPECT_TRUE(dataset.definition("add").has_value());
}

}  // namespace
}  // namespace assay::dataset
