#include <assay/dataset/workload_file.hpp>

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
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kFile = "workloads/elementwise/add.jsonl";

class WorkloadFileTest : public ::testing::Test {
 protected:
  WorkloadFile read(const std::string& text) const {
    folder_.write(kFile, text);
    const auto definition = Dataset::open(folder_.path())->definition("add");
    return read_workload_file(folder_.path(kFile), *definition).value();
  }
  DatasetFolder folder_;
};

TEST_F(WorkloadFileTest, KeepsTheLinesOfWhatIsGood) {
  const WorkloadFile file =
      read("\n" + DatasetFolder::workload("add", "a", 1) + "\n \n" + DatasetFolder::workload("add", "b", 2));
  ASSERT_THAT(file.workloads, SizeIs(2));
  EXPECT_THAT(file.problems, IsEmpty());
  EXPECT_EQ(file.workloads[0].line, 2U);
  EXPECT_EQ(file.workloads[1].line, 4U);
  EXPECT_EQ(file.workloads[1].workload.uuid, "b");
  EXPECT_EQ(file.workloads[1].lengths, LengthsSource::none);
}

TEST_F(WorkloadFileTest, FindsEveryFaultAndGoesOn) {
  const WorkloadFile file =
      read(DatasetFolder::workload("add", "a", 1) + "\nnot JSON\n" + DatasetFolder::workload("sub", "b", 1) + "\n" +
           DatasetFolder::workload("add", "a", 2) + "\n" + DatasetFolder::workload("add", "c", 0) + "\n" +
           DatasetFolder::workload("add", "d", 4) + "\n");
  ASSERT_THAT(file.workloads, SizeIs(2));
  EXPECT_EQ(file.workloads[1].workload.uuid, "d");
  std::vector<std::string> messages;
  for (const base::Error& problem : file.problems) {
    EXPECT_EQ(problem.owner, base::Owner::input);
    messages.push_back(problem.text());
  }
  EXPECT_THAT(messages,
              ElementsAre(HasSubstr("add.jsonl:2"), AllOf(HasSubstr("add.jsonl:3: /definition"), HasSubstr("\"sub\"")),
                          AllOf(HasSubstr("add.jsonl:4: /workload/uuid"), HasSubstr("add.jsonl:1 too")),
                          AllOf(HasSubstr("add.jsonl:5"), HasSubstr("/axes/n"))));
}

TEST_F(WorkloadFileTest, AFileWithoutWorkloadsIsAProblemAndAMissingOneAnError) {
  EXPECT_THAT(read("\n").problems, SizeIs(1));
  EXPECT_EQ(read("").problems[0].code, "dataset.no_workloads");
  const auto definition = Dataset::open(folder_.path())->definition("add");
  EXPECT_EQ(read_workload_file(folder_.path("none.jsonl"), *definition).error().code, "file.not_found");
}

}  // namespace
}  // namespace assay::dataset
