#include <assay/service/judgement.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

TEST(FreshEvaluationIdTest, IsWhatAnIdMayBeAndNeverTheSame) {
  const base::Digest digest = base::sha256("x");
  const std::string id = fresh_evaluation_id(digest);
  EXPECT_THAT(id, testing::MatchesRegex("e-[0-9]+-[0-9a-f]+-[0-9a-f]+"));
  EXPECT_THAT(id, testing::HasSubstr(digest.brief()));
  EXPECT_LE(id.size(), 80U);
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    seen.insert(fresh_evaluation_id(digest));
  }
  EXPECT_GT(seen.size(), 15U);
}

TEST(SameConditionsTest, EachStatedEntryMustAgree) {
  const task::Named<std::string> then = {{"cpu", "a"}, {"toolchain", "b"}, {"isolation", "c"}};
  EXPECT_TRUE(same_conditions(then, {{"cpu", "a"}}));
  EXPECT_TRUE(same_conditions(then, {{"toolchain", "b"}, {"cpu", "a"}}));
  EXPECT_FALSE(same_conditions(then, {{"cpu", "a"}, {"toolchain", "B"}}));
  EXPECT_FALSE(same_conditions(then, {{"cpu", "a"}, {"gpu", ""}}));
  EXPECT_FALSE(same_conditions(then, {})) << "nothing stated is nothing known";
  EXPECT_FALSE(same_conditions({}, {{"cpu", "a"}}));
}

TEST(ConditionDifferencesTest, NamesEachEntryAndShortensDigests) {
  const std::string one(64, 'a');
  const std::string other(64, 'b');
  EXPECT_THAT(
      condition_differences({{"gpu_uuid", "GPU-1"}, {"judge_sha256", one}, {"more", "x"}},
                            {{"gpu_uuid", "GPU-2"}, {"judge_sha256", other}, {"gpu_driver", "580.1"}}),
      testing::ElementsAre("gpu_uuid was GPU-1 and is GPU-2", "judge_sha256 was aaaaaaaaaaaa and is bbbbbbbbbbbb",
                           "gpu_driver was not recorded and is 580.1"));
  EXPECT_THAT(condition_differences({{"cpu", "a"}}, {{"cpu", "a"}}), testing::IsEmpty());
}

class JudgeOnceTest : public testing::Test {
 protected:
  JudgeOnceTest() {
    const auto dataset = dataset::Dataset::open(world_.context().places.dataset).value();
    request_.stage = task::Stage::sweep;
    request_.definition = dataset.definition("scale").value();
    request_.workloads = dataset.workloads("scale").value();
    request_.incumbent = dataset.solution("plain").value();
    request_.candidate = *request_.incumbent;
    request_.candidate.name = "quick";
    request_.candidate.sources.front().content = "int cost() { return 0; } const char* s = \"cost=80\";";
    request_.plan = policy_.sweep;
  }

  rehearsal::World world_;
  promote::Policy policy_ = promote::built_in_policy("quick").value();
  task::EvaluationRequest request_;
};

TEST_F(JudgeOnceTest, FindsTheNewestAnswerToTheSameQuestion) {
  auto archive = archive::Archive::open_writer(world_.context().places.archive).value();
  const auto first = judge_once(world_.context(), archive, request_, policy_, Reuse::stored);
  ASSERT_TRUE(first) << first.error().text();
  const auto second = judge_once(world_.context(), archive, request_, policy_, Reuse::never);
  ASSERT_TRUE(second) << second.error().text();
  const base::Digest digest = task::identify(request_.candidate).content;
  const auto found = find_stored(archive, request_, digest, world_.fingerprint);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ((*found)->id, second->evaluation.id);
}

TEST_F(JudgeOnceTest, AnAnswerUnderOtherConditionsIsNotTakenAndTheDifferenceIsNamed) {
  auto archive = archive::Archive::open_writer(world_.context().places.archive).value();
  const auto first = judge_once(world_.context(), archive, request_, policy_, Reuse::stored);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->elsewhere, "");
  for (const auto& [name, value] : task::Named<std::string>{
           {"gpu_uuid", "GPU-2"}, {"cpu", "another"}, {"gpu_power_limit_watts", "450"}, {"gpu_clocks", "locked"}}) {
    world_.fingerprint = {{"cpu", "imaginary"}, {"toolchain", "g++ 12"}};
    std::erase_if(world_.fingerprint, [&](const auto& entry) { return entry.first == name; });
    world_.fingerprint.emplace_back(name, value);
    const auto again = judge_once(world_.context(), archive, request_, policy_, Reuse::stored);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->origin, Origin::measured) << name;
    EXPECT_THAT(again->elsewhere, testing::HasSubstr(name));
    EXPECT_THAT(again->elsewhere, testing::HasSubstr("is " + value));
    EXPECT_THAT(again->elsewhere, testing::HasSubstr("under other conditions"));
  }
}

TEST_F(JudgeOnceTest, AnyDifferenceInTheQuestionIsAnotherQuestion) {
  auto archive = archive::Archive::open_writer(world_.context().places.archive).value();
  ASSERT_TRUE(judge_once(world_.context(), archive, request_, policy_, Reuse::stored));
  const base::Digest digest = task::identify(request_.candidate).content;
  const auto found = [&](const task::EvaluationRequest& request) {
    return find_stored(archive, request, digest, world_.fingerprint).value().has_value();
  };
  EXPECT_TRUE(found(request_));
  task::EvaluationRequest other = request_;
  other.plan.alpha = 0.01;
  EXPECT_FALSE(found(other));
  other = request_;
  other.workloads.pop_back();
  EXPECT_FALSE(found(other));
  other = request_;
  std::swap(other.workloads[0], other.workloads[1]);
  EXPECT_FALSE(found(other));
  other = request_;
  other.workloads[1].lengths = {2};
  EXPECT_FALSE(found(other)) << "rows of other lengths take another time";
  other = request_;
  other.workloads[1].given = {{"x", "/a/blob", 8, 64, std::string(64, 'a')}};
  EXPECT_FALSE(found(other)) << "what a dataset gives is part of the question";
  other = request_;
  other.definition.reference += "\n# changed\n";
  EXPECT_FALSE(found(other));
  other = request_;
  other.incumbent.reset();
  EXPECT_FALSE(found(other));
  other = request_;
  other.stage = task::Stage::gate;
  EXPECT_FALSE(found(other));
}

TEST_F(JudgeOnceTest, AReportOnASweepRecomputesTheDecisionOnlyWithThePolicy) {
  auto archive = archive::Archive::open_writer(world_.context().places.archive).value();
  const auto judged = judge_once(world_.context(), archive, request_, policy_, Reuse::stored);
  ASSERT_TRUE(judged) << judged.error().text();
  EXPECT_TRUE(judged->decision);
  const auto report = report_on(archive, judged->evaluation, nullptr);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->decision);
  EXPECT_EQ(report->request.candidate.name, "quick");
}

TEST_F(JudgeOnceTest, WithoutAFingerprintNothingIsTakenForTheSame) {
  auto archive = archive::Archive::open_writer(world_.context().places.archive).value();
  ASSERT_TRUE(judge_once(world_.context(), archive, request_, policy_, Reuse::stored));
  world_.context().fingerprint = [](const std::string& /*device*/) {
    return base::environment_error("judge.missing", "gone");
  };
  EXPECT_EQ(judge_once(world_.context(), archive, request_, policy_, Reuse::stored).error().code, "judge.missing");
  EXPECT_TRUE(judge_once(world_.context(), archive, request_, policy_, Reuse::never));
}

}  // namespace
}  // namespace assay::service
