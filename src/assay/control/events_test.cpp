#include <assay/control/events.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/control/narration.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::must;
using ::testing::SizeIs;

promote::Decision decision() {
  promote::Decision one;
  one.verdict = promote::Decision::Verdict::promote;
  one.speedup = 1.25;
  one.speedup_lower = 1.2;
  one.reasons = {"faster"};
  return one;
}

task::CandidateIdentity identity(std::string_view text) { return {base::sha256(text), base::sha256("n")}; }

// One of each kind, every field set.
std::vector<Entry> samples() {
  CandidatesProposed proposed;
  proposed.round = 2;
  proposed.proposer = "tuner";
  proposed.candidates.push_back(
      {7, "blocked@B=8", identity("a"), {{"B", 8}, {"A", -1}}, {"all", "unknown", "B 4 -> 8", "faster"}, 3, {}});
  proposed.candidates.push_back({8, "copy", identity("b"), {}, {}, {}, Duplicate{7, Sameness::normalised}});
  return {
      CampaignStarted{},
      EvaluationIntended{Purpose::gate, 7, 3, 2, "c-7-gate-2"},
      EvaluationFailed{"c-7-gate-2", "judge.died", "the judge was killed"},
      BaselineMeasured{"c-0-measure-1", {1.5, 2.25}, {{"n 1..2", {0, 1}, 1, 1.0}}},
      BaselineFailed{"c-0-measure-1", task::Outcome::crashed, "signal 11"},
      proposed,
      CandidateGated{7, "c-7-gate-2", task::Outcome::better, "faster", LogRatio{-0.2, -0.3, -0.1}},
      CandidateSwept{7, "c-7-sweep-1", task::Outcome::better, "faster", decision()},
      CandidatePromoted{7, "policy quick", "faster"},
      CandidateRefused{7, "Ada", "no"},
      CampaignConfirmed{7, "c-7-confirm-1", task::Outcome::better, "faster", decision()},
      CampaignFinished{7},
      CandidateOutrun{7, 6, OutrunGround::cap, "one sweep a round"},
      CandidateDemoted{7, 3, "not confirmed"},
      InjectionMade{2, InjectionKind::slower, 4, 0, true, "copy", identity("c")},
      InjectionGated{2, "c-2-nullgate-1", task::Outcome::not_better, "slower", LogRatio{0.2, 0.1, 0.3}},
      InjectionSwept{2, "c-2-nullsweep-1", task::Outcome::better, "faster", decision()},
      NullPromoted{2, "a copy won"},
      InjectionWarned{2, "a loser was not seen"},
      AgentRunIntended{"c-run-1", "codex", {{500000, 20000, 0, 1200000, 0}}},
      AgentRunEnded{"c-run-1", agent::RunOutcome::quota, "no credit", "s1", "m1",
                    Actuals{{{Actual::Certainty::exact, 7}, {Actual::Certainty::at_least, 8}, {}, {}, {}}}},
      BudgetReached{"codex", "nothing is left"},
      HypothesisStated{4, "codex", {"n 1..2", "wider loads", "memory", "float4", {-0.2, -0.1}, "aligned", "sure"}},
      HypothesisTested{4,
                       7,
                       {"c-7-gate-2", "abc", 2, task::Outcome::not_better, task::MeasuredEffect{0.1, 0, 0.2},
                        task::HypothesisStatus::falsified, "no gain"}},
      EvidenceRecorded{{task::EvidenceKind::noise_floor, "all", 0.01, "", "c-7-gate-2", "abc"}},
      ArmChosen{3, "claude (opus)", "drawn gain"},
      RoundPlanned{{3, "c-run-2", {{7, 1, "cuda"}}, {{7, "all", "memory", "fewer loads", "vectorise", 1.25}}, {"one"}}},
      CandidatesSummarised{{"c-run-3",
                            8,
                            {{{7, agent::ClaimKind::speedup, "k.cu", "x", agent::ClaimAgainst::parent, 1.5},
                              agent::ClaimStatus::contradicted,
                              "measured 1.2x"}},
                            {"two"}}},
      SupervisorFound{3, supervise::Condition::plateau, supervise::Cause::noise_floor, supervise::Recovery::buy_repeats,
                      2, 7, "flat"},
      DecisionAsked{1, DecisionKind::spend, 3, 7, "dear", {Option::sweep, Option::skip}, Option::skip, 6},
      DecisionAnswered{1, Option::switch_model, "m2", "Ada", 90, "try it"},
      DecisionClosed{1, Closing::overtaken},
      PersonSteered{"k1", "Ada", 60, "look at the loads"},
      PersonTimeBooked{"Ada", "approve", 90},
      EvaluationUnaffordable{"c-7-gate-1", true, "nothing is left"},
      BudgetRaised{"Ada", Budget{{2'000'000, std::nullopt, 60'000, std::nullopt, std::nullopt}}},
  };
}

archive::Event event_of(const Entry& entry) {
  auto [kind, body] = encode_entry(entry);
  return {5, std::move(kind), std::move(body), {}};
}

TEST(Events, SurviveStorage) {
  ASSERT_THAT(samples(), SizeIs(std::variant_size_v<Entry>));
  for (const Entry& entry : samples()) {
    const archive::Event event = event_of(entry);
    const auto read = decode_entry(event);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->index(), entry.index());
    EXPECT_EQ(encode_entry(*read), encode_entry(entry));
  }
}

TEST(Events, HaveDifferentKinds) {
  std::set<std::string> kinds;
  for (const Entry& entry : samples()) {
    kinds.insert(encode_entry(entry).first);
  }
  EXPECT_THAT(kinds, SizeIs(std::variant_size_v<Entry>));
}

// These texts are in people's archives: a change here is a break, not a mistake of the test.
TEST(Events, KeepTheirPersistedForm) {
  const auto text = [](const Entry& entry) {
    const auto [kind, body] = encode_entry(entry);
    return kind + " " + body;
  };
  EXPECT_EQ(text(CampaignStarted{}), R"(campaign_started {"version":1})");
  EXPECT_EQ(
      text(EvaluationIntended{Purpose::confirmation, 7, 0, 1, "x"}),
      R"(evaluation_intended {"purpose":"confirmation","candidate":7,"incumbent":0,"attempt":1,"evaluation":"x"})");
  EXPECT_EQ(text(EvaluationFailed{"x", "a.b", "m"}),
            R"(evaluation_failed {"evaluation":"x","code":"a.b","message":"m"})");
  EXPECT_EQ(text(CandidateGated{7, "x", task::Outcome::crashed, "why", {}}),
            R"(candidate_gated {"candidate":7,"evaluation":"x","outcome":"crashed","cause":"why","log_ratio":null})");
  EXPECT_EQ(text(CandidateGated{7, "x", task::Outcome::duplicate, "why", {}, Duplicate{3, Sameness::machine_code}}),
            R"(candidate_gated {"candidate":7,"evaluation":"x","outcome":"duplicate","cause":"why","log_ratio":null,)"
            R"("duplicate":{"of":3,"sameness":"machine_code"}})");
  EXPECT_EQ(text(CandidatePromoted{7, "Ada", "fast"}), R"(candidate_promoted {"candidate":7,"by":"Ada","why":"fast"})");
  EXPECT_EQ(text(CampaignFinished{0}), R"(campaign_finished {"incumbent":0})");
  EXPECT_EQ(text(AgentRunIntended{"r", "codex", {{1, 2, 3, 4, 5}}}),
            R"(agent_run_intended {"run":"r","agent":"codex","most":{"micro_dollars":1,"tokens":2,"device_ms":3,)"
            R"("wall_ms":4,"human_seconds":5}})");
  EXPECT_EQ(text(BudgetReached{"codex", "w"}), R"(budget_reached {"agent":"codex","why":"w"})");
  EXPECT_EQ(text(SupervisorFound{3, supervise::Condition::diminishing_returns, supervise::Cause::none,
                                 supervise::Recovery::ask_person, 2, 7, "w"}),
            R"(supervisor_found {"round":3,"condition":"diminishing_returns","cause":"none","recovery":"ask_person",)"
            R"("since":2,"at":7,"evidence":"w"})");
  EXPECT_EQ(
      text(DecisionAsked{1, DecisionKind::search, 3, 0, "q", {Option::go_on, Option::restart_from}, Option::go_on, {}}),
      R"(decision_asked {"number":1,"kind":"search","round":3,"candidate":0,"question":"q",)"
      R"("options":["go_on","restart_from"],"otherwise":"go_on","deadline":null})");
  EXPECT_EQ(
      text(DecisionAnswered{1, Option::restart_from, "4", "Ada", 90, "w"}),
      R"(decision_answered {"decision":1,"option":"restart_from","value":"4","by":"Ada","seconds":90,"why":"w"})");
  EXPECT_EQ(text(DecisionClosed{1, Closing::deadline}), R"(decision_closed {"decision":1,"closing":"deadline"})");
  EXPECT_EQ(text(PersonSteered{"k", "Ada", 60, "t"}),
            R"(person_steered {"key":"k","by":"Ada","seconds":60,"text":"t"})");
  EXPECT_EQ(text(PersonTimeBooked{"Ada", "steer", 90}),
            R"(person_time_booked {"person":"Ada","what":"steer","seconds":90})");
  EXPECT_EQ(text(EvaluationUnaffordable{"x", false, "w"}),
            R"(evaluation_unaffordable {"evaluation":"x","of_search":false,"why":"w"})");
  EXPECT_EQ(text(BudgetRaised{"Ada", Budget{{1, {}, 3, {}, {}}}}),
            R"(budget_raised {"by":"Ada","limits":{"micro_dollars":1,"tokens":null,"device_ms":3,"wall_ms":null,)"
            R"("human_seconds":null}})");
  EXPECT_EQ(text(DecisionAnswered{1, Option::close_route, "2", "Ada", 0, "w"}),
            R"(decision_answered {"decision":1,"option":"close_route","value":"2","by":"Ada","seconds":0,"why":"w"})");
  EXPECT_EQ(
      text(RoundPlanned{{1, "r", {}, {{0, "all", "m", "n", "c", 1.5, "d"}}, {}}}),
      R"(round_planned {"round":1,"run":"r","offers":[],"hypotheses":[{"parent":0,"regime":"all",)"
      R"("limiting_resource":"m","mechanism":"n","change":"c","predicted_speedup":1.5,"differs":"d"}],"faults":[]})");
  const Amounts some{{1, 2, 3, 4, 5}};
  const std::string amounts = R"({"micro_dollars":1,"tokens":2,"device_ms":3,"wall_ms":4,"human_seconds":5})";
  EXPECT_EQ(
      text(EvaluationIntended{Purpose::gate, 7, 0, 1, "x", some}),
      R"(evaluation_intended {"purpose":"gate","candidate":7,"incumbent":0,"attempt":1,"evaluation":"x","most":)" +
          amounts + "}");
  EXPECT_EQ(text(EvaluationFailed{"x", "a.b", "m", some}),
            R"(evaluation_failed {"evaluation":"x","code":"a.b","message":"m","spent":)" + amounts + "}");
  EXPECT_EQ(text(BaselineFailed{"x", task::Outcome::crashed, "why", some}),
            R"(baseline_failed {"evaluation":"x","outcome":"crashed","cause":"why","spent":)" + amounts + "}");
  EXPECT_EQ(to_string(Purpose::baseline), "baseline");
  EXPECT_EQ(to_string(Purpose::sweep), "sweep");
  EXPECT_EQ(to_string(Sameness::content), "content");
  EXPECT_EQ(text(CandidateOutrun{2, 1, OutrunGround::bounds, "w"}),
            R"(candidate_outrun {"candidate":2,"by":1,"ground":"bounds","why":"w"})");
  EXPECT_EQ(text(CandidateDemoted{2, 0, "w"}), R"(candidate_demoted {"candidate":2,"to":0,"why":"w"})");
  EXPECT_EQ(text(InjectionGated{1, "x", task::Outcome::crashed, "why", {}}),
            R"(injection_gated {"injection":1,"evaluation":"x","outcome":"crashed","cause":"why","log_ratio":null})");
  EXPECT_EQ(text(NullPromoted{1, "w"}), R"(null_promoted {"injection":1,"why":"w"})");
  EXPECT_EQ(text(InjectionWarned{1, "w"}), R"(injection_warned {"injection":1,"why":"w"})");
  EXPECT_EQ(to_string(OutrunGround::cap), "cap");
  EXPECT_EQ(to_string(InjectionKind::null), "null");
  EXPECT_EQ(to_string(InjectionKind::slower), "slower");
  EXPECT_EQ(to_string(Purpose::null_gate), "null_gate");
  EXPECT_EQ(to_string(Purpose::null_sweep), "null_sweep");
  EXPECT_EQ(to_string(Purpose::slower_gate), "slower_gate");
}

TEST(Events, KeepInfiniteBounds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto read = must(decode_entry(
      event_of(CandidateGated{1, "x", task::Outcome::indistinguishable, "", LogRatio{0.5, -kInfinity, kInfinity}})));
  const auto& gated = std::get<CandidateGated>(read);
  EXPECT_EQ(gated.log_ratio->lower, -kInfinity);
  EXPECT_EQ(gated.log_ratio->upper, kInfinity);
}

TEST(Events, AGateThatFoundTheSameMachineCodeSaysWhose) {
  const auto read = must(decode_entry(
      event_of(CandidateGated{7, "x", task::Outcome::duplicate, "", {}, Duplicate{3, Sameness::machine_code}})));
  const auto& gated = std::get<CandidateGated>(read);
  ASSERT_TRUE(gated.duplicate);
  EXPECT_EQ(gated.duplicate->of, 3);
  EXPECT_EQ(gated.duplicate->sameness, Sameness::machine_code);
}

TEST(Events, ThatAreUnknownOrDamagedAreRefusedByTheirPlace) {
  const auto failure = [](const std::string& kind, const std::string& body) {
    const auto read = decode_entry({9, kind, body, {}});
    EXPECT_FALSE(read) << kind << " " << body;
    return read ? base::Error{} : read.error();
  };
  const base::Error unknown = failure("candidate_praised", "{}");
  EXPECT_EQ(unknown.owner, base::Owner::internal);
  EXPECT_THAT(unknown.message, AllOf(HasSubstr("event 9 (candidate_praised)"), HasSubstr("not known")));
  EXPECT_THAT(failure("campaign_started", R"({"version":2})").message, HasSubstr("/version: is 2"));
  EXPECT_THAT(failure("campaign_finished", "{").message, HasSubstr("event 9"));
  EXPECT_THAT(failure("campaign_finished", "{}").message, HasSubstr("/incumbent: is missing"));
  EXPECT_THAT(failure("campaign_finished", R"({"incumbent":0,"x":1})").message, HasSubstr("/x"));
  EXPECT_THAT(failure("campaign_finished", R"({"incumbent":-1})").message, HasSubstr("/incumbent"));
  EXPECT_THAT(failure("candidate_promoted", R"({"candidate":0,"by":"a","why":""})").message, HasSubstr("/candidate"));
  EXPECT_THAT(failure("candidate_promoted", R"({"candidate":1,"by":"","why":""})").message, HasSubstr("/by"));
}

TEST(Events, RefuseEveryMissingField) {
  for (const Entry& entry : samples()) {
    const auto [kind, body] = encode_entry(entry);
    const base::Json json = must(base::parse_json(body, "body"));
    for (const auto& [field, value] : json.items()) {
      base::Json damaged = json;
      damaged.erase(field);
      EXPECT_FALSE(decode_entry({1, kind, base::dump_compact(damaged), {}})) << kind << " without " << field;
    }
  }
}

TEST(Narration, SaysWhatAPersonWantsToKnow) {
  CampaignState state;
  state.candidates.resize(8);
  for (std::size_t i = 0; i < state.candidates.size(); ++i) {
    state.candidates[i].number = static_cast<int>(i) + 1;
    state.candidates[i].name = "s" + std::to_string(i + 1);
  }
  state.failure = "the baseline is crashed: signal 11";
  std::vector<std::string> lines;
  for (const Entry& entry : samples()) {
    lines.push_back(narrate(entry, state));
  }
  EXPECT_EQ(lines[1], "gate of candidate 7 (s7), attempt 2");
  EXPECT_EQ(lines[2], "c-7-gate-2 could not be made: the judge was killed");
  EXPECT_EQ(lines[4], "the baseline is crashed: signal 11");
  EXPECT_EQ(lines[5], "round 2: 2 candidates from tuner, 1 of them duplicates");
  EXPECT_EQ(lines[6], "candidate 7 (s7): better, 1.221x [1.105, 1.350]");
  EXPECT_EQ(lines[7], "candidate 7 (s7), swept: faster");
  EXPECT_EQ(lines[9], "candidate 7 (s7) was refused by Ada");
  EXPECT_EQ(lines[12], "candidate 7 (s7) is not swept: one sweep a round");
  EXPECT_EQ(lines[13], "candidate 7 (s7) is demoted, not confirmed; candidate 3 (s3) is the incumbent again");
  EXPECT_EQ(lines[14], "injection 2: the baseline, which must lose");
  EXPECT_EQ(lines[15], "injection 2: not_better, 0.819x [0.741, 0.905]");
  EXPECT_EQ(lines[16], "injection 2, swept: faster");
  EXPECT_EQ(lines[17], "ALARM: a copy won");
  EXPECT_EQ(lines[18], "warning: a loser was not seen");
  EXPECT_EQ(narrate(InjectionMade{1, InjectionKind::null, 1, 7, true, "copy", {}}, state),
            "injection 1: a copy of candidate 7 (s7), which must not win");
  EXPECT_EQ(narrate(EvaluationIntended{Purpose::null_sweep, 2, 0, 2, "x"}, state), "sweep of injection 2, attempt 2");
  EXPECT_EQ(narrate(CampaignFinished{0}, state), "finished: the incumbent is the baseline");
  EXPECT_EQ(narrate(CandidatesProposed{3, "tuner", {}}, state), "round 3: tuner has nothing left to try");
  EXPECT_EQ(narrate(CandidateGated{2, "x", task::Outcome::crashed, "signal 11", {}}, state),
            "candidate 2 (s2): crashed: signal 11");
}

}  // namespace
}  // namespace assay::control
