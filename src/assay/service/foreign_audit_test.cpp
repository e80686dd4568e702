#include <assay/service/foreign_audit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/service/campaign_report.hpp>
#include <assay/service/evaluate.hpp>
#include <assay/service/rehearsal.hpp>
#include <assay/service/same_code.hpp>

namespace assay::service {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

const os::Path kPublicTraces = os::Path(ASSAY_SOURCE_DIR) / "tests/data/traces";

TEST(ForeignAudit, WritesItsPageWithTheSubjectWhereverItShallLie) {
  const rehearsal::World world;
  const auto audit = audit_folder(kPublicTraces);
  ASSERT_TRUE(audit) << audit.error().text();
  const os::Path page = world.path("new/folders/audit.html");
  ASSERT_TRUE(write_audit_page(*audit, "five <public> traces", page));
  const auto text = os::read_file(page);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, AllOf(HasSubstr("five &lt;public&gt; traces"), HasSubstr(std::string(version())),
                           HasSubstr("of 39 promotions")));
  ASSERT_TRUE(write_audit_page({}, "nothing", page)) << "an older page is replaced";
  EXPECT_THAT(*os::read_file(page), Not(HasSubstr("39 promotions")));
}

TEST(ForeignAudit, AFolderWithoutTracesAndAPageThatCannotLieThereAreErrors) {
  const rehearsal::World world;
  const auto missing = audit_folder(world.path("nowhere"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::input);
  EXPECT_THAT(missing.error().text(), HasSubstr("evaluations.jsonl"));
  world.write(world.path("file"), "in the way");
  EXPECT_FALSE(write_audit_page({}, "nothing", world.path("file/audit.html")));
}

class SameCodeTest : public testing::Test {
 protected:
  EvaluateReport judge(const std::string& file, const std::string& text) {
    EvaluateOptions options;
    options.candidate = world_.kernel(file, text);
    auto report = evaluate(world_.context(), options);
    EXPECT_TRUE(report) << report.error().text();
    return report.value_or(EvaluateReport{});
  }
  // The same source, but for what stands before it.
  EvaluateReport judge_again(const EvaluateReport& judged, const std::string& file, const std::string& before) {
    const os::Path path = world_.path(file);
    world_.write(path, before + judged.request.candidate.sources.front().content);
    EvaluateOptions options;
    options.candidate = path.string();
    options.reuse = Reuse::never;  // The same normalised source would be answered with its earlier judgement.
    auto report = evaluate(world_.context(), options);
    EXPECT_TRUE(report) << report.error().text();
    return report.value_or(EvaluateReport{});
  }
  // Which candidates are the same code as this one, and by what.
  std::vector<std::pair<std::string, SameLevel>> same_as(const EvaluateReport& report) {
    const auto archive = archive::Archive::open_reader(world_.context().places.archive);
    const auto candidate = archive->candidate(report.evaluation.candidate.content.hex());
    EXPECT_TRUE(candidate && candidate->has_value());
    const auto found = same_code(*archive, **candidate);
    EXPECT_TRUE(found) << found.error().text();
    std::vector<std::pair<std::string, SameLevel>> named;
    for (const SameCode& one : *found) {
      EXPECT_NE(one.candidate, report.evaluation.candidate.content) << "nothing is a copy of itself";
      named.emplace_back(one.name, one.level);
    }
    return named;
  }

  rehearsal::World world_;
};

TEST_F(SameCodeTest, IsSymmetricByObjectAndSaysNothingOfOthers) {
  const EvaluateReport one = judge("one.cpp", "cost=50 object=a");
  const EvaluateReport two = judge("two.cpp", "cost=51 object=a");
  const EvaluateReport three = judge("three.cpp", "cost=52 object=a");
  const EvaluateReport other = judge("other.cpp", "cost=53 object=b");
  EXPECT_THAT(same_as(one), UnorderedElementsAre(Pair("two", SameLevel::object), Pair("three", SameLevel::object)));
  EXPECT_THAT(same_as(two), UnorderedElementsAre(Pair("one", SameLevel::object), Pair("three", SameLevel::object)));
  EXPECT_THAT(same_as(three), UnorderedElementsAre(Pair("one", SameLevel::object), Pair("two", SameLevel::object)));
  EXPECT_THAT(same_as(other), IsEmpty());
}

TEST_F(SameCodeTest, CommentsMakeNoOtherSource) {
  const EvaluateReport one = judge("one.cpp", "cost=50 object=a");
  const EvaluateReport commented = judge_again(one, "commented.cpp", "// Says the same.\n\n");
  EXPECT_NE(one.evaluation.candidate.content, commented.evaluation.candidate.content);
  // The object is the same too; the source's level is named, which needs no compiler.
  EXPECT_THAT(same_as(one), ElementsAre(Pair("commented", SameLevel::normalised_source)));
  EXPECT_THAT(same_as(commented), ElementsAre(Pair("one", SameLevel::normalised_source)));
  const EvaluateReport more = judge_again(one, "more.cpp", "int more;\n");
  EXPECT_THAT(same_as(more),
              UnorderedElementsAre(Pair("one", SameLevel::object), Pair("commented", SameLevel::object)));
}

TEST_F(SameCodeTest, ByTheMachineCodeThatEvaluationsRecorded) {
  const EvaluateReport one = judge("one.cpp", "cost=50 code=a");
  const EvaluateReport two = judge("two.cpp", "cost=51 code=a");
  judge("other.cpp", "cost=52 code=b");
  EXPECT_THAT(same_as(one), ElementsAre(Pair("two", SameLevel::machine_code)));
  EXPECT_THAT(same_as(two), ElementsAre(Pair("one", SameLevel::machine_code)));
  EXPECT_THAT(one.same_builds, IsEmpty());
  ASSERT_EQ(two.same_builds.size(), 1U) << "an evaluation says so at once";
  EXPECT_EQ(two.same_builds[0].name, "one");
  EXPECT_EQ(two.same_builds[0].level, archive::CodeLevel::machine_code);
}

TEST(SameLevel, SpellingsArePersisted) {
  EXPECT_EQ(to_string(SameLevel::machine_code), "machine_code");
  EXPECT_EQ(to_string(SameLevel::sass), "sass");
  EXPECT_EQ(to_string(SameLevel::ptx), "ptx");
  EXPECT_EQ(to_string(SameLevel::normalised_source), "normalised_source");
  EXPECT_EQ(to_string(SameLevel::object), "object");
}

}  // namespace
}  // namespace assay::service
