#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/control/sample_campaign.hpp>
#include <assay/control/state.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::must;

// A journal in the making, over the sample's four workloads.
class Journal {
 public:
  Journal& add(const Entry& entry) {
    auto [kind, body] = encode_entry(entry);
    events.push_back({static_cast<std::int64_t>(events.size()) + 1, std::move(kind), std::move(body), {}});
    return *this;
  }
  Journal& evaluate(Purpose purpose, int candidate, int incumbent, const Entry& result, int attempt = 1) {
    return add(EvaluationIntended{purpose, candidate, incumbent, attempt, "e" + std::to_string(candidate)}).add(result);
  }
  [[nodiscard]] CampaignState state() const { return must(fold(configuration, events)); }
  [[nodiscard]] std::string failure() const {
    const auto state = fold(configuration, events);
    EXPECT_FALSE(state);
    if (state) {
      return {};
    }
    EXPECT_EQ(state.error().owner, base::Owner::internal);
    return state.error().text();
  }

  CampaignConfiguration configuration = testing::sample_configuration();
  std::vector<archive::Event> events;
};

ProposedCandidate proposed(int number) {
  ProposedCandidate candidate;
  candidate.number = number;
  candidate.name = "s" + std::to_string(number);
  candidate.identity = {base::sha256(candidate.name), base::sha256(candidate.name)};
  return candidate;
}

promote::Decision decision(promote::Decision::Verdict verdict) {
  promote::Decision one;
  one.verdict = verdict;
  one.reasons = {"because"};
  return one;
}

constexpr auto kPromote = promote::Decision::Verdict::promote;
constexpr auto kKeep = promote::Decision::Verdict::keep_incumbent;

CandidateGated gated(int number, double mean, task::Outcome outcome = task::Outcome::better) {
  return {number, "e" + std::to_string(number), outcome, "gated", LogRatio{mean, mean - 0.1, mean + 0.1}};
}

CandidateSwept swept(int number, promote::Decision::Verdict verdict) {
  return {number, "e" + std::to_string(number), task::Outcome::better, "swept", decision(verdict)};
}

Journal measured() {
  Journal journal;
  journal.add(CampaignStarted{});
  journal.evaluate(Purpose::baseline, 0, 0, BaselineMeasured{"e0", {1, 2, 3, 4}, {{"all", {0, 1, 2, 3}, 3, 1.0}}});
  return journal;
}

Journal with_two_candidates() {
  Journal journal = measured();
  journal.add(CandidatesProposed{0, "supplied", {proposed(1), proposed(2)}});
  return journal;
}

TEST(Fold, OfNothingIsTheBeginning) {
  const CampaignState state = Journal().state();
  EXPECT_EQ(state.phase, Phase::baseline);
  EXPECT_EQ(state.last_sequence, 0);
}

TEST(Fold, TakesTheBaselinesLatenciesAndRegimes) {
  const CampaignState state = measured().state();
  EXPECT_EQ(state.phase, Phase::searching);
  EXPECT_EQ(state.last_sequence, 3);
  EXPECT_THAT(state.baseline_ns, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(state.regimes.front().representative, 3U);
  EXPECT_EQ(state.baseline_evaluation, "e0");
}

TEST(Fold, KeepsAnIntentUntilItsResult) {
  Journal journal = with_two_candidates();
  journal.add(EvaluationIntended{Purpose::gate, 1, 0, 1, "e1"});
  ASSERT_TRUE(journal.state().pending);
  EXPECT_EQ(journal.state().pending->evaluation, "e1");
  journal.add(EvaluationFailed{"e1", "judge.died", "x"});
  EXPECT_FALSE(journal.state().pending);
  EXPECT_EQ(journal.state().failed_attempts, 1);
  EXPECT_FALSE(journal.state().candidate(1).outcome);
  journal.add(EvaluationIntended{Purpose::gate, 1, 0, 2, "e1"}).add(gated(1, -0.5));
  EXPECT_EQ(journal.state().failed_attempts, 0);
  EXPECT_EQ(journal.state().candidate(1).outcome, task::Outcome::better);
}

TEST(Fold, ChainsAGateOverTheIncumbentOfItsTime) {
  Journal journal = with_two_candidates();
  journal.evaluate(Purpose::gate, 1, 0, gated(1, -0.5)).evaluate(Purpose::sweep, 1, 0, swept(1, kPromote));
  EXPECT_EQ(journal.state().awaiting, 1);
  EXPECT_EQ(journal.state().phase, Phase::searching);  // the policy answers
  journal.add(CandidatePromoted{1, "policy quick", "because"});
  journal.evaluate(Purpose::gate, 2, 1, gated(2, -0.2));
  const CampaignState state = journal.state();
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_DOUBLE_EQ(*state.candidate(1).log_ratio_to_baseline, -0.5);
  EXPECT_DOUBLE_EQ(*state.candidate(2).log_ratio_to_baseline, -0.7);
  EXPECT_DOUBLE_EQ(*state.candidate(2).log_ratio_to_baseline_lower, -0.9);
  EXPECT_DOUBLE_EQ(*state.candidate(2).log_ratio_to_baseline_upper, -0.5);
}

TEST(Fold, RecognisesDuplicatesFromTheProposals) {
  Journal journal = measured();
  ProposedCandidate copy = proposed(2);
  copy.duplicate = Duplicate{1, Sameness::content};
  journal.add(CandidatesProposed{1, "tuner", {proposed(1), copy}});
  const CampaignState state = journal.state();
  EXPECT_EQ(state.rounds_started, 1);
  EXPECT_FALSE(state.candidate(1).outcome);
  EXPECT_EQ(state.candidate(2).outcome, task::Outcome::duplicate);
  EXPECT_EQ(state.candidate(2).duplicate_of, 1);
  EXPECT_THAT(state.candidate(2).cause, HasSubstr("candidate 1"));
}

TEST(Fold, EndsWithTheConfirmation) {
  Journal journal = with_two_candidates();
  journal.evaluate(Purpose::gate, 1, 0, gated(1, -0.5)).evaluate(Purpose::sweep, 1, 0, swept(1, kPromote));
  journal.add(CandidatePromoted{1, "policy quick", "because"});
  journal.add(EvaluationIntended{Purpose::confirmation, 1, 0, 1, "e1"});
  EXPECT_EQ(journal.state().phase, Phase::confirming);
  journal.add(CampaignConfirmed{1, "e1", task::Outcome::indistinguishable, "", decision(kKeep)});
  EXPECT_EQ(journal.state().phase, Phase::confirming);
  journal.add(CampaignFinished{1});
  const CampaignState state = journal.state();
  EXPECT_EQ(state.phase, Phase::finished);
  // Journals of before demotions end so: what the confirmation says is reported, whatever it is.
  EXPECT_EQ(state.confirmation->verdict, kKeep);
  EXPECT_EQ(state.incumbent, 1);
}

// Two promotions; the second is confirmed in vain.
Journal with_a_failed_confirmation() {
  Journal journal = with_two_candidates();
  for (const int number : {1, 2}) {
    journal.evaluate(Purpose::gate, number, number - 1, gated(number, -0.5));
    journal.evaluate(Purpose::sweep, number, number - 1, swept(number, kPromote));
    journal.add(CandidatePromoted{number, "policy quick", "because"});
  }
  return journal.evaluate(Purpose::confirmation, 2, 0,
                          CampaignConfirmed{2, "e2", task::Outcome::crashed, "signal 11", decision(kKeep)});
}

TEST(Fold, DemotesToTheIncumbentBefore) {
  Journal journal = with_a_failed_confirmation().add(CandidateDemoted{2, 1, "crashed"});
  CampaignState state = journal.state();
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_THAT(state.reign, ElementsAre(1));
  EXPECT_FALSE(state.confirmation);
  EXPECT_EQ(state.confirmation_evaluation, "");
  EXPECT_TRUE(state.candidate(2).promoted) << "it was";
  EXPECT_EQ(state.candidate(2).demotion, "crashed");
  journal.evaluate(Purpose::confirmation, 1, 0,
                   CampaignConfirmed{1, "e1", task::Outcome::better, "", decision(kPromote)});
  state = journal.add(CampaignFinished{1}).state();
  EXPECT_EQ(state.confirmation_evaluation, "e1");
  ASSERT_EQ(state.confirmations.size(), 2U);
  EXPECT_FALSE(state.confirmations[0].holds());
  EXPECT_EQ(state.confirmations[0].cause, "signal 11");
  EXPECT_TRUE(state.confirmations[1].holds());
}

TEST(Fold, DemotesDownToTheBaseline) {
  Journal journal = with_a_failed_confirmation().add(CandidateDemoted{2, 1, "crashed"});
  journal.evaluate(Purpose::confirmation, 1, 0,
                   CampaignConfirmed{1, "e1", task::Outcome::not_better, "", decision(kKeep)});
  journal.add(CandidateDemoted{1, 0, "slower"});
  EXPECT_FALSE(journal.state().incumbent);
  const CampaignState state = journal.add(CampaignFinished{0}).state();
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.confirmation);
}

TEST(Fold, KeepsWhoWasOutrunByWhom) {
  Journal journal = with_two_candidates();
  journal.evaluate(Purpose::gate, 1, 0, gated(1, -0.5)).evaluate(Purpose::gate, 2, 0, gated(2, -0.2));
  EXPECT_DOUBLE_EQ(journal.state().candidate(2).gate_log_ratio->upper, -0.1);
  journal.evaluate(Purpose::sweep, 1, 0, swept(1, kKeep)).add(CandidateOutrun{2, 1, OutrunGround::cap, "no more"});
  const CampaignState state = journal.state();
  EXPECT_EQ(state.candidate(2).outrun->by, 1);
  EXPECT_EQ(state.candidate(2).outrun->ground, OutrunGround::cap);
  EXPECT_EQ(state.candidate(2).outcome, task::Outcome::better) << "its gate's verdict stays";
}

Journal with_an_injection(InjectionKind kind = InjectionKind::null, bool sweeps = false) {
  return with_two_candidates().add(InjectionMade{1, kind, 0, 0, sweeps, "copy", proposed(9).identity});
}

TEST(Fold, KeepsInjectionsApartFromCandidates) {
  Journal journal = with_an_injection(InjectionKind::null, true);
  journal.evaluate(Purpose::null_gate, 1, 0,
                   InjectionGated{1, "e1", task::Outcome::indistinguishable, "a tie", LogRatio{0, -1, 1}});
  journal.evaluate(Purpose::null_sweep, 1, 0,
                   InjectionSwept{1, "e1", task::Outcome::better, "faster", decision(kPromote)});
  CampaignState state = journal.state();
  EXPECT_FALSE(state.awaiting) << "it can never be promoted";
  EXPECT_TRUE(state.alarms().empty());
  state = journal.add(NullPromoted{1, "a copy won"}).state();
  EXPECT_THAT(state.alarms(), ElementsAre("a copy won"));
  EXPECT_FALSE(state.incumbent);
  EXPECT_EQ(state.candidates.size(), 2U);
  EXPECT_FALSE(state.candidate(1).outcome);
  EXPECT_EQ(state.injection(1).outcome, task::Outcome::better);
  EXPECT_FALSE(state.injection(1).passed_gate);
}

TEST(Fold, WaitsWhereAPersonApproves) {
  Journal journal = with_two_candidates();
  journal.configuration.policy.approval = promote::Approval::person;
  journal.evaluate(Purpose::gate, 1, 0, gated(1, -0.5)).evaluate(Purpose::sweep, 1, 0, swept(1, kPromote));
  EXPECT_EQ(journal.state().phase, Phase::awaiting_approval);
  Journal refused = journal;
  refused.add(CandidateRefused{1, "Ada", "no"});
  EXPECT_EQ(refused.state().phase, Phase::searching);
  EXPECT_FALSE(refused.state().incumbent);
  EXPECT_FALSE(refused.state().awaiting);
  // Meanwhile nothing else may happen.
  journal.add(EvaluationIntended{Purpose::gate, 2, 0, 1, "e2"});
  EXPECT_THAT(journal.failure(), HasSubstr("not due"));
}

struct Misfit {
  std::string name;
  Journal journal;
  std::string says;
};

std::vector<Misfit> misfits() {
  const Journal gate = with_two_candidates().evaluate(Purpose::gate, 1, 0, gated(1, -0.5));
  const Journal kept = Journal(gate).evaluate(Purpose::sweep, 1, 0, swept(1, kKeep));
  const Journal won = Journal(gate).evaluate(Purpose::sweep, 1, 0, swept(1, kPromote));
  const auto intend = [](Journal journal, Purpose purpose, int candidate, int incumbent = 0, int attempt = 1) {
    return journal.add(EvaluationIntended{purpose, candidate, incumbent, attempt, "e"});
  };
  Journal gap = measured();
  gap.events.back().sequence = 7;
  return {
      {"Headless", Journal().add(CampaignFinished{0}), "begins with campaign_started"},
      {"TwoHeads", measured().add(CampaignStarted{}), "one beginning"},
      {"Gap", gap, "the last one was 2"},
      {"TwoIntents", intend(intend(with_two_candidates(), Purpose::gate, 1), Purpose::gate, 2), "under way"},
      {"BaselineTwice", intend(measured(), Purpose::baseline, 0), "not due"},
      {"GateOfNobody", intend(measured(), Purpose::gate, 1), "not due"},
      {"GateTwice", intend(gate, Purpose::gate, 1), "not due"},
      {"SweepWithoutGate", intend(with_two_candidates(), Purpose::sweep, 1), "not due"},
      {"SweepTwice", intend(kept, Purpose::sweep, 1), "not due"},
      {"ConfirmNobody", intend(gate, Purpose::confirmation, 1), "not due"},
      {"OtherIncumbent", intend(with_two_candidates(), Purpose::gate, 1, 2), "another one"},
      {"OtherAttempt", intend(with_two_candidates(), Purpose::gate, 1, 0, 2), "attempt is out of order"},
      {"Unintended", with_two_candidates().add(gated(1, 0)), "nobody intended it"},
      {"OtherResult", with_two_candidates().evaluate(Purpose::gate, 1, 0, gated(2, 0)), "nobody intended it"},
      {"UnintendedFailure", measured().add(EvaluationFailed{"x", "", ""}), "nobody intended it"},
      {"FewLatencies",
       Journal()
           .add(CampaignStarted{})
           .evaluate(Purpose::baseline, 0, 0, BaselineMeasured{"e0", {1}, {{"a", {0}, 0, 1}}}),
       "one latency a workload"},
      {"NoLatency",
       Journal()
           .add(CampaignStarted{})
           .evaluate(Purpose::baseline, 0, 0, BaselineMeasured{"e0", {1, 2, 0, 4}, {{"a", {0}, 0, 1}}}),
       "not above 0"},
      {"NoSuchWorkload",
       Journal()
           .add(CampaignStarted{})
           .evaluate(Purpose::baseline, 0, 0, BaselineMeasured{"e0", {1, 2, 3, 4}, {{"a", {0}, 4, 1}}}),
       "no workload"},
      {"RoundSkipped", measured().add(CandidatesProposed{2, "t", {proposed(1)}}), "round is out of order"},
      {"SuppliedTwice", with_two_candidates().add(CandidatesProposed{0, "s", {proposed(3)}}), "round is out of order"},
      {"NumberSkipped", measured().add(CandidatesProposed{1, "t", {proposed(2)}}), "number is out of order"},
      {"PromotedUnasked", gate.events.empty() ? gate : Journal(gate).add(CandidatePromoted{1, "p", ""}),
       "does not wait"},
      {"OtherPromoted", Journal(won).add(CandidatePromoted{2, "p", ""}), "does not wait"},
      {"RoundDuringWait", Journal(won).add(CandidatesProposed{1, "t", {}}), "no round can begin"},
      {"EndsUnconfirmed", Journal(won).add(CandidatePromoted{1, "p", ""}).add(CampaignFinished{1}), "cannot end here"},
      {"EndsWithAnother", measured().add(CampaignFinished{1}), "another one"},
      {"OutrunUnraced", with_two_candidates().add(CandidateOutrun{1, 2, OutrunGround::cap, ""}), "in no race"},
      {"OutrunByNobody", Journal(gate).add(CandidateOutrun{1, 2, OutrunGround::cap, ""}),
       "not swept in the same round"},
      {"DemotedUnconfirmed", Journal(won).add(CandidatePromoted{1, "p", ""}).add(CandidateDemoted{1, 0, ""}),
       "not the incumbent that is confirmed"},
      {"DemotedToAnother", with_a_failed_confirmation().add(CandidateDemoted{2, 0, ""}), "the one before is another"},
      {"OtherDemoted", with_a_failed_confirmation().add(CandidateDemoted{1, 0, ""}), "not the incumbent"},
      {"InjectionSkipped", with_two_candidates().add(InjectionMade{2, InjectionKind::null, 0, 0, false, "c", {}}),
       "number is out of order"},
      {"InjectionOfNobody", with_two_candidates().add(InjectionMade{1, InjectionKind::null, 0, 1, false, "c", {}}),
       "neither the incumbent nor the baseline"},
      {"InjectionOfAnotherRound",
       with_two_candidates().add(InjectionMade{1, InjectionKind::null, 3, 0, false, "c", {}}), "its round is another"},
      {"NullUngated", intend(with_an_injection(InjectionKind::null, true), Purpose::null_sweep, 1), "not due"},
      {"NullAsLoser", intend(with_an_injection(), Purpose::slower_gate, 1), "not due"},
      {"LoserAsNull", intend(with_an_injection(InjectionKind::slower), Purpose::null_gate, 1), "not due"},
      {"NoInjection", intend(with_two_candidates(), Purpose::null_gate, 1), "not due"},
      {"AlarmForNothing", with_an_injection().add(NullPromoted{1, "w"}), "would have promoted it"},
      {"WarningBeforehand", with_an_injection().add(InjectionWarned{1, "w"}), "not judged"},
      {"EndsBeforeBaseline", Journal().add(CampaignStarted{}).add(CampaignFinished{0}), "cannot end here"},
  };
}

class MisfitJournal : public ::testing::TestWithParam<Misfit> {};

TEST_P(MisfitJournal, IsAnInternalErrorThatNamesTheEvent) {
  EXPECT_THAT(GetParam().journal.failure(),
              AllOf(HasSubstr("campaign scale-search: journal event"), HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(All, MisfitJournal, ::testing::ValuesIn(misfits()),
                         [](const ::testing::TestParamInfo<Misfit>& one) { return one.param.name; });

TEST(Fold, NamesTheCampaignOfAnUnreadableEvent) {
  Journal journal = measured();
  journal.events.push_back({4, "candidate_praised", "{}", {}});
  EXPECT_THAT(journal.failure(), AllOf(HasSubstr("candidate_praised"), HasSubstr("campaign scale-search")));
}

TEST(PhaseText, IsStable) {
  EXPECT_EQ(to_string(Phase::baseline), "baseline");
  EXPECT_EQ(to_string(Phase::searching), "searching");
  EXPECT_EQ(to_string(Phase::awaiting_approval), "awaiting_approval");
  EXPECT_EQ(to_string(Phase::confirming), "confirming");
  EXPECT_EQ(to_string(Phase::finished), "finished");
  EXPECT_EQ(to_string(Phase::failed), "failed");
}

}  // namespace
}  // namespace assay::control
