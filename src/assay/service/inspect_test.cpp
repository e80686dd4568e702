#include <assay/service/inspect.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

class InspectTest : public testing::Test {
 protected:
  EvaluateReport judged(const std::string& name, const std::string& text) {
    EvaluateOptions options;
    options.candidate = world_.kernel(name, text);
    auto report = evaluate(world_.context(), options);
    EXPECT_TRUE(report) << report.error().text();
    return report.value();
  }

  rehearsal::World world_;
};

TEST_F(InspectTest, ListsEveryCandidateFailedOnesToo) {
  judged("fast.cpp", "cost=50");
  const EvaluateReport wrong = judged("wrong.cpp", "incorrect");
  const auto lines = list_candidates(world_.context(), "");
  ASSERT_TRUE(lines) << lines.error().text();
  ASSERT_THAT(*lines, SizeIs(3));
  EXPECT_EQ((*lines)[0].name, "plain");
  EXPECT_EQ((*lines)[0].outcome, "not judged") << "it was an incumbent only";
  EXPECT_EQ((*lines)[1].outcome, "better");
  EXPECT_NEAR((*lines)[1].speedup.value(), 2, 1e-6);
  EXPECT_EQ((*lines)[2].outcome, "incorrect");
  EXPECT_EQ((*lines)[2].evaluation, wrong.evaluation.id);
  EXPECT_EQ((*lines)[2].speedup, std::nullopt);
  const base::Json json = encode(*lines);
  EXPECT_EQ(json[2]["outcome"], "incorrect");
  EXPECT_TRUE(json[2]["speedup"].is_null());
  EXPECT_TRUE(json[0]["evaluation"].is_null());
}

TEST_F(InspectTest, SaysWhichOtherCandidatesAreTheSameCode) {
  const EvaluateReport one = judged("one.cpp", "cost=50 object=a");
  judged("two.cpp", "cost=51 object=a");
  judged("three.cpp", "cost=52 object=b");
  const auto shown = show(world_.context(), one.evaluation.candidate.content.hex());
  ASSERT_TRUE(shown) << shown.error().text();
  ASSERT_THAT(shown->same, SizeIs(1));
  EXPECT_EQ(shown->same.front().name, "two");
  EXPECT_EQ(shown->same.front().level, SameLevel::object);
  EXPECT_EQ(encode(*shown)["same_code"][0]["level"], "object");
}

TEST_F(InspectTest, ShowsACandidateByPrefix) {
  const EvaluateReport fast = judged("fast.cpp", "cost=50");
  const auto shown = show(world_.context(), fast.evaluation.candidate.content.hex().substr(0, 6));
  ASSERT_TRUE(shown) << shown.error().text();
  ASSERT_TRUE(shown->candidate);
  EXPECT_EQ(shown->candidate->solution.name, "fast");
  EXPECT_THAT(shown->evaluations, SizeIs(1));
  const base::Json json = encode(*shown);
  EXPECT_EQ(json["candidate"]["solution"]["name"], "fast");
  EXPECT_EQ(json["evaluations"][0]["outcome"], "better");
}

TEST_F(InspectTest, ShowsAnEvaluationByPrefix) {
  const EvaluateReport wrong = judged("wrong.cpp", "incorrect");
  const auto shown = show(world_.context(), wrong.evaluation.id.substr(0, 20));
  ASSERT_TRUE(shown) << shown.error().text();
  ASSERT_TRUE(shown->evaluation);
  EXPECT_EQ(shown->evaluation->evaluation.outcome, task::Outcome::incorrect);
  EXPECT_THAT(shown->files, Contains("candidate-build.log"));
  EXPECT_EQ(encode(*shown)["report"]["evaluation"]["outcome"], "incorrect");
}

TEST_F(InspectTest, FilesComeByEvaluationOrByCandidate) {
  const EvaluateReport wrong = judged("wrong.cpp", "incorrect");
  const auto by_evaluation = show_file(world_.context(), wrong.evaluation.id, "candidate-build.log");
  ASSERT_TRUE(by_evaluation) << by_evaluation.error().text();
  EXPECT_THAT(*by_evaluation, HasSubstr("error: expected ';'"));
  EXPECT_EQ(*show_file(world_.context(), wrong.evaluation.candidate.content.brief(), "candidate-build.log"),
            *by_evaluation);
}

TEST_F(InspectTest, WrongNamesAreAnsweredWithWhatThereIs) {
  const EvaluateReport fast = judged("fast.cpp", "cost=50");
  EXPECT_THAT(show(world_.context(), "nothing").error().message, HasSubstr("assay candidates"));
  EXPECT_THAT(show(world_.context(), "0000").error().message, HasSubstr("assay candidates"));
  EXPECT_THAT(show_file(world_.context(), fast.evaluation.id, "no.log").error().message,
              AllOf(HasSubstr("no.log"), HasSubstr("candidate-build.log"), HasSubstr("samples.json")));
  EXPECT_EQ(show_file(world_.context(), task::identify(*fast.request.incumbent).content.hex(), "x").error().code,
            "show.not_judged");
}

TEST_F(InspectTest, WithoutAnArchiveThereIsNothingToShow) {
  EXPECT_EQ(show(world_.context(), "abcd").error().owner, base::Owner::input);
  EXPECT_EQ(list_candidates(world_.context(), "").error().owner, base::Owner::input);
  EXPECT_EQ(list_candidates(world_.context(), "tune").error().owner, base::Owner::input);
}

}  // namespace
}  // namespace assay::service
