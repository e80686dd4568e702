#include <assay/service/solutions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;

class SolutionsTest : public testing::Test {
 protected:
  rehearsal::World world_;
  dataset::Dataset dataset_ = dataset::Dataset::open(world_.context().places.dataset).value();
  task::Definition definition_ = dataset_.definition("scale").value();
};

TEST_F(SolutionsTest, TheOnlyDefinitionNeedsNoName) {
  EXPECT_EQ(resolve_definition(dataset_, "")->name, "scale");
  EXPECT_EQ(resolve_definition(dataset_, "scale")->name, "scale");
}

TEST_F(SolutionsTest, AMistypedDefinitionGetsASuggestion) {
  const auto result = resolve_definition(dataset_, "scael");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_THAT(result.error().message, HasSubstr("did you mean \"scale\"?"));
}

TEST_F(SolutionsTest, OneOfSeveralDefinitionsMustBeNamed) {
  world_.write(world_.context().places.dataset / "definitions" / "elementwise" / "other.json", "{}");
  const auto dataset = dataset::Dataset::open(world_.context().places.dataset);
  const auto result = resolve_definition(*dataset, "");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("--definition"), HasSubstr("other, scale")));
}

TEST_F(SolutionsTest, FindsFilesThenNames) {
  const std::string file = world_.kernel("fast.cpp", "cost=10");
  EXPECT_EQ(resolve_solution(dataset_, nullptr, file, definition_)->name, "fast");
  EXPECT_EQ(resolve_solution(dataset_, nullptr, "plain", definition_)->author, "baseline");
}

TEST_F(SolutionsTest, FindsArchivedCandidatesByDigest) {
  auto archive = archive::Archive::open_writer(world_.context().places.archive);
  ASSERT_TRUE(archive) << archive.error().text();
  const task::Solution solution =
      resolve_solution(dataset_, nullptr, world_.kernel("fast.cpp", "cost=10"), definition_).value();
  ASSERT_TRUE(archive->record_candidate(solution));
  const std::string digest = task::identify(solution).content.hex();
  EXPECT_EQ(resolve_solution(dataset_, &*archive, digest.substr(0, 8), definition_)->name, "fast");
  EXPECT_EQ(resolve_solution(dataset_, nullptr, digest.substr(0, 8), definition_).error().code, "solution.unknown");
  task::Definition other = definition_;
  other.name = "other";
  EXPECT_EQ(resolve_solution(dataset_, &*archive, digest, other).error().code, "solution.other_definition");
}

TEST_F(SolutionsTest, SaysWhatIsMissing) {
  EXPECT_EQ(resolve_solution(dataset_, nullptr, "no/such.cpp", definition_).error().code, "solution.no_file");
  const auto unknown = resolve_solution(dataset_, nullptr, "plian", definition_);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean \"plain\"?"));
}

TEST_F(SolutionsTest, TheBaselineIsTheSolutionByThatAuthor) {
  EXPECT_EQ(default_incumbent(dataset_, definition_, "cpu").value()->name, "plain");
  const os::Path folder = world_.context().places.dataset / "solutions" / "baseline" / "elementwise" / "scale";
  const std::string text = os::read_file(folder / "plain.json").value();
  std::string second = text;
  second.replace(second.find("\"plain\""), 7, "\"second\"");
  world_.write(folder / "second.json", second);
  const auto several =
      default_incumbent(dataset::Dataset::open(world_.context().places.dataset).value(), definition_, "cpu");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("plain, second"));
  ASSERT_TRUE(os::remove_tree(folder));
  EXPECT_EQ(
      default_incumbent(dataset::Dataset::open(world_.context().places.dataset).value(), definition_, "cpu").value(),
      std::nullopt);
}

TEST_F(SolutionsTest, EachKindOfDeviceHasABaselineOfItsOwn) {
  EXPECT_EQ(default_incumbent(dataset_, definition_, "cuda:0").value(), std::nullopt);
  const os::Path folder = world_.context().places.dataset / "solutions" / "baseline" / "elementwise" / "scale";
  std::string second = os::read_file(folder / "plain.json").value();
  second.replace(second.find("\"plain\""), 7, "\"plain_cuda\"");
  second.replace(second.find("\"cpp\""), 5, "\"cuda\"");
  world_.write(folder / "plain_cuda.json", second);
  const auto both = dataset::Dataset::open(world_.context().places.dataset);
  ASSERT_TRUE(both) << both.error().text();
  const auto name_for = [&](const char* device) { return default_incumbent(*both, definition_, device).value()->name; };
  EXPECT_EQ(name_for("cpu"), "plain");
  EXPECT_EQ(name_for("simulated:3"), "plain");
  EXPECT_EQ(name_for("cuda:0"), "plain_cuda");
  EXPECT_EQ(name_for("cuda:7"), "plain_cuda");
}

TEST_F(SolutionsTest, PoliciesAreBuiltInOrFiles) {
  EXPECT_EQ(resolve_policy("quick")->name, "quick");
  EXPECT_EQ(resolve_policy(ASSAY_SOURCE_DIR "/policies/standard.toml")->name, "standard");
  EXPECT_EQ(resolve_policy("no-such-policy").error().code, "policy.unknown");
  world_.write(world_.path("bad.toml"), "version = 1\nnonsense = 3\n");
  EXPECT_THAT(resolve_policy(world_.path("bad.toml").string()).error().text(), HasSubstr("nonsense"));
}

TEST_F(SolutionsTest, DevicesAreCpuOrSimulatedWithASeed) {
  for (const char* good : {"cpu", "simulated:7", "simulated:0", "simulated:18446744073709551615"}) {
    EXPECT_TRUE(check_device(good)) << good;
  }
  for (const char* bad : {"", "gpu", "simulated", "simulated:", "simulated:x", "simulated:7x", "simulated:-1",
                          "simulated:18446744073709551616", "cpu "}) {
    EXPECT_EQ(check_device(bad).error().code, "device.unknown") << bad;
  }
}

}  // namespace
}  // namespace assay::service
