#include <assay/cli/print_evaluation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/cli/print_comparison.hpp>

namespace assay::cli {
namespace {

using report::Colour;
using testing::HasSubstr;
using testing::Not;

service::EvaluateReport verdict(task::Outcome outcome) {
  service::EvaluateReport report;
  report.archive = "here";
  report.request.candidate.name = "mine";
  report.request.incumbent = task::Solution{};
  report.request.incumbent->name = "plain";
  report.request.plan.alpha = 0.05;
  task::Workload workload;
  workload.uuid = "901e5104-dccb";
  workload.axes = {{"batch_size", 4}};
  report.request.workloads = {workload};
  report.evaluation.id = "e-1";
  report.evaluation.device = "cpu";
  report.evaluation.outcome = outcome;
  report.evaluation.cause = "because of that";
  report.evaluation.candidate.content = base::sha256("mine");
  return report;
}

void compare(service::EvaluateReport& report, double speedup, double lower, double upper) {
  task::Comparison comparison;
  comparison.pairs = 3;
  comparison.log_ratio = -std::log(speedup);
  comparison.log_ratio_lower = -std::log(upper);
  comparison.log_ratio_upper = -std::log(lower);
  report.evaluation.comparison = comparison;
  task::WorkloadTiming timing;
  timing.uuid = "901e5104-dccb";
  timing.axes = {{"batch_size", 4}};
  timing.candidate_ns = 12340;
  timing.incumbent_ns = 22700;
  timing.log_ratio = comparison.log_ratio;
  timing.log_ratio_lower = comparison.log_ratio_lower;
  timing.log_ratio_upper = comparison.log_ratio_upper;
  report.evaluation.timings = {timing};
}

TEST(ComparisonSentenceTest, FasterSlowerAndNeither) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  EXPECT_EQ(comparison_sentence(report), "");
  compare(report, 1.84, 1.79, 1.90);
  EXPECT_EQ(comparison_sentence(report), "1.84x faster than plain (95 % interval 1.79–1.90 over 3 process pairs)");
  compare(report, 0.5, 0.4, 0.8);
  EXPECT_EQ(comparison_sentence(report), "2.00x slower than plain (95 % interval 1.25–2.50 over 3 process pairs)");
  compare(report, 1.01, 0.95, 1.07);
  EXPECT_EQ(comparison_sentence(report), "1.01x the speed of plain (95 % interval 0.95–1.07 over 3 process pairs)");
  report.request.plan.alpha = 0.01;
  EXPECT_THAT(comparison_sentence(report), HasSubstr("99 % interval"));
}

TEST(PrintEvaluationTest, TheReportedIntervalStandsBesideTheDecidingOne) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  compare(report, 1.84, 1.79, 1.90);
  EXPECT_THAT(print_evaluation(report, Colour::off), Not(HasSubstr("resampled")));
  report.reported = promote::ReportedInterval{-std::log(1.85), -std::log(1.88), -std::log(1.8), 0.05, 1, 3};
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("1.84x faster than plain (95 % interval 1.79–1.90 over 3 process pairs)"));
  EXPECT_THAT(text, HasSubstr("1.8500x (95 % interval 1.8000–1.8800), resampled over process pairs and calls"));
}

TEST(PrintEvaluationTest, WhoWasBuiltToTheSameIsNamedByLevel) {
  service::EvaluateReport report = verdict(task::Outcome::duplicate);
  report.same_builds = {{base::sha256("a"), "first", archive::CodeLevel::machine_code},
                        {base::sha256("b"), "second", archive::CodeLevel::sass},
                        {base::sha256("c"), "third", archive::CodeLevel::ptx}};
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("note: the same machine code as first (" + base::sha256("a").brief() + ")\n"));
  EXPECT_THAT(text, HasSubstr("note: the same code on the GPU, launched by other code, as second ("));
  EXPECT_THAT(text, HasSubstr("note: the same PTX, and other machine code, as third ("));
  EXPECT_THAT(text, AllOf(HasSubstr("next: what two of one machine code show of nothing (A/A): assay evaluate "),
                          HasSubstr(" --again\n")));
}

TEST(PrintEvaluationTest, ABetterOneShowsTableComparisonAndWhatToDoNext) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  compare(report, 1.84, 1.79, 1.90);
  report.evaluation.clean_on_workloads = {28};
  report.evaluation.stress_trials = 8;
  report.evaluation.timer_floor_ns = 31;
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("mine (" + report.evaluation.candidate.content.brief() + ") on cpu: better\n"));
  EXPECT_THAT(text, HasSubstr("because of that"));
  EXPECT_THAT(text, AllOf(HasSubstr("901e5104 "), HasSubstr("batch_size 4"), HasSubstr("12.34"), HasSubstr("22.70"),
                          HasSubstr("1.84x"), HasSubstr("1.79–1.90")));
  // 1 - 0.05^(1/28) is 10 %.
  EXPECT_THAT(text,
              HasSubstr("  0 failures in 28 trials; failure rate below 10 % with 95 % confidence; weakest stratum "
                        "workload 901e5104 (batch_size 4): 28 trials, below 10 %\n  besides: 8 on difficult inputs\n"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("passed")), Not(HasSubstr("kept inputs"))));
  report.request.kept_inputs = 7;
  report.evaluation.replayed = 3;
  EXPECT_THAT(print_evaluation(report, Colour::off),
              HasSubstr("besides: 8 on difficult inputs; 3 of 7 kept inputs that caught candidates before\n"));
  EXPECT_THAT(text, HasSubstr("timed by wall, caches cold; the timer's own floor is 31 ns\n"));
  report.evaluation.candidate_build.tier = task::Tier::device_only;
  report.evaluation.incumbent_build.emplace().tier = task::Tier::host_and_device;
  EXPECT_THAT(print_evaluation(report, Colour::off),
              HasSubstr("floor is 31 ns; tier device-only (the incumbent: host+device)\n"));
  EXPECT_THAT(text, Not(HasSubstr("flashinfer-bench")));
  EXPECT_THAT(text, HasSubstr("archived as e-1 in here\n"));
  EXPECT_THAT(text, HasSubstr("next: all workloads: assay evaluate"));
}

TEST(PrintEvaluationTest, TrialsAreABoundAndNameTheWeakestStratum) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  compare(report, 1.84, 1.79, 1.90);
  report.request.workloads.resize(2, report.request.workloads.front());
  report.request.workloads[1].uuid = "77777777-more";
  report.evaluation.trials = task::TrialsRecord{400, 100, 2.5, 0.5, {300, 100}};
  std::string text = print_evaluation(report, Colour::off);
  // Even weights: what excludes least of the sum of both rates is spent on the second alone; 1 - 0.05^(1/100) is 3 %.
  EXPECT_THAT(text, AllOf(HasSubstr("0 failures in 400 trials; failure rate below 1.5 % with 95 % confidence"),
                          HasSubstr("besides: trials of 2.5 s before anything was timed\n")));
  EXPECT_THAT(text, HasSubstr("weakest stratum workload 77777777 (batch_size 4): 100 trials, below 3 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("where earlier candidates failed")));
  report.request.trials_on = {300, 100};
  report.request.trials_turn = task::TrialsTurn::after_gain;
  EXPECT_THAT(print_evaluation(report, Colour::off),
              AllOf(HasSubstr("most trials where earlier candidates failed"), HasSubstr("after the gain was seen")));
  report.evaluation.trials = task::TrialsRecord{200, 100, 2.5, 0.5, {}};  // Recorded before there were counts.
  EXPECT_THAT(print_evaluation(report, Colour::off), HasSubstr("0 failures in 200 trials"));
}

TEST(PrintEvaluationTest, AnAnswerFromTheArchiveSaysHowManyInputsItMisses) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  EXPECT_THAT(print_evaluation(report, Colour::off), Not(HasSubstr("not tried on it")));
  report.missed_replays = 1;
  EXPECT_THAT(print_evaluation(report, Colour::off),
              HasSubstr("note: an input that caught other candidates since was not tried on it (--again tries it)"));
  report.missed_replays = 2;
  EXPECT_THAT(print_evaluation(report, Colour::off), HasSubstr("2 inputs that caught"));
}

TEST(PrintEvaluationTest, AFindingShowsTheExactPlaceAndTheValues) {
  service::EvaluateReport report = verdict(task::Outcome::incorrect);
  task::Finding finding;
  finding.kind = "mismatch";
  finding.message = "an element differs";
  finding.workload = 0;
  finding.tensor = "output";
  finding.index = std::vector<std::int64_t>{0, 3, 17};
  finding.expected = 1.25;
  finding.got = 0;
  report.evaluation.findings = {finding};
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("mismatch: an element differs\n"));
  EXPECT_THAT(text, HasSubstr("at output[0, 3, 17] of workload 901e5104 (batch_size 4): expected 1.25, got 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("0 failures")));
}

TEST(PrintEvaluationTest, AnErrorMapStandsInAFrame) {
  service::EvaluateReport report = verdict(task::Outcome::incorrect);
  task::Finding finding;
  finding.kind = "mismatch";
  finding.message = "because of that";
  finding.tensor = "output";
  finding.picture = {"  ##", "    "};
  report.evaluation.findings = {finding};
  EXPECT_THAT(print_evaluation(report, Colour::off),
              AllOf(HasSubstr("output, rows by the last axis"), HasSubstr("    |  ##|\n    |    |\n")));
}

TEST(PrintEvaluationTest, TheOtherEvaluatorsVerdictStandsBesideOurs) {
  service::EvaluateReport report = verdict(task::Outcome::incorrect);
  report.evaluation.official = task::OfficialVerdict{true, 9, ""};
  EXPECT_THAT(print_evaluation(report, Colour::off), HasSubstr("flashinfer-bench would pass it (9 trials by its own"));
  report.evaluation.official = task::OfficialVerdict{false, 1, "output[0] is 5"};
  EXPECT_THAT(print_evaluation(report, Colour::off), HasSubstr("flashinfer-bench would not pass it: output[0] is 5"));
  report.evaluation.official = task::OfficialVerdict{true, 9, "", std::nullopt, "it times kernels of a GPU"};
  EXPECT_THAT(print_evaluation(report, Colour::off), HasSubstr("its time is not told: it times kernels of a GPU"));
}

TEST(PrintEvaluationTest, TheOtherEvaluatorsTimesStandBesideOursAndAreNamed) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  compare(report, 3, 2.9, 3.1);
  const std::string uuid = report.evaluation.timings.at(0).uuid;
  report.evaluation.timings[0].candidate_ns = 9000;
  report.evaluation.timings[0].incumbent_ns = 27000;
  report.evaluation.official = task::OfficialVerdict{
      true, 3, "",
      task::OfficialTiming{
          std::string(task::kOfficialTimingMethod), 16, 50, {{uuid, {4000, 5000, 6000}, {20000, 20000, 20000}}}},
      ""};
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("flashinfer-bench-cupti: one process, one allocation"));
  EXPECT_THAT(text, HasSubstr("of 50, the mean of 3 trials); beside our own times, and deciding nothing"));
  EXPECT_THAT(text, testing::ContainsRegex(uuid.substr(0, 8) + " +5.00 +9.00 +20.00 +4.00x +3.00x"));
  report.request.incumbent.reset();
  report.evaluation.official->timing->workloads[0].incumbent_ns.clear();
  EXPECT_THAT(print_evaluation(report, Colour::off), testing::ContainsRegex(uuid.substr(0, 8) + " +5.00 +9.00\n"));
}

TEST(PrintEvaluationTest, TheNoiseOfTheSessionStandsBelowTheComparison) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  compare(report, 1.84, 1.79, 1.90);
  EXPECT_THAT(print_evaluation(report, Colour::off), Not(HasSubstr("copy of itself")));
  report.evaluation.comparison->aa =
      task::SelfComparison{4, {}, std::log(1.001), -std::log(1.02), std::log(1.022), std::log(1.022)};
  EXPECT_THAT(
      print_evaluation(report, Colour::off),
      HasSubstr("the incumbent against a copy of itself: 0.9990x (interval 0.9785–1.0200 over 4 process pairs); "
                "a gain within 2.20 % is noise"));
}

TEST(PrintEvaluationTest, NothingIsSaidTwice) {
  service::EvaluateReport report = verdict(task::Outcome::incorrect);
  task::Finding finding;
  finding.kind = "mismatch";
  finding.message = "y[1] is 3, expected 2";
  finding.tensor = "y";
  finding.index = std::vector<std::int64_t>{1};
  finding.expected = 2;
  finding.got = 3;
  finding.workload = 0;
  task::Finding second = finding;
  second.message = "y[5] is 4, expected 2";
  second.index = std::vector<std::int64_t>{5};
  report.evaluation.findings = {finding, second};
  report.evaluation.cause = "y[1] is 3, expected 2 (workload 901e5104)";
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, Not(HasSubstr("mismatch: y[1]"))) << "the cause says it";
  EXPECT_THAT(text, HasSubstr("mismatch: y[5] is 4, expected 2\n    in workload 901e5104 (batch_size 4)\n"));
}

TEST(PrintEvaluationTest, FindingsOfTheIncumbentSaySoAndManyAreCut) {
  service::EvaluateReport report = verdict(task::Outcome::suspect);
  task::Finding finding;
  finding.kind = "signal";
  finding.message = "it was killed";
  finding.side = task::Side::incumbent;
  report.evaluation.findings.assign(20, finding);
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("signal (incumbent): it was killed"));
  EXPECT_THAT(text, HasSubstr("and 12 more: assay show e-1"));
}

TEST(PrintEvaluationTest, ABuildFailureShowsTheCompilerAndItsLog) {
  service::EvaluateReport report = verdict(task::Outcome::not_built);
  report.compiler_errors = {"k.cpp:3:1: error: expected ';'"};
  report.evaluation.candidate_build.log_file = "candidate-build.log";
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("mine (" + report.evaluation.candidate.content.brief() + ") on cpu: not built"));
  EXPECT_THAT(text, HasSubstr("  | k.cpp:3:1: error: expected ';'\n"));
  EXPECT_THAT(text, HasSubstr("next: assay show e-1 --log candidate-build.log\n"));
  report.evaluation.candidate_build.log_bytes_cut = 3 << 20U;
  EXPECT_THAT(print_evaluation(report, Colour::off),
              HasSubstr("--log candidate-build.log (its end is cut: 3.0 MiB are left out)"));
}

TEST(PrintEvaluationTest, StoredAnswersSaySoAndHowToAskAnew) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  report.origin = service::Origin::stored;
  report.evaluation.started = "2026-11-29T12:00:00Z";
  EXPECT_THAT(print_evaluation(report, Colour::off),
              AllOf(HasSubstr("byte for byte"), HasSubstr("2026-11-29T12:00:00Z"), HasSubstr("--again")));
  report.origin = service::Origin::stored_same_source;
  report.same_source_as = "other (abc)";
  EXPECT_THAT(print_evaluation(report, Colour::off), AllOf(HasSubstr("other (abc)"), HasSubstr("comments")));
}

TEST(PrintEvaluationTest, AnEditedCopyOfTheIncumbentIsNotArchivedAsAnEvaluation) {
  service::EvaluateReport report = verdict(task::Outcome::duplicate);
  report.origin = service::Origin::incumbent_same_source;
  report.evaluation.id.clear();
  EXPECT_THAT(print_evaluation(report, Colour::off),
              AllOf(HasSubstr("Nothing was built"), HasSubstr("duplicate"), Not(HasSubstr("archived as"))));
}

TEST(PrintEvaluationTest, TextOfACandidateCannotDriveTheTerminal) {
  service::EvaluateReport report = verdict(task::Outcome::crashed);
  report.request.candidate.name = "evil\x1b[2J";
  report.evaluation.cause = "\x1b]0;title\x07";
  EXPECT_THAT(print_evaluation(report, Colour::off), Not(HasSubstr("\x1b")));
}

TEST(PrintEvaluationTest, ColourChangesNoWord) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  compare(report, 1.84, 1.79, 1.90);
  EXPECT_THAT(print_evaluation(report, Colour::on), HasSubstr("\x1b["));
}

TEST(PrintEvaluationTest, AMeasurementAloneHasNoIncumbentColumns) {
  service::EvaluateReport report = verdict(task::Outcome::measured);
  report.request.incumbent.reset();
  task::WorkloadTiming timing;
  timing.uuid = "u";
  timing.candidate_ns = 1000;
  report.evaluation.timings = {timing};
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, Not(HasSubstr("incumbent µs")));
  EXPECT_THAT(text, HasSubstr("1.00"));
}

TEST(PrintEvaluationTest, ASweepShowsTheDecisionsNumbersAndReasons) {
  service::EvaluateReport report = verdict(task::Outcome::better);
  report.evaluation.stage = task::Stage::sweep;
  compare(report, 1.84, 1.79, 1.90);
  promote::Decision decision;
  decision.mean_latency_ratio = 0.54;
  decision.contest_score = 1.9;
  decision.workloads = 54;
  decision.reasons = {"faster by more than 2 %"};
  report.decision = decision;
  report.evaluation.comparison->guard_failures = {"workload u is 9 % slower"};
  report.evaluation.retries = {"a worker did not start; started again"};
  report.violated_constraints = {"the constraint \"n <= 4\" is violated in 2 of 4 workloads"};
  const std::string text = print_evaluation(report, Colour::off);
  EXPECT_THAT(text, HasSubstr("mean latency ratio 0.540, contest score 1.900, 54 workloads"));
  EXPECT_THAT(text, HasSubstr("faster by more than 2 %"));
  EXPECT_THAT(text, HasSubstr("guard: workload u is 9 % slower"));
  EXPECT_THAT(text, HasSubstr("retried: a worker did not start"));
  EXPECT_THAT(text, HasSubstr("note: the constraint \"n <= 4\" is violated"));
}

TEST(PrintEvaluationTest, EveryOutcomeHasANextStep) {
  for (const task::Outcome outcome : task::all_outcomes()) {
    EXPECT_THAT(print_evaluation(verdict(outcome), Colour::off), testing::ContainsRegex("\nnext: .+\n"))
        << task::to_string(outcome);
  }
}

}  // namespace
}  // namespace assay::cli
