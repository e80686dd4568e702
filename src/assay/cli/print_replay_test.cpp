#include <assay/cli/print_replay.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(PrintReplay, TellsWhatWasDecidedAndWhatWasTaken) {
  control::JournalReplay replay;
  replay.campaign = "tune";
  replay.events = 5;
  replay.reproduced = 5;
  replay.decided = {{"candidate_gated", 2}, {"candidate_swept", 1}};
  replay.taken = {{"agent_run_ended", 1}};
  EXPECT_THAT(print_journal_replay(replay),
              AllOf(HasSubstr("5 of 5 events"), HasSubstr("2 candidate_gated, 1 candidate_swept"),
                    HasSubstr("1 agent_run_ended"), Not(HasSubstr("differs"))));
}

TEST(PrintReplay, ShowsBothEntriesWhereTheyPart) {
  control::JournalReplay replay;
  replay.campaign = "tune";
  replay.difference =
      control::JournalDifference{7, "candidate_gated", "{\"a\":1}", "candidate_gated {\"a\":2}", "why\x1b"};
  EXPECT_THAT(print_journal_replay(replay), AllOf(HasSubstr("event 7 differs"), HasSubstr("{\"a\":1}"),
                                                  HasSubstr("{\"a\":2}"), Not(HasSubstr("\x1b"))));
  replay.difference->other.clear();
  EXPECT_THAT(print_journal_replay(replay), HasSubstr("anew      nothing"));
}

TEST(PrintReplay, ListsOnlyWhatIsOtherwiseAndWhatNobodyMeasured) {
  control::PolicyReplay replay;
  replay.campaign = "tune";
  replay.policy = "strict";
  replay.recorded_policy = "quick";
  replay.decisions = {{3, "c-1-gate-1", "gate", "candidate 1 (same)", "better", "better", ""},
                      {5, "c-2-gate-1", "gate", "candidate 2 (fallen)", "better", "not_better", ""},
                      {7, "c-3-gate-1", "gate", "candidate 3 (open)", "better", "", "a pair more"}};
  replay.candidates = {{1, "same", "better", "better"}, {2, "fallen", "better, promoted", "not_better"}};
  replay.recorded_incumbent = "fallen";
  replay.incumbent = "plain (baseline)";
  replay.stopped = "c-3-gate-1 would need a pair more";
  const std::string text = print_policy_replay(replay, report::Colour::off);
  EXPECT_THAT(text,
              AllOf(HasSubstr("Of 3 decisions"), HasSubstr("1 would be the same"), HasSubstr("candidate 2 (fallen)"),
                    HasSubstr("not measured: a pair more"), Not(HasSubstr("candidate 1 (same)"))));
  EXPECT_THAT(text, AllOf(HasSubstr("1 of 2 candidates would fare otherwise"),
                          HasSubstr("The incumbent is fallen, and would be plain (baseline)"),
                          HasSubstr("followed no further")));
  replay.stopped.reset();
  EXPECT_THAT(print_policy_replay(replay, report::Colour::off), Not(HasSubstr("followed no further")));
}

}  // namespace
}  // namespace assay::cli
