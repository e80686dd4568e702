#include <assay/archive/bundle.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include <assay/archive/sample_bundle.hpp>
#include <assay/base/json.hpp>

namespace assay::archive {
namespace {

using testing::HasSubstr;

const std::string kSha(64, 'a');

class BundleTest : public testing::Test {
 protected:
  static Files files() {
    const auto request = sample_request("e-1");
    return sample_files(request, sample_evaluation(request));
  }
  void expect_damaged(const std::string& name) const {
    const auto bundle = read_bundle(path_);
    ASSERT_FALSE(bundle);
    EXPECT_EQ(bundle.error().code, "bundle.damaged");
    EXPECT_EQ(bundle.error().owner, base::Owner::environment);
    EXPECT_THAT(bundle.error().text(), HasSubstr(path_.string()));
    EXPECT_THAT(bundle.error().text(), HasSubstr(name));
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "bundle-").value();
  os::Path path_ = folder_.path() / "e-1";
};

TEST_F(BundleTest, ReadsEveryFileAndItsContents) {
  write_bundle(path_, files());
  const auto bundle = read_bundle(path_);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(bundle->files.size(), files().size() + 1);
  ASSERT_NE(bundle->find("candidate-build.log"), nullptr);
  EXPECT_EQ(bundle->find("candidate-build.log")->content, "built e-1\n");
  EXPECT_EQ(bundle->find("other.log"), nullptr);
  EXPECT_EQ(bundle->digest(), base::sha256(os::read_file(path_ / "manifest.json").value()));
  const auto contents = decode_contents(*bundle);
  ASSERT_TRUE(contents) << contents.error().text();
  EXPECT_EQ(contents->evaluation.id, "e-1");
  EXPECT_EQ(contents->request.candidate.name, "scale-by-two");
}

TEST_F(BundleTest, AMissingFileIsNamed) {
  write_bundle(path_, files());
  std::filesystem::remove(path_ / "samples.json");
  expect_damaged("samples.json");
}

TEST_F(BundleTest, AnExtraFileIsNamed) {
  write_bundle(path_, files());
  ASSERT_TRUE(os::write_file_atomic(path_ / "smuggled.log", "x"));
  expect_damaged("smuggled.log");
}

TEST_F(BundleTest, AFileOfAnotherSizeIsNamed) {
  write_bundle(path_, files());
  ASSERT_TRUE(os::write_file_atomic(path_ / "candidate-build.log", "truncated"));
  expect_damaged("candidate-build.log has 9 bytes");
}

TEST_F(BundleTest, AFileOfTheSameSizeAndOtherContentIsNamed) {
  write_bundle(path_, files());
  ASSERT_TRUE(os::write_file_atomic(path_ / "candidate-build.log", "built e-2\n"));
  expect_damaged("candidate-build.log does not have the sha256");
}

TEST_F(BundleTest, AMissingManifestIsNamed) {
  write_bundle(path_, files());
  std::filesystem::remove(path_ / "manifest.json");
  expect_damaged("manifest.json is missing");
}

TEST_F(BundleTest, ALinkOrAFolderInPlaceOfAFileIsRefused) {
  write_bundle(path_, files());
  const os::Path log = path_ / "candidate-build.log";
  std::filesystem::rename(log, folder_.path() / "elsewhere");
  std::filesystem::create_symlink(folder_.path() / "elsewhere", log);
  expect_damaged("candidate-build.log is not a regular file");
  std::filesystem::remove(log);
  std::filesystem::create_directory(log);
  expect_damaged("candidate-build.log is not a regular file");
}

TEST_F(BundleTest, AFolderThatDoesNotExistIsAnInputError) {
  const auto bundle = read_bundle(path_);
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().owner, base::Owner::input);
}

TEST_F(BundleTest, ContentsMustBeThere) {
  for (const char* name : {"request.json", "evaluation.json", "samples.json"}) {
    Files incomplete = files();
    incomplete.erase(name);
    write_bundle(path_, incomplete);
    const auto contents = decode_contents(read_bundle(path_).value());
    ASSERT_FALSE(contents) << name;
    EXPECT_THAT(contents.error().text(), HasSubstr(std::string(name) + " is missing"));
    ASSERT_TRUE(os::remove_tree(path_));
  }
}

TEST_F(BundleTest, ContentsMustBeReadable) {
  for (const char* name : {"request.json", "evaluation.json", "samples.json"}) {
    for (const char* text : {"{\"version\": 1", "[]", "{\"version\": 99}"}) {
      Files broken = files();
      broken[name] = text;
      write_bundle(path_, broken);
      const auto contents = decode_contents(read_bundle(path_).value());
      ASSERT_FALSE(contents) << name << ' ' << text;
      EXPECT_THAT(contents.error().text(), HasSubstr(name)) << text;
      ASSERT_TRUE(os::remove_tree(path_));
    }
  }
}

TEST_F(BundleTest, AnAnswerToAnotherRequestIsABug) {
  const auto request = sample_request("e-1");
  const auto expect_inconsistent = [&](const task::Evaluation& evaluation, const std::string& what) {
    write_bundle(path_, sample_files(request, evaluation));
    const auto contents = decode_contents(read_bundle(path_).value());
    ASSERT_FALSE(contents) << what;
    EXPECT_EQ(contents.error().code, "bundle.inconsistent");
    EXPECT_EQ(contents.error().owner, base::Owner::internal);
    EXPECT_THAT(contents.error().text(), HasSubstr(what));
    ASSERT_TRUE(os::remove_tree(path_));
  };
  task::Evaluation other = sample_evaluation(request);
  other.id = "e-2";
  expect_inconsistent(other, "the id");
  other = sample_evaluation(request);
  other.stage = task::Stage::build;
  expect_inconsistent(other, "the stage");
  other = sample_evaluation(request);
  other.device = "simulated:1";
  expect_inconsistent(other, "the device");
  other = sample_evaluation(request);
  other.candidate = task::identify(sample_solution("y = 3 * x;"));
  expect_inconsistent(other, "the candidate's digest");
  other.candidate = task::identify(request.candidate);
  other.incumbent = other.candidate;
  expect_inconsistent(other, "the incumbent's presence");
}

TEST_F(BundleTest, FindsAJudgesError) {
  Files failed = {{"request.json", "{}"},
                  {"error.json", R"({"owner": "environment", "code": "compiler.missing", "message": "no g++",
                                     "context": ["while building"]})"}};
  write_bundle(path_, failed);
  const auto error = judge_error(read_bundle(path_).value());
  ASSERT_TRUE(error && *error);
  EXPECT_EQ((*error)->owner, base::Owner::environment);
  EXPECT_EQ((*error)->code, "compiler.missing");
  EXPECT_EQ((*error)->text(), "no g++ (while building)");
  const auto refused = refuse_judge_error(path_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "compiler.missing");
}

TEST_F(BundleTest, NoErrorFileIsNoError) {
  write_bundle(path_, files());
  const auto error = judge_error(read_bundle(path_).value());
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->has_value());
  EXPECT_TRUE(refuse_judge_error(path_).has_value());
}

TEST_F(BundleTest, AnErrorThatCannotBeReadIsDamage) {
  for (const char* text : {"", "[]", "{}", R"({"owner": "nobody", "code": "a", "message": "b"})",
                           R"({"owner": 1, "code": "a", "message": "b"})", R"({"owner": "input", "code": "a"})"}) {
    write_bundle(path_, {{"error.json", text}});
    const auto error = judge_error(read_bundle(path_).value());
    ASSERT_FALSE(error) << text;
    EXPECT_EQ(error.error().code, "bundle.damaged");
    ASSERT_TRUE(os::remove_tree(path_));
  }
}

TEST_F(BundleTest, AnErrorBesideAnEvaluationIsDamage) {
  Files both = files();
  both["error.json"] = R"({"owner": "input", "code": "a", "message": "b"})";
  write_bundle(path_, both);
  const auto error = judge_error(read_bundle(path_).value());
  ASSERT_FALSE(error);
  EXPECT_THAT(error.error().text(), HasSubstr("both"));
}

std::string manifest_of(const std::string& name) {
  return base::dump_compact(base::Json{{"version", 1}, {"files", {{name, {{"sha256", kSha}, {"bytes", 3}}}}}});
}

TEST(Manifest, NamesFilesWithTheirDigests) {
  const auto entries = decode_manifest(manifest_of("a.log"), "m");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().name, "a.log");
  EXPECT_EQ(entries->front().digest.hex(), kSha);
  EXPECT_EQ(entries->front().bytes, 3U);
}

TEST(Manifest, RefusesNamesThatLeaveTheFolder) {
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../x"), std::string("a/b"),
        std::string("/etc/passwd"), std::string("manifest.json"), std::string("a\0b", 3)}) {
    const auto entries = decode_manifest(manifest_of(name), "m");
    ASSERT_FALSE(entries) << name;
    EXPECT_EQ(entries.error().code, "bundle.damaged");
  }
}

TEST(Manifest, RefusesWhatItDoesNotKnow) {
  const std::string file = R"({"sha256": ")" + kSha + R"(", "bytes": 3})";
  for (const std::string& text :
       {std::string("nonsense"), std::string("[]"), std::string("{}"), std::string(R"({"version": "1", "files": {}})"),
        std::string(R"({"version": 1})"), std::string(R"({"version": 1, "files": []})"),
        std::string(R"({"version": 1, "files": {}, "more": 1})"), std::string(R"({"version": 1, "files": {"a": {}}})"),
        std::string(R"({"version": 1, "files": {"a": {"sha256": "12", "bytes": 3}}})"),
        R"({"version": 1, "files": {"a": {"sha256": ")" + kSha + R"(", "bytes": -3}}})",
        R"({"version": 1, "files": {"a": {"sha256": ")" + kSha + R"(", "bytes": 3, "more": 1}}})"}) {
    const auto entries = decode_manifest(text, "the manifest");
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().code, "bundle.damaged") << text;
    EXPECT_THAT(entries.error().text(), HasSubstr("the manifest")) << text;
  }
}

TEST(Manifest, RefusesAnotherVersionByName) {
  const auto entries = decode_manifest(R"({"version": 2, "files": {}})", "m");
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().code, "bundle.version");
  EXPECT_THAT(entries.error().text(), HasSubstr("version 2"));
}

TEST(Manifest, AnyBytesAreAnsweredWithAResult) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& text) {
    const auto entries = decode_manifest(text, "m");
    RC_ASSERT(!entries || entries->empty());
  }));
}

}  // namespace
}  // namespace assay::archive
