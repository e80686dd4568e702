#include <assay/cli/print_selftest.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

service::SelftestReport sample() {
  service::SelftestReport report;
  report.plan.corpora = {"tests/hostile", "tests/honest"};
  report.plan.definition.name = "gdn";
  report.plan.workloads.resize(2);
  report.plan.runs = 2;
  service::CorpusEntry hostile;
  hostile.name = "16-memo";
  hostile.expected = {task::Outcome::incorrect, task::Outcome::suspect};
  service::CorpusEntry honest;
  honest.name = "threads";
  honest.kind = service::EntryKind::honest;
  honest.expected = {task::Outcome::measured};
  report.plan.entries = {hostile, honest};
  const auto row = [](std::size_t entry, int run, std::optional<task::Outcome> outcome, bool agrees) {
    service::SelftestRow result;
    result.entry = entry;
    result.run = run;
    result.outcome = outcome;
    result.agrees = agrees;
    result.seconds = run;
    result.sandbox = "full";
    result.cause = "output[0] is 1\x1b[31m";
    result.seed = 77;
    return result;
  };
  report.rows = {row(0, 1, task::Outcome::incorrect, true), row(0, 2, task::Outcome::suspect, true),
                 row(1, 1, task::Outcome::measured, true), row(1, 2, task::Outcome::measured, true)};
  report.seconds = 75;
  return report;
}

TEST(PrintPlanTest, SaysWhatIsAboutToBeRun) {
  EXPECT_THAT(print_plan(sample().plan), AllOf(HasSubstr("1 hostile and 1 honest candidates, 2 times,"),
                                               HasSubstr("tests/hostile and tests/honest"),
                                               HasSubstr("2 small workloads of gdn"), HasSubstr("on cpu")));
}

TEST(PrintSelftestTest, OneLineAnEntryOverAllRuns) {
  const std::string text = print_selftest(sample(), report::Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("incorrect 1, suspect 1"), HasSubstr("incorrect or suspect"), HasSubstr("1.50"),
                          HasSubstr("full"), HasSubstr("all as stated"), HasSubstr("2 candidates, 4 evaluations")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(PrintSelftestTest, AblationTellsWhatTheProbeIsGoodFor) {
  service::SelftestReport report = sample();
  report.plan.ablate = true;
  report.plan.entries[0].probe = "poison";
  report.rows[0].ablation = service::Ablation{service::Effect::escapes, task::Outcome::measured, "correct"};
  EXPECT_THAT(print_selftest(report, report::Colour::off),
              AllOf(HasSubstr("without its probe"), HasSubstr("poison: escapes (measured): correct")));
}

TEST(PrintSelftestTest, WhatIsNotAsStatedIsToldInFull) {
  service::SelftestReport report = sample();
  report.rows[2].agrees = false;
  report.rows[2].outcome = std::nullopt;
  const std::string text = print_selftest(report, report::Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("1 not as stated"),
                          HasSubstr("honest threads (run 1, seed 77): no verdict, expected measured: output[0] is 1")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay::cli
