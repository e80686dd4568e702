#include <assay/control/void_confirmation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <assay/archive/bundle.hpp>
#include <assay/base/json.hpp>
#include <assay/control/fake_evaluator.hpp>
#include <assay/control/requests.hpp>
#include <assay/control/sample_campaign.hpp>
#include <assay/os/file.hpp>
#include <assay/task/bundle.hpp>

namespace assay::control {
namespace {

using testing::Fault;
using ::testing::HasSubstr;
using testing::must;

// A confirmation as the fake judge answers it.
struct Session {
  task::EvaluationRequest request;
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;

  [[nodiscard]] std::string why() const { return must(why_void(request, evaluation, samples)); }
};

Session session(const std::string& source, std::optional<Fault> fault = std::nullopt) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.sweep.self_comparison = true;
  const PendingEvaluation target{Purpose::confirmation, 1, 1, "scale-search-1-confirm-1"};
  Session made;
  made.request = make_request(configuration, CampaignState(), target, testing::sample_solution("s", source),
                              configuration.baseline);
  const os::TemporaryDirectory folder = must(os::TemporaryDirectory::create(::testing::TempDir(), "void-"));
  testing::FakeEvaluator judge(folder.path());
  if (fault) {
    judge.faults[0] = *fault;
  }
  const archive::Bundle bundle = must(archive::read_bundle(must(judge.evaluate(made.request))));
  made.evaluation = must(archive::decode_contents(bundle)).evaluation;
  made.samples = must(
      task::decode_samples(must(base::parse_json(bundle.find(task::kSamplesFile)->content, "samples")), "samples"));
  return made;
}

TEST(WhyVoid, NotWhereTheCandidateWasMeasuredOrFailed) {
  for (const char* source : {"a;\n// speed: 0.5\n", "a;\n// speed: 1.5\n", "a;\n// confirm: incorrect\n",
                             "a;\n// confirm: crashed\n", "a;\n// confirm: timed_out\n", "a;\n// confirm: suspect\n"}) {
    EXPECT_EQ(session(source).why(), "") << source;
  }
}

TEST(WhyVoid, WhereTheSessionTellsTheBaselineFromItsCopy) {
  const Session unfair = session("a;\n// speed: 0.5\n", Fault::unfair);
  EXPECT_EQ(unfair.evaluation.outcome, task::Outcome::indistinguishable);
  EXPECT_THAT(unfair.why(), HasSubstr("the session tells the baseline from a copy of itself (0.8"));
}

TEST(WhyVoid, OfAComparisonOnlyWhereTheIncumbentIsToldFromItsCopy) {
  const auto why = [](const Session& one) {
    return must(why_void_comparison(one.request, one.evaluation, one.samples));
  };
  EXPECT_THAT(why(session("a;\n// speed: 0.5\n", Fault::unfair)),
              HasSubstr("the session tells the incumbent from a copy of itself (0.8"));
  for (const char* source :
       {"a;\n// speed: 0.5\n", "a;\n// speed: 1.5\n", "a;\n// confirm: incorrect\n", "a;\n// confirm: not_built\n"}) {
    EXPECT_EQ(why(session(source)), "") << source;
  }
  Session alone = session("a;\n", Fault::unfair);
  alone.request.plan.self_comparison = false;
  EXPECT_EQ(why(alone), "") << "nobody asked";
}

TEST(WhyVoid, ItsCodesAreThoseOfTheJournal) {
  EXPECT_TRUE(is_void_session("confirmation.void"));
  EXPECT_TRUE(is_void_session("session.void"));
  EXPECT_FALSE(is_void_session("judge.timed_out"));
}

TEST(WhyVoid, NotOfTheBaselinesOwnCodeWhateverTheSessionIs) {
  Session twin = session("a;\n", Fault::unfair);
  EXPECT_NE(twin.why(), "");
  const std::string code = base::sha256("code").hex();
  twin.evaluation.candidate_build.code.machine_code = code;
  twin.evaluation.incumbent_build->code.machine_code = code;
  EXPECT_EQ(twin.why(), "");
}

TEST(WhyVoid, WhereItWasNotBuiltOrNotRunThoughItsSweepWas) {
  Session one = session("a;\n// confirm: not_built\n");
  EXPECT_THAT(one.why(), HasSubstr("the same sources were for its sweep"));
  one.evaluation.outcome = task::Outcome::timed_out;
  EXPECT_EQ(one.why(), "") << "late in a call";
  one.evaluation.candidate_build.built = false;
  EXPECT_THAT(one.why(), HasSubstr("could not be built")) << "late in the compiler";
  one.evaluation.candidate_build.built = true;
  one.evaluation.outcome = task::Outcome::duplicate;
  EXPECT_THAT(one.why(), HasSubstr("was not run"));
}

TEST(WhyVoid, WhereAWorkloadHasNoTime) {
  Session one = session("a;\n// speed: 0.5\n");
  std::erase_if(one.samples, [](const task::Sample& sample) {
    return sample.workload == 2 && sample.pair == 1 && sample.side == task::Side::incumbent && !sample.self;
  });
  EXPECT_THAT(one.why(), HasSubstr("not every workload has a time"));
}

}  // namespace
}  // namespace assay::control
