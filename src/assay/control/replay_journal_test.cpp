// A journal that was not touched is decided again to the same bytes; one that was is found at the first entry that a
// controller would not have written.
#include <assay/control/replay_journal.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include <assay/archive/sample_bundle.hpp>
#include <assay/base/digest.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Laboratory;
using testing::must;

CampaignConfiguration with_all_kinds() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.baseline = testing::sample_solution("plain", "y = 2 * x;\n// losing speed: 0.5\n");
  configuration.supplied = {
      testing::sample_solution("decent", "y = d(x);\n// speed: 0.78\n"),
      testing::sample_solution("outrun", "y = o(x);\n// speed: 0.9\n"),
      testing::sample_solution("no-build", "syntax error\n// outcome: not_built\n"),
      testing::sample_solution("fragile", "y = f(x);\n// speed: 0.5\n// copied speed: 0.3\n// confirm: incorrect\n")};
  configuration.rounds = 1;
  configuration.policy.sweeps_per_round = 2;
  configuration.policy.injections = {.null_rate = 1, .null_sweep_share = 0, .slower_rate = 1};
  return configuration;
}

JournalReplay replayed(Laboratory& laboratory) {
  const auto scratch = must(os::TemporaryDirectory::create(::testing::TempDir(), "assay-replay-"));
  return must(replay_journal(laboratory.archive(), "scale-search", scratch.path()));
}

TEST(ReplayJournal, AWholeCampaignIsDecidedAgainToTheSameBytes) {
  for (const CampaignConfiguration& configuration : {testing::sample_configuration(), with_all_kinds()}) {
    Laboratory laboratory(configuration);
    must(laboratory.run());
    const JournalReplay replay = replayed(laboratory);
    ASSERT_FALSE(replay.difference) << replay.difference->sequence << ": " << replay.difference->why << "\n"
                                    << replay.difference->recorded << "\n"
                                    << replay.difference->other;
    EXPECT_EQ(replay.reproduced, replay.events);
    EXPECT_EQ(replay.events, static_cast<std::int64_t>(laboratory.journal().size()));
    EXPECT_THAT(replay.taken, IsEmpty()) << "nothing came from outside";
    EXPECT_GE(replay.decided.at("candidate_gated"), 3);
    EXPECT_EQ(replay.decided.at("candidates_proposed"), configuration.rounds + 1);
  }
}

TEST(ReplayJournal, ACampaignThatIsUnderWayIsReplayedAsFarAsItIs) {
  const std::size_t events = [] {
    Laboratory laboratory(with_all_kinds());
    must(laboratory.run());
    return laboratory.journal().size();
  }();
  for (const std::size_t stop : {std::size_t{3}, events / 3, events / 2, events - 1}) {
    SCOPED_TRACE(stop);
    Laboratory laboratory(with_all_kinds());
    std::size_t seen = 0;
    const Observer observer{[&](const CampaignState&, const std::string&) {
      if (++seen == stop) {
        throw testing::Killed();
      }
    }};
    EXPECT_THROW(static_cast<void>(laboratory.run(observer)), testing::Killed);
    const JournalReplay replay = replayed(laboratory);
    EXPECT_FALSE(replay.difference) << replay.difference->why;
    // What lands in one transaction with the event that was the last to be heard of is there too.
    EXPECT_GE(replay.reproduced, static_cast<std::int64_t>(stop));
    EXPECT_EQ(replay.reproduced, static_cast<std::int64_t>(laboratory.journal().size()));
  }
}

TEST(ReplayJournal, WhatCameFromOutsideIsTakenAsItIsWritten) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.approval = promote::Approval::person;
  configuration.supplied = {testing::sample_solution("a", "a\n// speed: 0.9\n")};
  configuration.rounds = 0;
  Laboratory laboratory(configuration);
  laboratory.evaluator().faults = {{1, testing::Fault::environment_error}};
  must(laboratory.run());
  must(approve(laboratory.archive(), "scale-search", true, "Ada", "read it", 60));
  must(laboratory.run());
  const JournalReplay replay = replayed(laboratory);
  ASSERT_FALSE(replay.difference) << replay.difference->why;
  EXPECT_EQ(replay.reproduced, replay.events);
  EXPECT_EQ(replay.taken.at("person_time_booked"), 1);
  EXPECT_EQ(replay.taken.at("candidate_promoted"), 1);
  EXPECT_EQ(replay.taken.at("evaluation_failed"), 1);
}

// Two agents that state hypotheses; one run a round, given by the journal. Or one run that goes on over all rounds.
class StatingAgents final : public agent::Proposer {
 public:
  explicit StatingAgents(bool goes_on) : goes_on_(goes_on) {}
  [[nodiscard]] std::string name() const override { return "agents"; }
  [[nodiscard]] bool is_running() const override { return goes_on_ && !id_.empty(); }
  void attend(const agent::Situation& /*situation*/, agent::RunJournal& journal) override { journal_ = &journal; }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history, int /*count*/) override {
    if (id_.empty()) {
      const std::vector<std::string> arms = {"codex", "claude"};
      ASSAY_TRY_ASSIGN(const std::size_t arm, journal_->choose(arms));
      ASSAY_TRY_ASSIGN(id_, journal_->intend({arms[arm], {{}, 0.0001}, {}}));
    }
    agent::Proposal one;
    const std::string text = std::to_string(history.size());
    one.solution = testing::sample_solution("s" + text, "y = " + text + ";\n// speed: 1.3" + text + "\n");
    one.hypothesis.change = "change " + text;
    one.stated.emplace();
    one.stated->mechanism = std::array{"wider loads", "fewer barriers", "less shared memory"}.at(history.size());
    one.stated->change = one.hypothesis.change;
    if (!goes_on_ || history.size() == 2) {
      agent::RunEnding ending;
      ending.id = std::exchange(id_, "");
      ending.outcome = agent::RunOutcome::finished;
      ending.spend = {agent::Certainty::exact, {{}, 0.00004}};
      ASSAY_TRY(journal_->end(ending));
    }
    return std::vector{one};
  }

 private:
  bool goes_on_;
  std::string id_;
  agent::RunJournal* journal_ = nullptr;
};

TEST(ReplayJournal, OfAgentsItDecidesWhoRanAndWhatTheirHypothesesCameTo) {
  for (const bool goes_on : {false, true}) {
    SCOPED_TRACE(goes_on);
    CampaignConfiguration configuration = testing::sample_configuration();
    configuration.supplied.clear();
    configuration.rounds = 3;
    configuration.candidates_per_round = 1;
    configuration.agent.emplace();
    configuration.agent->word = "codex";
    configuration.agent->others = {{"claude", "", std::nullopt}};
    configuration.agent->micro_dollars_per_run = 100;
    Laboratory laboratory(configuration);
    StatingAgents agents(goes_on);
    must(run_campaign(laboratory.archive(), "scale-search", laboratory.evaluator(), agents, {}));
    const JournalReplay replay = replayed(laboratory);
    ASSERT_FALSE(replay.difference) << replay.difference->why << "\n" << replay.difference->other;
    EXPECT_EQ(replay.reproduced, replay.events);
    EXPECT_EQ(replay.decided.at("hypothesis_stated"), 3);
    EXPECT_EQ(replay.decided.at("hypothesis_tested"), 3);
    EXPECT_EQ(replay.decided.at("arm_chosen"), goes_on ? 1 : 3);
    EXPECT_EQ(replay.taken.at("agent_run_ended"), goes_on ? 1 : 3);
    const auto done =
        archive::open_raw(laboratory.archive().root())
            .script("UPDATE events SET body = replace(body, 'codex', 'claude') WHERE kind = 'arm_chosen'");
    ASSERT_TRUE(done) << done.error().text();
    const JournalReplay tampered = replayed(laboratory);
    ASSERT_TRUE(tampered.difference);
    EXPECT_EQ(tampered.difference->kind, "arm_chosen") << "the first run is the first agent's";
  }
}

TEST(ReplayJournal, JournalsOfBeforeDidNotSayWhatEvaluationsCost) {
  Laboratory laboratory(testing::sample_configuration());
  must(laboratory.run());
  const auto done =
      archive::open_raw(laboratory.archive().root()).script("UPDATE events SET body = json_remove(body, '$.spent')");
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_THAT(laboratory.journal().at(2), ::testing::Not(HasSubstr("spent")));
  const JournalReplay replay = replayed(laboratory);
  EXPECT_FALSE(replay.difference) << replay.difference->why;
}

// One change of one entry, and what has to be said of it.
struct Tampered {
  const char* name;
  const char* kind;
  const char* script;
  const char* mentioned;
};

void PrintTo(const Tampered& one, std::ostream* out) { *out << one.name; }

class TamperedJournal : public ::testing::TestWithParam<Tampered> {};

TEST_P(TamperedJournal, IsFoundAtItsFirstEntryThatNoControllerWouldWrite) {
  Laboratory laboratory(with_all_kinds());
  must(laboratory.run());
  const auto before = must(laboratory.archive().events("scale-search"));
  const auto done = archive::open_raw(laboratory.archive().root()).script(GetParam().script);
  ASSERT_TRUE(done) << done.error().text();
  std::int64_t changed = 0;
  for (const archive::Event& event : must(laboratory.archive().events("scale-search"))) {
    const bool same = event.body == before.at(static_cast<std::size_t>(event.sequence) - 1).body;
    if (!same && changed == 0) {
      changed = event.sequence;
    }
  }
  ASSERT_NE(changed, 0) << "the script changed nothing";
  const JournalReplay replay = replayed(laboratory);
  ASSERT_TRUE(replay.difference);
  EXPECT_EQ(replay.difference->sequence, changed);
  EXPECT_EQ(replay.difference->kind, GetParam().kind);
  EXPECT_EQ(replay.reproduced, changed - 1);
  EXPECT_THAT(replay.difference->recorded + replay.difference->other + replay.difference->why,
              HasSubstr(GetParam().mentioned));
}

#define FIRST_OF(kind) "WHERE sequence = (SELECT min(sequence) FROM events WHERE kind = '" kind "')"

INSTANTIATE_TEST_SUITE_P(
    All, TamperedJournal,
    ::testing::Values(
        Tampered{"Latency", "baseline_measured",
                 "UPDATE events SET body = json_set(body, '$.baseline_ns[0]', 1.5) " FIRST_OF("baseline_measured"),
                 "1.5"},
        Tampered{"LogRatio", "candidate_gated",
                 "UPDATE events SET body = json_set(body, '$.log_ratio.mean', -0.7) " FIRST_OF("candidate_gated"),
                 "-0.7"},
        Tampered{"Outcome", "candidate_gated",
                 "UPDATE events SET body = json_set(body, '$.outcome', 'incorrect') " FIRST_OF("candidate_gated"),
                 "incorrect"},
        Tampered{"Cost", "candidate_gated",
                 "UPDATE events SET body = json_set(body, '$.spent.device_ms', 0) " FIRST_OF("candidate_gated"),
                 "device_ms"},
        Tampered{"Race", "candidate_outrun",
                 "UPDATE events SET body = json_set(body, '$.why', 'I say so') " FIRST_OF("candidate_outrun"),
                 "I say so"},
        Tampered{"Verdict", "candidate_swept",
                 "UPDATE events SET body = json_set(body, '$.decision.speedup', 9.5) " FIRST_OF("candidate_swept"),
                 "9.5"},
        Tampered{"Approver", "candidate_promoted",
                 "UPDATE events SET body = json_set(body, '$.by', 'Eve') " FIRST_OF("candidate_promoted"), "Eve"},
        Tampered{"Tuner", "candidates_proposed",
                 "UPDATE events SET body = json_set(body, '$.candidates[0].parameters.BLOCK', 99) WHERE sequence = "
                 "(SELECT max(sequence) FROM events WHERE kind = 'candidates_proposed')",
                 "99"},
        Tampered{"Draw", "injection_made",
                 "UPDATE events SET body = json_set(body, '$.sweeps', json('true')) " FIRST_OF("injection_made"),
                 "sweeps"},
        Tampered{"Demotion", "candidate_demoted",
                 "UPDATE events SET body = json_set(body, '$.why', 'a whim') " FIRST_OF("candidate_demoted"), "a whim"},
        Tampered{"UnknownField", "campaign_confirmed",
                 "UPDATE events SET body = json_set(body, '$.extra', 1) " FIRST_OF("campaign_confirmed"),
                 "has no end of it"}),
    [](const ::testing::TestParamInfo<Tampered>& one) { return std::string(one.param.name); });

TEST(ReplayJournal, AnEntryThatWasLeftOutIsMissed) {
  Laboratory laboratory(with_all_kinds());
  must(laboratory.run());
  const auto kinds = laboratory.kinds();
  const auto at = std::find(kinds.begin(), kinds.end(), "candidate_outrun") - kinds.begin() + 1;
  const auto done = archive::open_raw(laboratory.archive().root())
                        .script(fmt::format("DELETE FROM decisions; DELETE FROM events WHERE sequence = {0}; "
                                            "UPDATE events SET sequence = sequence - 1 WHERE sequence > {0}",
                                            at));
  ASSERT_TRUE(done) << done.error().text();
  const JournalReplay replay = replayed(laboratory);
  ASSERT_TRUE(replay.difference);
  EXPECT_EQ(replay.difference->sequence, at);
  EXPECT_THAT(replay.difference->other, HasSubstr("candidate_outrun"));
}

TEST(ReplayJournal, WhoSaysThatSamplesAreOtherwiseIsToldByTheirDigest) {
  Laboratory laboratory(testing::sample_configuration());
  must(laboratory.run());
  const auto summary = must(laboratory.archive().evaluations("scale-search", "")).back();
  const std::string samples = must(laboratory.archive().bundle_file(summary.id, "samples.json"));
  const os::Path file = archive::blob_path(laboratory.archive().root(), base::sha256(samples).hex());
  std::error_code ignored;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all, ignored);
  must(os::write_file_atomic(file, samples + " "));
  const JournalReplay replay = replayed(laboratory);
  ASSERT_TRUE(replay.difference);
  EXPECT_THAT(replay.difference->why, HasSubstr(summary.id));
}

TEST(ReplayJournal, ChangesNothingInTheArchive) {
  Laboratory laboratory(testing::sample_configuration());
  must(laboratory.run());
  const auto before = laboratory.journal();
  static_cast<void>(replayed(laboratory));
  EXPECT_EQ(laboratory.journal(), before);
  EXPECT_THAT(must(laboratory.archive().verify()).problems, IsEmpty());
  EXPECT_EQ(must(laboratory.archive().campaigns()).size(), 1U);
}

TEST(ReplayJournal, TellsAllAsJson) {
  JournalReplay replay;
  replay.campaign = "c";
  replay.events = 3;
  replay.reproduced = 1;
  replay.decided = {{"campaign_started", 1}};
  replay.difference = JournalDifference{2, "candidate_gated", "{}", "x {}", "because"};
  const base::Json json = encode(replay);
  EXPECT_EQ(json["difference"]["sequence"], 2);
  EXPECT_EQ(json["decided"]["campaign_started"], 1);
  replay.difference.reset();
  EXPECT_TRUE(encode(replay)["difference"].is_null());
}

TEST(ReplayJournal, OfACampaignThatDoesNotExistIsAnInputError) {
  Laboratory laboratory(testing::sample_configuration());
  const auto scratch = must(os::TemporaryDirectory::create(::testing::TempDir(), "assay-replay-"));
  EXPECT_EQ(replay_journal(laboratory.archive(), "nowhere", scratch.path()).error().code, "campaign.not_found");
}

// As an Assay of before memory wrote it: the same journal without its evidence.
TEST(ReplayJournal, AJournalOfBeforeEvidenceIsReplayedWithoutAndSaysSo) {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.sweep.self_comparison = true;
  configuration.policy.gate.self_comparison = true;
  Laboratory laboratory(configuration);
  must(laboratory.run());
  EXPECT_TRUE(replayed(laboratory).note.empty());
  std::string script = "DELETE FROM decisions; DELETE FROM events WHERE kind = 'evidence_recorded'; ";
  std::size_t kept = 0;
  const auto kinds = laboratory.kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != EvidenceRecorded::kKind) {
      script += fmt::format("UPDATE events SET sequence = {} WHERE sequence = {}; ", ++kept, i + 1);
    }
  }
  ASSERT_LT(kept, kinds.size()) << "else there is nothing to leave out";
  const auto done = archive::open_raw(laboratory.archive().root()).script(script);
  ASSERT_TRUE(done) << done.error().text();
  const JournalReplay replay = replayed(laboratory);
  EXPECT_FALSE(replay.difference) << replay.difference->why << replay.difference->other;
  EXPECT_EQ(replay.reproduced, replay.events);
  EXPECT_THAT(replay.note, HasSubstr("before evidence was recorded"));
  EXPECT_EQ(encode(replay)["note"], replay.note);
}

}  // namespace
}  // namespace assay::control
