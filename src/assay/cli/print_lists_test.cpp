#include <assay/cli/print_lists.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using report::Colour;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(PrintDoctorTest, TableAndOneSentence) {
  service::DoctorReport report;
  report.capabilities = {{"g++", service::Capability::State::available, "12.2", ""},
                         {"GPU", service::Capability::State::absent, "none", "no GPU kernels"}};
  EXPECT_THAT(print_doctor(report, Colour::off),
              AllOf(HasSubstr("g++"), HasSubstr("no GPU kernels"), HasSubstr("Everything that evaluations")));
  report.capabilities.push_back({"SQLite", service::Capability::State::missing, "broken", "mend it"});
  EXPECT_THAT(print_doctor(report, Colour::off), AllOf(HasSubstr("missing"), HasSubstr("nothing can be evaluated")));
}

TEST(PrintValidationTest, AcceptedAndRefused) {
  service::Validation validation;
  EXPECT_EQ(print_validation(validation, "a.json"), "a.json: accepted\n");
  validation.documents = 54;
  EXPECT_EQ(print_validation(validation, "a.jsonl"), "a.jsonl: accepted, 54 documents\n");
  validation.problems = {{"/inputs/x/dtype", "no such dtype"}, {"", "not JSON"}};
  EXPECT_EQ(
      print_validation(validation, "a.json"),
      "a.json: /inputs/x/dtype: no such dtype\na.json: (whole document): not JSON\na.json: refused, 2 problems\n");
}

TEST(PrintValidationTest, TellsTheDialectAndNotes) {
  service::Validation validation;
  validation.dialect = {task::Dialect::flashinfer, "/init is FlashInfer's alone"};
  validation.notes = {{"/axes/n/value", "is missing"}};
  EXPECT_EQ(print_validation(validation, "a.json"),
            "a.json: note: /axes/n/value: is missing\na.json: accepted (read as flashinfer: /init is FlashInfer's "
            "alone)\n");
}

TEST(PrintCandidatesTest, NumbersAppearInACampaignOnly) {
  EXPECT_EQ(print_candidates({}, Colour::off), "no candidates yet\n");
  service::CandidateLine line;
  line.digest = std::string(64, 'a');
  line.name = "mine";
  line.outcome = "not_better";
  line.cause = "slower";
  line.speedup = 0.5;
  const std::string alone = print_candidates({line}, Colour::off);
  EXPECT_THAT(alone,
              AllOf(HasSubstr("aaaaaaaaaaaa  "), HasSubstr("not better"), HasSubstr("0.50x"), HasSubstr("slower")));
  EXPECT_THAT(alone, Not(HasSubstr("round")));
  line.number = 3;
  line.round = 1;
  line.promoted = true;
  line.outcome = "better";
  EXPECT_THAT(print_candidates({line}, Colour::off), AllOf(HasSubstr("round"), HasSubstr("better, promoted")));
}

service::Shown shown_candidate() {
  service::Shown shown;
  archive::StoredCandidate candidate;
  candidate.identity.content = base::sha256("x");
  candidate.solution.name = "mine";
  candidate.solution.author = "me\x1b[1m";
  candidate.solution.definition = "scale";
  candidate.solution.parameters = {{"BLOCK", 8}};
  candidate.solution.sources = {{"k.cpp", "int x;"}, {"h.hpp", "int y;\n"}};
  shown.candidate = candidate;
  return shown;
}

TEST(PrintShownTest, ACandidateWithItsEvaluations) {
  service::Shown shown = shown_candidate();
  std::string text = print_shown(shown, Colour::off);
  EXPECT_THAT(text, AllOf(StartsWith("mine by me"), HasSubstr(base::sha256("x").hex()), HasSubstr("BLOCK = 8"),
                          HasSubstr("k.cpp (6 B)"), HasSubstr("never judged")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  archive::EvaluationSummary summary;
  summary.id = "e-1";
  summary.outcome = task::Outcome::timed_out;
  summary.cause = "too slow";
  shown.evaluations = {summary};
  text = print_shown(shown, Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("e-1"), HasSubstr("timed out"), HasSubstr("too slow")));
}

TEST(PrintShownTest, AnEvaluationWithBuildsEnvironmentAndFiles) {
  service::Shown shown;
  service::EvaluateReport report;
  report.origin = service::Origin::stored;
  report.evaluation.id = "e-1";
  report.evaluation.seed = 42;
  report.evaluation.candidate_build.built = true;
  report.evaluation.candidate_build.from_cache = true;
  report.evaluation.candidate_build.toolchain = "g++ 12";
  report.evaluation.candidate_build.command = {"g++", "-O3"};
  report.evaluation.incumbent_build = task::BuildRecord{};
  report.evaluation.environment = {{"cpu", "imaginary"}};
  shown.evaluation = report;
  shown.files = {"request.json", "candidate-build.log"};
  const std::string text = print_shown(shown, Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("seed         42"), HasSubstr("built by g++ 12, from the cache"),
                          HasSubstr("g++ -O3"), HasSubstr("incumbent build not built"), HasSubstr("imaginary"),
                          HasSubstr("request.json, candidate-build.log (--log NAME)")));
  EXPECT_THAT(text, Not(HasSubstr("From the archive")));
  shown.evaluation->evaluation.candidate_build.tier = task::Tier::device_only;
  EXPECT_THAT(print_shown(shown, Colour::off), HasSubstr("built by g++ 12, device-only, from the cache"));
}

TEST(PrintShownTest, TheReadingsOfADevice) {
  service::Shown shown;
  service::EvaluateReport report;
  report.evaluation.id = "e-1";
  shown.evaluation = report;
  EXPECT_THAT(print_shown(shown, Colour::off), Not(HasSubstr("SM MHz")));
  shown.evaluation->evaluation.device_readings = {
      {2, 3, {345, 3201, 30, 75.4, "", 3}, {1980, 3201, 41, 312.6, "power limit", 4}}};
  shown.evaluation->evaluation.canary = task::Canary{250'000, 251'500};
  const std::string text = print_shown(shown, Colour::off);
  EXPECT_THAT(text, HasSubstr("  pair           SM MHz  memory MHz  degrees  watts  processes  held down by\n"
                              "     2  before      345        3201       30     75          3  -\n"
                              "     2  after      1980        3201       41    313          4  power limit\n"));
  EXPECT_THAT(text, HasSubstr("250.0 us before the session, 251.5 us after it"));
}

TEST(PrintSourcesTest, EachFileWithItsName) {
  EXPECT_EQ(print_sources(shown_candidate()), "// ---- k.cpp\nint x;\n// ---- h.hpp\nint y;\n");
  EXPECT_EQ(print_sources(service::Shown{}), "");
}

TEST(PrintCampaignsTest, NamesTheIncumbent) {
  EXPECT_THAT(print_campaigns({}, Colour::off), HasSubstr("assay campaign run"));
  service::CampaignStatus status;
  status.configuration.name = "tune";
  status.configuration.baseline.name = "plain";
  status.state.phase = control::Phase::awaiting_approval;
  EXPECT_THAT(print_campaigns({status}, Colour::off),
              AllOf(HasSubstr("plain (baseline)"), HasSubstr("awaiting approval")));
  control::CandidateState candidate;
  candidate.number = 1;
  candidate.name = "winner";
  status.state.candidates = {candidate};
  status.state.incumbent = 1;
  status.state.confirmation = promote::Decision{};
  status.state.confirmation->speedup = 1.84;
  EXPECT_THAT(print_campaigns({status}, Colour::off), AllOf(HasSubstr("winner"), HasSubstr("1.84x")));
  EXPECT_THAT(print_campaigns({status}, Colour::off), Not(HasSubstr("ALARM")));
  status.state.injections.emplace_back().alarm = "a copy won";
  EXPECT_THAT(print_campaigns({status}, Colour::off), HasSubstr("awaiting approval, ALARM"));
}

TEST(NextStepTest, FollowsThePhase) {
  service::CampaignStatus status;
  status.configuration.name = "tune";
  EXPECT_EQ(next_step(status), "assay campaign resume tune");
  status.state.phase = control::Phase::awaiting_approval;
  EXPECT_THAT(next_step(status), HasSubstr("assay approve tune"));
  status.state.phase = control::Phase::finished;
  EXPECT_EQ(next_step(status), "");
  status.state.incumbent = 1;
  EXPECT_THAT(next_step(status), HasSubstr("assay export tune"));
  status.state.phase = control::Phase::failed;
  EXPECT_THAT(next_step(status), HasSubstr("baseline"));
}

TEST(PrintArchiveTest, VerifyCollectStatisticsExport) {
  archive::VerifyReport verify;
  verify.evaluations = 1;
  verify.blobs = 2;
  verify.decisions = 3;
  EXPECT_THAT(print_verify(verify),
              HasSubstr("1 evaluation, 0 candidates, 2 blobs (0 B), 3 decisions in one chain: all sound"));
  verify.problems = {"blob ab is damaged"};
  EXPECT_THAT(print_verify(verify), AllOf(StartsWith("blob ab is damaged\n"), HasSubstr("1 problem")));
  archive::CollectReport collect;
  collect.blobs_removed = 3;
  collect.bytes_freed = 2048;
  EXPECT_EQ(print_collect(collect), "removed 3 blobs (2.0 KiB) and 0 temporary files\n");
  service::ArchiveStatistics statistics;
  statistics.root = "here";
  statistics.evaluations = 7;
  EXPECT_THAT(print_statistics(statistics), AllOf(HasSubstr("archive      here"), HasSubstr("evaluations  7")));
  service::ExportReport exported;
  exported.solution = "mine";
  exported.definition = "scale";
  exported.traces = 54;
  exported.files = {"traces/a.jsonl"};
  EXPECT_EQ(print_export(exported, "out"), "mine for scale, 54 traces, in out\n  traces/a.jsonl\n");
}

TEST(PrintFailuresTest, SaysWhichInputCaughtWhomWhen) {
  service::KeptFailure one;
  one.stored.definition = "scale";
  one.stored.input.workload.uuid = "901e5104-dccb";
  one.stored.input.workload.axes = {{"n", 64}};
  one.stored.input.seed = 7;
  one.stored.evaluation = "e-1";
  one.stored.when = "2026-11-29T12:00:00Z";
  one.stored.failures = 3;
  one.candidate = "mine";
  const std::string text = print_failures({one}, report::Colour::off);
  EXPECT_THAT(text, testing::AllOf(HasSubstr("workload 901e5104: n 64, seed 7"), HasSubstr("mine ("), HasSubstr("e-1"),
                                   HasSubstr("2026-11-29T12:00:00Z"), HasSubstr("1 failing input, replayed first")));
}

}  // namespace
}  // namespace assay::cli
