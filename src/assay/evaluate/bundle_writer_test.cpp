#include <assay/evaluate/bundle_writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>

namespace assay::evaluate {
namespace {

class BundleWriterTest : public ::testing::Test {
 protected:
  BundleWriterTest() : folder_(std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-bundle-"))) {
    request_.id = "t-1";
    judged_.evaluation.id = "t-1";
    judged_.evaluation.cause = "because";
    judged_.samples.resize(3);
    judged_.logs = {{"output.log", "hello\n"}};
  }
  os::Path bundle() const { return folder_.path() / "spool" / "t-1"; }
  std::string read(const std::string& name) const { return *os::read_file(bundle() / name); }

  os::TemporaryDirectory folder_;
  task::EvaluationRequest request_;
  Judged judged_;
};

TEST_F(BundleWriterTest, WritesEveryFileAndAManifestThatNamesThem) {
  ASSERT_TRUE(write_bundle(bundle(), request_, judged_));
  EXPECT_THAT(*os::list_directory(bundle()),
              ::testing::ElementsAre("evaluation.json", "manifest.json", "output.log", "request.json", "samples.json"));
  const auto manifest = base::parse_json(read("manifest.json"), "m");
  ASSERT_TRUE(manifest);
  EXPECT_EQ((*manifest)["files"].size(), 4U);
  for (const auto& [name, entry] : (*manifest)["files"].items()) {
    EXPECT_EQ(entry["sha256"].get<std::string>(), base::sha256(read(name)).hex()) << name;
    EXPECT_EQ(entry["bytes"].get<std::size_t>(), read(name).size()) << name;
  }
}

TEST_F(BundleWriterTest, LeavesNothingBesideTheBundle) {
  ASSERT_TRUE(write_bundle(bundle(), request_, judged_));
  EXPECT_THAT(*os::list_directory(bundle().parent_path()), ::testing::ElementsAre("t-1"));
}

TEST_F(BundleWriterTest, TheSamplesCanBeReadBack) {
  ASSERT_TRUE(write_bundle(bundle(), request_, judged_));
  const auto json = base::parse_json(read("samples.json"), "s");
  const auto samples = task::decode_samples(*json, "s");
  ASSERT_TRUE(samples) << samples.error().text();
  EXPECT_EQ(samples->size(), 3U);
}

TEST_F(BundleWriterTest, RefusesAPlaceThatIsTaken) {
  ASSERT_TRUE(write_bundle(bundle(), request_, judged_));
  const std::string before = read("evaluation.json");
  judged_.evaluation.cause = "other";
  const auto again = write_bundle(bundle(), request_, judged_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, "bundle.exists");
  EXPECT_EQ(read("evaluation.json"), before);
}

TEST_F(BundleWriterTest, AnErrorTakesTheEvaluationsPlace) {
  base::Error error{base::Owner::environment, "disk.full", "no space", {"while x"}};
  ASSERT_TRUE(write_error_bundle(bundle(), request_, error));
  EXPECT_THAT(*os::list_directory(bundle()), ::testing::ElementsAre("error.json", "manifest.json", "request.json"));
  const auto json = base::parse_json(read("error.json"), "e");
  EXPECT_EQ((*json)["owner"], "environment");
  EXPECT_EQ((*json)["code"], "disk.full");
  EXPECT_EQ((*json)["context"][0], "while x");
}

}  // namespace
}  // namespace assay::evaluate
