#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include <assay/control/campaign.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Killed;
using testing::Laboratory;
using testing::must;
using ::testing::Not;

// Small enough to be run once for each of its events, with every kind of event of a campaign that succeeds.
CampaignConfiguration small_campaign() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied.erase(configuration.supplied.begin() + 1, configuration.supplied.end() - 2);
  configuration.rounds = 1;
  return configuration;
}

// The same with what rarely happens: winners that are outrun, injections, an alarm, a warning, a demotion.
CampaignConfiguration eventful_campaign() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.baseline = testing::sample_solution("plain", "y = 2 * x;\n// losing speed: 0.5\n");
  configuration.supplied = {
      testing::sample_solution("decent", "y = d(x);\n// speed: 0.78\n"),
      testing::sample_solution("outrun", "y = o(x);\n// speed: 0.9\n"),
      testing::sample_solution("fragile", "y = f(x);\n// speed: 0.5\n// copied speed: 0.3\n// confirm: incorrect\n")};
  configuration.rounds = 0;
  configuration.policy.sweeps_per_round = 2;
  configuration.policy.injections = {.null_rate = 1, .null_sweep_share = 0, .slower_rate = 1};
  return configuration;
}

// What must be the same after a kill and a resume: the journal, and the archive's content but for times of day.
struct Content {
  std::vector<std::string> journal;
  std::vector<std::string> evaluations;
  std::vector<std::string> samples;
  std::vector<std::string> decisions;
  std::size_t candidates = 0;

  bool operator==(const Content&) const = default;
};

Content content_of(Laboratory& laboratory) {
  Content content;
  content.journal = laboratory.journal();
  for (const auto& one : must(laboratory.archive().evaluations("scale-search", ""))) {
    content.evaluations.push_back(one.id + " " + std::string(task::to_string(one.outcome)));
    content.samples.push_back(must(laboratory.archive().bundle_file(one.id, "samples.json")));
  }
  for (const archive::ChainedDecision& link : must(laboratory.archive().decisions())) {
    // The digests cover times of day, so that they differ; `verify` recomputes them.
    content.decisions.push_back(fmt::format("{} {} {} {}", link.number, link.campaign, link.sequence,
                                            link.evidence ? link.evidence->hex() : "none"));
  }
  content.candidates = must(laboratory.archive().candidates("scale")).size();
  return content;
}

Content left_alone(const CampaignConfiguration& configuration) {
  Laboratory laboratory(configuration);
  must(laboratory.run());
  return content_of(laboratory);
}

const Content& undisturbed() {
  static const Content content = left_alone(small_campaign());
  return content;
}

const Content& undisturbed_eventful() {
  static const Content content = left_alone(eventful_campaign());
  return content;
}

void expect_resumed_like_undisturbed(Laboratory& laboratory, const Content& expected = undisturbed()) {
  laboratory.reopen();
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  const Content content = content_of(laboratory);
  EXPECT_EQ(content.journal, expected.journal);
  EXPECT_TRUE(content == expected);
  EXPECT_THAT(must(laboratory.archive().verify()).problems, IsEmpty());
  EXPECT_THAT(must(os::list_directory(laboratory.archive().spool())), IsEmpty());
}

TEST(Crash, TheSampleHasEveryKindOfEventOfASuccess) {
  std::string all;
  for (const std::string& line : undisturbed().journal) {
    all += line + "\n";
  }
  for (const char* kind :
       {"campaign_started", "evaluation_intended", "baseline_measured", "candidates_proposed", "candidate_gated",
        "candidate_swept", "candidate_promoted", "campaign_confirmed", "campaign_finished"}) {
    EXPECT_THAT(all, HasSubstr(kind));
  }
}

TEST(Crash, TheEventfulSampleHasTheRareKinds) {
  std::string all;
  for (const std::string& line : undisturbed_eventful().journal) {
    all += line + "\n";
  }
  for (const char* kind : {"candidate_outrun", "candidate_demoted", "injection_made", "injection_gated",
                           "injection_swept", "null_promoted", "injection_warned", "campaign_finished"}) {
    EXPECT_THAT(all, HasSubstr(kind));
  }
}

TEST(Crash, AfterAnyRareEventLosesNothing) {
  const std::size_t events = undisturbed_eventful().journal.size();
  for (std::size_t index = 1; index <= events; ++index) {
    SCOPED_TRACE("killed after event " + std::to_string(index));
    Laboratory laboratory(eventful_campaign());
    std::size_t seen = 0;
    const Observer observer{[&](const CampaignState&, const std::string&) {
      if (++seen == index) {
        throw Killed();
      }
    }};
    EXPECT_THROW(static_cast<void>(laboratory.run(observer)), Killed);
    expect_resumed_like_undisturbed(laboratory, undisturbed_eventful());
  }
}

TEST(Crash, AfterAnyEventLosesNothing) {
  const std::size_t events = undisturbed().journal.size();
  ASSERT_GT(events, 15U);
  for (std::size_t index = 1; index <= events; ++index) {
    SCOPED_TRACE("killed after event " + std::to_string(index));
    Laboratory laboratory(small_campaign());
    std::size_t seen = 0;
    const Observer observer{[&](const CampaignState&, const std::string&) {
      if (++seen == index) {
        throw Killed();
      }
    }};
    EXPECT_THROW(static_cast<void>(laboratory.run(observer)), Killed);
    EXPECT_EQ(laboratory.journal().size(), index);
    expect_resumed_like_undisturbed(laboratory);
  }
}

class CrashInEvaluation : public ::testing::TestWithParam<Fault> {};

TEST_P(CrashInEvaluation, LosesNothing) {
  for (const bool eventful : {false, true}) {
    const Content& expected = eventful ? undisturbed_eventful() : undisturbed();
    const int evaluations = static_cast<int>(expected.evaluations.size());
    for (int call = 0; call < evaluations; ++call) {
      SCOPED_TRACE("killed in evaluation " + std::to_string(call));
      Laboratory laboratory(eventful ? eventful_campaign() : small_campaign());
      laboratory.evaluator().faults[call] = GetParam();
      EXPECT_THROW(static_cast<void>(laboratory.run()), Killed);
      expect_resumed_like_undisturbed(laboratory, expected);
      // A finished bundle is never made twice.
      EXPECT_EQ(laboratory.evaluator().judged, evaluations);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CrashInEvaluation, ::testing::Values(Fault::killed_before, Fault::killed_after),
                         [](const ::testing::TestParamInfo<Fault>& one) {
                           return one.param == Fault::killed_before ? "BeforeTheJudge" : "AfterTheBundle";
                         });

TEST(Crash, AfterEveryEventInTurnLosesNothing) {
  // The unluckiest campaign: each run gets one event further.
  Laboratory laboratory(small_campaign());
  const Observer observer{[](const CampaignState&, const std::string&) { throw Killed(); }};
  for (std::size_t index = 1; index <= undisturbed().journal.size(); ++index) {
    EXPECT_THROW(static_cast<void>(laboratory.run(observer)), Killed);
    laboratory.reopen();
  }
  expect_resumed_like_undisturbed(laboratory);
}

TEST(EnvironmentError, IsTriedAgainUnderANewId) {
  Laboratory laboratory(small_campaign());
  laboratory.evaluator().faults = {{1, Fault::environment_error}, {2, Fault::judge_error}};
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.failed_attempts, 0);
  EXPECT_EQ(state.candidate(1).gate_evaluation, "scale-search-1-gate-3");
  const auto& requests = laboratory.evaluator().requests;
  EXPECT_EQ(requests[1].id, "scale-search-1-gate-1");
  EXPECT_EQ(requests[2].id, "scale-search-1-gate-2");
  // Simulated: another attempt measures the same.
  EXPECT_EQ(requests[1].seed, requests[2].seed);
  EXPECT_EQ(requests[1].seed, requests[3].seed);
  const auto journal = laboratory.journal();
  EXPECT_THAT(
      journal,
      Contains(HasSubstr("evaluation_failed {\"evaluation\":\"scale-search-1-gate-1\",\"code\":\"judge.died\"")));
  EXPECT_THAT(
      journal,
      Contains(HasSubstr("evaluation_failed {\"evaluation\":\"scale-search-1-gate-2\",\"code\":\"judge.disk\"")));
}

TEST(EnvironmentError, OfADamagedBundleIsTriedAgain) {
  Laboratory laboratory(small_campaign());
  laboratory.evaluator().faults = {{0, Fault::damaged}};
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.baseline_evaluation, "scale-search-0-measure-2");
  EXPECT_THAT(laboratory.journal(), Contains(HasSubstr("\"code\":\"bundle.damaged\"")));
}

TEST(EnvironmentError, IsReturnedAfterThreeAttemptsAndCountedOn) {
  Laboratory laboratory(small_campaign());
  for (const int call : {1, 2, 3, 4}) {
    laboratory.evaluator().faults[call] = Fault::environment_error;
  }
  const auto result = laboratory.run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::environment);
  EXPECT_EQ(result.error().code, "judge.died");
  EXPECT_THAT(result.error().text(), HasSubstr("resume campaign scale-search"));
  EXPECT_EQ(laboratory.state().failed_attempts, 3);

  laboratory.reopen();
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.candidate(1).gate_evaluation, "scale-search-1-gate-5");
  // Errors of the environment say nothing about the candidate.
  EXPECT_EQ(state.candidate(1).outcome, task::Outcome::not_built);
}

TEST(EnvironmentError, OfOneEvaluationDoesNotCountAgainstTheNext) {
  Laboratory laboratory(small_campaign());
  for (const int call : {0, 1, 3, 4, 6, 7}) {  // two failures before each of three results
    laboratory.evaluator().faults[call] = Fault::environment_error;
  }
  EXPECT_EQ(must(laboratory.run()).phase, Phase::finished);
}

struct Returned {
  const char* name;
  Fault fault;
  base::Owner owner;
  const char* code;
};

class ReturnedAtOnce : public ::testing::TestWithParam<Returned> {};

TEST_P(ReturnedAtOnce, WithTheJournalAsItStood) {
  Laboratory laboratory(small_campaign());
  laboratory.evaluator().faults = {{1, GetParam().fault}};
  const auto result = laboratory.run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, GetParam().owner);
  EXPECT_EQ(result.error().code, GetParam().code);
  EXPECT_EQ(laboratory.kinds().back(), "evaluation_intended");
  EXPECT_THAT(laboratory.journal(), Not(Contains(HasSubstr("evaluation_failed"))));
  EXPECT_TRUE(laboratory.state().pending);
}

INSTANTIATE_TEST_SUITE_P(All, ReturnedAtOnce,
                         ::testing::Values(Returned{"Input", Fault::input_error, base::Owner::input, "request.refused"},
                                           Returned{"JudgeBug", Fault::judge_bug, base::Owner::internal, "judge.disk"},
                                           Returned{"OtherRequest", Fault::other_request, base::Owner::internal,
                                                    "control.other_request"}),
                         [](const ::testing::TestParamInfo<Returned>& one) { return one.param.name; });

// Returns the call in which the named evaluation is made.
int call_of(const std::string& part) {
  Laboratory laboratory(small_campaign());
  must(laboratory.run());
  const auto& requests = laboratory.evaluator().requests;
  const auto found = std::find_if(requests.begin(), requests.end(), [&](const task::EvaluationRequest& one) {
    return one.id.find(part) != std::string::npos;
  });
  EXPECT_NE(found, requests.end()) << part;
  return static_cast<int>(found - requests.begin());
}

class LyingJudge : public ::testing::TestWithParam<std::string> {};

TEST_P(LyingJudge, IsAnInternalErrorAndPromotesNothing) {
  Laboratory laboratory(small_campaign());
  laboratory.evaluator().faults[call_of(GetParam())] = Fault::lies;
  for (int run = 0; run < 2; ++run) {  // resuming does not help: the evidence stands
    const auto result = laboratory.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().owner, base::Owner::internal);
    EXPECT_EQ(result.error().code, "promote.disagreement");
    EXPECT_THAT(result.error().message, HasSubstr(GetParam()));
  }
  EXPECT_THAT(must(os::list_directory(laboratory.archive().spool())), ElementsAre(HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(All, LyingJudge, ::testing::Values("-2-gate-", "-sweep-", "-confirm-"),
                         [](const ::testing::TestParamInfo<std::string>& one) {
                           std::string name;
                           std::copy_if(one.param.begin(), one.param.end(), std::back_inserter(name),
                                        [](char c) { return c != '-'; });
                           return name;
                         });

}  // namespace
}  // namespace assay::control
