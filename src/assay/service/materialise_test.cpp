#include <assay/service/materialise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/dataset/test_blobs.hpp>
#include <assay/task/blob_file.hpp>
#include <assay/task/bundle.hpp>

namespace assay::service {
namespace {

using dataset::testing::BlobDataset;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A judge that writes good files, each byte of which is the request's seed, or fails.
class FakeMaterialiser final : public execute::JudgeRunner {
 public:
  FakeMaterialiser(std::vector<task::EvaluationRequest>& requests, const std::string& failure)
      : requests_(requests), failure_(failure) {}

  base::Result<os::Path> run(const task::EvaluationRequest& request, const os::Path& spool,
                             const std::function<void(const execute::Progress&)>& on_progress) override {
    requests_.push_back(request);
    if (failure_ == "judge.died" && requests_.size() == 2) {
      return base::environment_error(failure_, "the judge left no result");
    }
    on_progress({1, 2, "writing"});
    const os::Path bundle = spool / request.id;
    ASSAY_TRY(os::create_directories(bundle));
    base::Json manifest = {{"version", task::kBundleVersion}, {"files", base::Json::object()}};
    const auto add = [&](const std::string& name, const std::string& content) {
      manifest["files"][name] = {{"sha256", base::sha256(content).hex()}, {"bytes", content.size()}};
      return os::write_file_atomic(bundle / name, content);
    };
    if (failure_ == "definition.unknown") {
      ASSAY_TRY(
          add("error.json", R"({"owner": "input", "code": "definition.unknown", "message": "never heard of it"})"));
    } else if (failure_ != "nothing") {
      const std::int64_t rows = *task::find(request.workloads[0].axes, "rows");
      const auto fill = static_cast<std::uint8_t>(*request.seed);
      const auto bytes = static_cast<std::size_t>(rows);
      ASSAY_TRY(add(task::bundled_blob_name(0),
                    dataset::testing::blob_text({dataset::testing::filled("x", tensor::DType::bfloat16, {rows, 4},
                                                                          std::vector<std::uint8_t>(8 * bytes, fill)),
                                                 dataset::testing::filled("seq_lens", tensor::DType::int32, {rows},
                                                                          std::vector<std::int32_t>(bytes, fill))})));
    }
    ASSAY_TRY(os::write_file_atomic(bundle / task::kManifestFile, base::dump_compact(manifest)));
    return bundle;
  }

 private:
  std::vector<task::EvaluationRequest>& requests_;
  const std::string& failure_;
};

class MaterialiseTest : public testing::Test {
 protected:
  MaterialiseTest() {
    context_.places.dataset = folder_.path();
    context_.make_runner = [this] { return std::make_unique<FakeMaterialiser>(requests_, failure_); };
  }
  base::Result<MaterialiseReport> run(const MaterialiseOptions& options = {}) { return materialise(context_, options); }
  static MaterialiseOptions only(const std::string& definition, const std::string& workload) {
    MaterialiseOptions options;
    options.definition = definition;
    options.workload = workload;
    return options;
  }
  static MaterialiseOptions replacing() {
    MaterialiseOptions options;
    options.existing = Existing::replace;
    return options;
  }
  std::string content(const std::string& uuid) const {
    return os::read_file(folder_.path(BlobDataset::blob(uuid))).value_or("none");
  }

  BlobDataset folder_;
  std::vector<task::EvaluationRequest> requests_;
  std::string failure_;
  Context context_;
};

TEST_F(MaterialiseTest, WritesWhereTheWorkloadsSay) {
  const auto report = run();
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(report->files, SizeIs(2));
  EXPECT_EQ(report->kept, 0U);
  EXPECT_EQ(report->folder, folder_.path());
  EXPECT_EQ(report->files[1].uuid, "w-2");
  EXPECT_EQ(report->files[1].definition, "rows");
  EXPECT_EQ(report->files[1].path, BlobDataset::blob("w-2"));
  EXPECT_EQ(report->files[1].sha256, base::sha256(content("w-2")).hex());
  EXPECT_EQ(report->files[1].bytes, content("w-2").size());
  EXPECT_THAT(os::list_directory(folder_.path()).value(), ElementsAre("blob", "definitions", "workloads"));

  ASSERT_THAT(requests_, SizeIs(2));
  EXPECT_EQ(requests_[0].stage, task::Stage::materialise);
  EXPECT_EQ(requests_[0].seed, 0U);
  EXPECT_THAT(requests_[0].workloads, SizeIs(1));
  const auto sound =
      task::decode_request(base::parse_json(base::dump_compact(task::encode(requests_[0])), "r").value(), "r");
  EXPECT_TRUE(sound) << sound.error().text();
}

TEST_F(MaterialiseTest, ARequestCarriesTheLengthsThatAreKnown) {
  folder_.write("lengths/paged/rows.jsonl", R"({"uuid": "w-2", "lengths": [1, 2, 3]})");
  ASSERT_TRUE(run());
  EXPECT_THAT(requests_[0].workloads[0].lengths, IsEmpty());
  EXPECT_THAT(requests_[1].workloads[0].lengths, ElementsAre(1, 2, 3));
}

TEST_F(MaterialiseTest, WhatExistsStaysUnlessItIsToBeReplaced) {
  folder_.write_blob("w-1", {9, 9});
  const std::string before = content("w-1");
  auto report = run();
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->files, SizeIs(1));
  EXPECT_EQ(report->kept, 1U);
  EXPECT_EQ(content("w-1"), before);
  EXPECT_THAT(requests_, SizeIs(1)) << "what stays is not generated";

  report = run();
  EXPECT_THAT(report->files, IsEmpty());
  EXPECT_EQ(report->kept, 2U);

  report = run(replacing());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->files, SizeIs(2));
  EXPECT_EQ(report->kept, 0U);
  EXPECT_NE(content("w-1"), before);
}

TEST_F(MaterialiseTest, ABadFileDoesNotStandInTheWayOfItsReplacement) {
  folder_.write(BlobDataset::blob("w-1"), dataset::testing::kLfsPointer);
  const auto kept = run();
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, "blob.lfs_pointer");
  const auto replaced = run(replacing());
  ASSERT_TRUE(replaced) << replaced.error().text();
  EXPECT_THAT(replaced->files, SizeIs(2));
  EXPECT_TRUE(dataset::Dataset::open(folder_.path())->workloads("rows"));
}

TEST_F(MaterialiseTest, ALinkThatLeadsNowhereIsSomethingThatExists) {
  ASSERT_TRUE(os::create_directories(folder_.path("blob")));
  std::filesystem::create_symlink("nowhere", folder_.path(BlobDataset::blob("w-1")));
  EXPECT_EQ(run()->kept, 1U);
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.path(BlobDataset::blob("w-1"))));
}

TEST_F(MaterialiseTest, OneWorkloadSeedAndFolderCanBeChosen) {
  MaterialiseOptions options = only("rows", "w-2");
  options.seed = 7;
  options.output = folder_.path("elsewhere/deep").string();
  const auto report = run(options);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(report->files, SizeIs(1));
  EXPECT_EQ(requests_[0].seed, 7U);
  EXPECT_TRUE(std::filesystem::exists(os::Path(options.output) / BlobDataset::blob("w-2")));
  EXPECT_EQ(content("w-2"), "none");
  EXPECT_EQ(encode(*report)["seed"], 7);
  EXPECT_EQ(encode(*report)["written"][0]["workload"], "w-2");
  EXPECT_EQ(encode(*report)["kept"], 0);
}

TEST_F(MaterialiseTest, NamesThatMeanNothingOrTooMuchAreRefused) {
  EXPECT_EQ(run(only("", "w-")).error().code, "workload.ambiguous");
  EXPECT_EQ(run(only("", "w-3")).error().code, "workload.unknown");
  EXPECT_THAT(run(only("row", "")).error().text(), HasSubstr("rows"));
  EXPECT_THAT(requests_, IsEmpty());
  folder_.write("workloads/paged/rows.jsonl",
                BlobDataset::workload("w-1", 2, 2) + "\n" + BlobDataset::workload("w-1b", 2, 2) + "\n");
  EXPECT_THAT(run(only("", "w-1"))->files, SizeIs(1)) << "a whole uuid is not the beginning of another";
}

TEST_F(MaterialiseTest, AFileOfTwoWorkloadsIsRefused) {
  std::string second = BlobDataset::workload("w-2", 3, 4);
  for (std::size_t at = second.find("./blob/w-2"); at != std::string::npos; at = second.find("./blob/w-2")) {
    second.replace(at, 10, "blob//w-1");
  }
  folder_.write("workloads/paged/rows.jsonl", BlobDataset::workload("w-1", 2, 2) + "\n" + second + "\n");
  const auto report = run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "materialise.shared");
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("workload w-2: /inputs/x/path"), HasSubstr("blob/w-1"),
                                            HasSubstr("of workload w-1 too")));
}

TEST_F(MaterialiseTest, APathThatLeadsOutIsRefusedBeforeAnythingIsWritten) {
  std::string climber = BlobDataset::workload("w-2", 3, 4);
  climber.replace(climber.find("./blob/"), 7, "../blob/");
  folder_.write("workloads/paged/rows.jsonl", BlobDataset::workload("w-1", 2, 2) + "\n" + climber + "\n");
  const auto report = run(replacing());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "blob.path");
  EXPECT_THAT(report.error().message, HasSubstr("workload w-2: /inputs/x/path"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("blob")));
}

TEST_F(MaterialiseTest, NothingToWriteIsAnError) {
  folder_.write("workloads/paged/rows.jsonl",
                R"({"definition": "rows", "solution": null, "evaluation": null, "workload": {"uuid": "r", )"
                R"("axes": {"rows": 1, "max_num_pages": 1}, "inputs": {"x": {}, "seq_lens": {}}}})");
  EXPECT_EQ(run().error().code, "materialise.nothing");
}

TEST_F(MaterialiseTest, TheJudgesErrorNamesTheWorkload) {
  failure_ = "definition.unknown";
  const auto report = run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "definition.unknown");
  EXPECT_THAT(report.error().text(), AllOf(HasSubstr("never heard of it"), HasSubstr("workload w-1 of rows")));
  EXPECT_THAT(os::list_directory(folder_.path()).value(), ElementsAre("definitions", "workloads"));
}

TEST_F(MaterialiseTest, WhatWasFinishedBeforeAnErrorStays) {
  failure_ = "judge.died";
  const auto report = run();
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().text(), AllOf(HasSubstr("workload w-2"), HasSubstr("1 files are written and stay")));
  EXPECT_NE(content("w-1"), "none");
  EXPECT_TRUE(std::filesystem::exists(folder_.path(".assay-materialise"))) << "the judge's log is there";
  failure_.clear();
  const auto again = run();
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->kept, 1U);
  EXPECT_FALSE(std::filesystem::exists(folder_.path(".assay-materialise")));
}

TEST_F(MaterialiseTest, ABundleWithoutTheFileIsABug) {
  failure_ = "nothing";
  EXPECT_EQ(run().error().owner, base::Owner::internal);
}

TEST_F(MaterialiseTest, TwoAtOnceIntoOneFolderAreRefused) {
  ASSERT_TRUE(os::create_directories(folder_.path(".assay-materialise")));
  const auto lock = os::FileLock::try_acquire(folder_.path(".assay-materialise/lock"));
  ASSERT_TRUE(lock);
  EXPECT_EQ(run().error().code, "lock.held");
}

TEST_F(MaterialiseTest, ProgressRunsOverAllWorkloads) {
  std::vector<double> seen;
  context_.on_progress = [&](const execute::Progress& progress) {
    seen.push_back(progress.done);
    EXPECT_EQ(progress.total, 1);
    EXPECT_THAT(progress.what, HasSubstr("rows w-"));
  };
  ASSERT_TRUE(run());
  // Of 2 and 3 rows of 12 bytes: nothing, half of the first, the first, and half of the second.
  EXPECT_THAT(seen, ElementsAre(0, 0.2, 0.4, 0.7));
}

}  // namespace
}  // namespace assay::service
