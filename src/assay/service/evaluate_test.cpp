#include <assay/service/evaluate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/archive/archive.hpp>
#include <assay/service/rehearsal.hpp>
#include <assay/service/workload_choice.hpp>

namespace assay::service {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> uuids(const task::EvaluationRequest& request) {
  std::vector<std::string> result;
  for (const task::Workload& workload : request.workloads) {
    result.push_back(workload.uuid);
  }
  return result;
}

class EvaluateTest : public testing::Test {
 protected:
  EvaluateOptions options(const std::string& name, const std::string& text) {
    EvaluateOptions options;
    options.candidate = world_.kernel(name, text);
    return options;
  }
  base::Result<EvaluateReport> run(const EvaluateOptions& options) { return evaluate(world_.context(), options); }

  rehearsal::World world_;
};

TEST_F(EvaluateTest, HoldsTheCandidateAgainstTheBaselineOnRepresentatives) {
  const auto report = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->origin, Origin::measured);
  EXPECT_EQ(report->evaluation.outcome, task::Outcome::better);
  EXPECT_EQ(report->request.stage, task::Stage::gate);
  EXPECT_EQ(report->request.incumbent->name, "plain");
  EXPECT_THAT(uuids(report->request), ElementsAre("w-1-0000", "w-2-0000", "w-8-0000"));
  EXPECT_NEAR(encode(*report)["speedup"]["estimate"].get<double>(), 2, 1e-6);
  EXPECT_FALSE(report->decision) << "a gate decides nothing";
}

TEST_F(EvaluateTest, ATwinOfTheIncumbentIsNotMeasuredUnlessItIsAskedFor) {
  EvaluateOptions twin = options("twin.cpp", "cost=50 code=a");
  twin.against = world_.kernel("first.cpp", "cost=100 code=a");
  const auto refused = run(twin);
  ASSERT_TRUE(refused) << refused.error().text();
  EXPECT_EQ(refused->evaluation.outcome, task::Outcome::duplicate);
  EXPECT_TRUE(refused->evaluation.timings.empty());
  EXPECT_FALSE(refused->reported);
  EXPECT_EQ(encode(*refused)["same_builds"][0]["level"], "machine_code");
  EXPECT_EQ(encode(*refused)["same_builds"][0]["name"], "first");
  EvaluateOptions again = twin;
  again.reuse = Reuse::never;
  const auto measured = run(again);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->evaluation.outcome, task::Outcome::indistinguishable) << "A/A data, whatever the numbers say";
  EXPECT_FALSE(measured->request.refuse_twin);
  ASSERT_TRUE(measured->reported);
  EXPECT_NEAR(encode(*measured)["reported_interval"]["speedup"].get<double>(), 2, 1e-6);
  EXPECT_EQ(encode(*measured)["reported_interval"]["sessions"], 1);
  EXPECT_EQ(run(twin)->origin, Origin::stored) << "by now there is an answer that was measured";
  EXPECT_EQ(run(twin)->evaluation.id, measured->evaluation.id);
}

TEST_F(EvaluateTest, ATwinThatIsToBeMeasuredIs) {
  EvaluateOptions twin = options("twin.cpp", "cost=50 code=a");
  twin.against = world_.kernel("first.cpp", "cost=100 code=a");
  twin.twins = Twins::measure;
  EXPECT_EQ(run(twin)->evaluation.outcome, task::Outcome::indistinguishable);
}

TEST_F(EvaluateTest, OtherMachineCodeIsMeasured) {
  EvaluateOptions other = options("other.cpp", "cost=50 code=b");
  other.against = world_.kernel("first.cpp", "cost=100 code=a");
  EXPECT_EQ(run(other)->evaluation.outcome, task::Outcome::better);
}

TEST_F(EvaluateTest, TheResultIsInTheArchive) {
  const auto report = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(report) << report.error().text();
  const auto archive = archive::Archive::open_reader(world_.context().places.archive);
  ASSERT_TRUE(archive) << archive.error().text();
  EXPECT_TRUE(archive->evaluation(report->evaluation.id).value());
  EXPECT_THAT(archive->candidates("scale").value(), SizeIs(2));
  EXPECT_THAT(archive->verify()->problems, IsEmpty());
  EXPECT_THAT(os::list_directory(archive->spool()).value(), IsEmpty()) << "the bundle was taken in";
}

TEST_F(EvaluateTest, AMethodThatTheDeviceLacksIsRefusedBeforeAnythingIsCreated) {
  EvaluateOptions graph = options("fast.cpp", "cost=50");
  graph.clock = base::TimingMethod::graph;
  const auto report = run(graph);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().owner, base::Owner::input);
  EXPECT_EQ(report.error().code, "request.clock");
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

TEST_F(EvaluateTest, HotAndColdAreDifferentQuestions) {
  const EvaluateOptions cold = options("fast.cpp", "cost=50");
  EvaluateOptions hot = cold;
  hot.cache = base::CacheState::hot;
  EXPECT_EQ(run(cold)->origin, Origin::measured);
  const auto report = run(hot);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->origin, Origin::measured);
  EXPECT_EQ(report->request.plan.cache, base::CacheState::hot);
  EXPECT_EQ(run(hot)->origin, Origin::stored);
  EXPECT_EQ(run(cold)->origin, Origin::stored);
  EvaluateOptions by_name = cold;
  by_name.clock = base::TimingMethod::wall;
  EXPECT_EQ(run(by_name)->origin, Origin::stored) << "the device's own clock, said aloud";
}

TEST_F(EvaluateTest, LatenciesAreThoseOfTheSameMethodAndCaches) {
  EvaluateOptions hot = options("fast.cpp", "cost=50");
  hot.cache = base::CacheState::hot;
  hot.workloads = "all";
  const auto report = run(hot);
  ASSERT_TRUE(report) << report.error().text();
  const auto archive = archive::Archive::open_reader(world_.context().places.archive);
  ASSERT_TRUE(archive) << archive.error().text();
  const auto known = [&](const base::Timing& timing) {
    return measured_latencies(*archive, report->request.candidate, "cpu", timing, report->request.workloads)
        .value()
        .has_value();
  };
  EXPECT_TRUE(known({base::TimingMethod::wall, base::CacheState::hot}));
  EXPECT_FALSE(known({base::TimingMethod::wall, base::CacheState::cold}));
  EXPECT_FALSE(known({base::TimingMethod::events, base::CacheState::hot}));
}

TEST_F(EvaluateTest, AViolatedConstraintIsToldAndRefusesNothing) {
  const os::Path file = world_.path("dataset/definitions/elementwise/scale.json");
  base::Json definition = base::Json::parse(os::read_file(file).value());
  definition["constraints"] = {"n <= 4", "two == 2", "x[0][0].item() == 1"};
  world_.write(file, definition.dump());
  EvaluateOptions all = options("fast.cpp", "cost=50");
  all.workloads = "all";
  const auto report = run(all);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->violated_constraints,
              ElementsAre(AllOf(HasSubstr("\"n <= 4\" is violated in 2 of 4 workloads"), HasSubstr("w-64-0000"))));
  EXPECT_THAT(encode(*report)["violated_constraints"], SizeIs(1));
  EXPECT_THAT(run(options("other.cpp", "cost=60"))->violated_constraints, SizeIs(1)) << "the gate has w-8";
}

TEST_F(EvaluateTest, ADefinitionThatCannotBeRunIsRefusedBeforeAnythingIsCreated) {
  const os::Path file = world_.path("dataset/definitions/elementwise/scale.json");
  base::Json definition = base::Json::parse(os::read_file(file).value());
  definition["inputs"]["x"]["dtype"] = "unknown";
  world_.write(file, definition.dump());
  const auto report = run(options("fast.cpp", "cost=50"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "definition.not_runnable");
  EXPECT_THAT(report.error().message, HasSubstr("/inputs/x/dtype"));
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

TEST_F(EvaluateTest, AFailureIsAReportWithTheExactPlace) {
  const auto report = run(options("wrong.cpp", "incorrect"));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->evaluation.outcome, task::Outcome::incorrect);
  ASSERT_THAT(report->evaluation.findings, SizeIs(1));
  EXPECT_THAT(*report->evaluation.findings[0].index, ElementsAre(1, 0));
  EXPECT_EQ(encode(*report)["correct"], false);
  EXPECT_THAT(report->compiler_errors, IsEmpty());
}

TEST_F(EvaluateTest, ABuildFailureShowsTheCompilersFirstErrors) {
  const auto report = run(options("broken.cpp", "not_built"));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->evaluation.outcome, task::Outcome::not_built);
  EXPECT_THAT(report->compiler_errors, ElementsAre("kernel.cpp:3:1: error: expected ';'", "   3 | }"));
}

TEST_F(EvaluateTest, AllWorkloadsMakeASweepWithADecision) {
  EvaluateOptions all = options("fast.cpp", "cost=50");
  all.workloads = "all";
  const auto report = run(all);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->request.stage, task::Stage::sweep);
  EXPECT_THAT(uuids(report->request), ElementsAre("w-64-0000", "w-1-0000", "w-8-0000", "w-2-0000"))
      << "in the dataset's order";
  ASSERT_TRUE(report->decision);
  EXPECT_EQ(report->decision->verdict, promote::Decision::Verdict::promote);
  EXPECT_EQ(report->decision->workloads, 4);
  EXPECT_NEAR(report->decision->contest_score, 2, 1e-6);
  EXPECT_FALSE(encode(*report)["decision"].is_null());
}

TEST_F(EvaluateTest, TheGateUsesMeasuredLatenciesOnceThereAreSome) {
  EvaluateOptions baseline;
  baseline.candidate = "plain";
  baseline.workloads = "all";
  ASSERT_TRUE(run(baseline));
  const auto report = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(uuids(report->request), SizeIs(3));
  EXPECT_THAT(uuids(report->request), testing::Contains("w-64-0000"));
}

TEST_F(EvaluateTest, WithoutAnyBaselineItIsMeasuredAlone) {
  ASSERT_TRUE(os::remove_tree(world_.context().places.dataset / "solutions"));
  const auto report = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->request.stage, task::Stage::measure);
  EXPECT_EQ(report->evaluation.outcome, task::Outcome::measured);
  EXPECT_TRUE(encode(*report)["incumbent"].is_null());
}

TEST_F(EvaluateTest, ComparesWithWhatIsNamed) {
  EvaluateOptions against = options("fast.cpp", "cost=50");
  against.against = world_.kernel("faster.cpp", "cost=25");
  const auto report = run(against);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->request.incumbent->name, "faster");
  EXPECT_EQ(report->evaluation.outcome, task::Outcome::not_better);
}

TEST_F(EvaluateTest, ByteIdenticalCandidatesAreRecognisedBeforeAnythingIsBuilt) {
  const auto first = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(first) << first.error().text();
  const auto second = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->origin, Origin::stored);
  EXPECT_EQ(second->evaluation.id, first->evaluation.id);
  EXPECT_THAT(world_.record().requests, SizeIs(1));

  EvaluateOptions again = options("fast.cpp", "cost=50");
  again.reuse = Reuse::never;
  const auto third = run(again);
  ASSERT_TRUE(third) << third.error().text();
  EXPECT_EQ(third->origin, Origin::measured);
  EXPECT_NE(third->evaluation.id, first->evaluation.id);
}

TEST_F(EvaluateTest, AnEditedCommentIsTheSameCandidateByAnotherName) {
  const auto first = run(options("fast.cpp", "cost=50"));
  ASSERT_TRUE(first) << first.error().text();
  const std::string edited = world_.path("copy/fast.cpp").string();
  world_.write(edited, "// Faster than ever!\n" + os::read_file(world_.path("fast.cpp")).value());
  EvaluateOptions second;
  second.candidate = edited;
  const auto report = run(second);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->origin, Origin::stored_same_source);
  EXPECT_THAT(report->same_source_as, HasSubstr("fast ("));
  EXPECT_EQ(report->evaluation.id, first->evaluation.id);
  EXPECT_THAT(world_.record().requests, SizeIs(1));
  EXPECT_EQ(encode(*report)["origin"], "stored_same_source");
  const auto archive = archive::Archive::open_reader(world_.context().places.archive);
  EXPECT_THAT(archive->candidates("scale").value(), SizeIs(3)) << "it is kept all the same";
}

TEST_F(EvaluateTest, AnEditedCopyOfTheIncumbentIsADuplicateAndNothingRuns) {
  EvaluateOptions copy;
  copy.candidate = world_.path("plain.cpp").string();
  world_.write(copy.candidate, "// mine!\nASSAY_KERNEL(run) {   return 0; }\n");
  const auto report = run(copy);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->origin, Origin::incumbent_same_source);
  EXPECT_EQ(report->evaluation.outcome, task::Outcome::duplicate);
  EXPECT_THAT(report->same_source_as, HasSubstr("plain ("));
  EXPECT_THAT(world_.record().requests, IsEmpty());
  EXPECT_EQ(encode(*report)["correct"], false);
  copy.reuse = Reuse::never;
  EXPECT_EQ(run(copy)->origin, Origin::measured);
}

TEST_F(EvaluateTest, TheIncumbentItselfMayBeTimedAgainstItself) {
  EvaluateOptions itself;
  itself.candidate = "plain";
  const auto report = run(itself);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->origin, Origin::measured);
  EXPECT_THAT(world_.record().requests, SizeIs(1));
}

TEST_F(EvaluateTest, OtherConditionsAreNotTheSameQuestion) {
  ASSERT_TRUE(run(options("fast.cpp", "cost=50")));
  EvaluateOptions changed = options("fast.cpp", "cost=50");
  changed.policy = "standard";
  EXPECT_EQ(run(changed)->origin, Origin::measured);
  changed = options("fast.cpp", "cost=50");
  changed.workloads = "w-1-";
  EXPECT_EQ(run(changed)->origin, Origin::measured);
  changed = options("fast.cpp", "cost=50");
  changed.against = world_.kernel("other.cpp", "cost=70");
  EXPECT_EQ(run(changed)->origin, Origin::measured);
  changed = options("fast.cpp", "cost=50");
  changed.device = "simulated:3";
  EXPECT_EQ(run(changed)->origin, Origin::measured);
  world_.fingerprint = {{"cpu", "another"}};
  EXPECT_EQ(run(options("fast.cpp", "cost=50"))->origin, Origin::measured);
  EXPECT_THAT(world_.record().requests, SizeIs(6));
}

TEST_F(EvaluateTest, AJudgesOwnFailureIsAnErrorAndNoEvidence) {
  const auto report = run(options("unlucky.cpp", "judge.error"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().owner, base::Owner::environment);
  EXPECT_EQ(report.error().code, "judge.memory");
  const auto archive = archive::Archive::open_reader(world_.context().places.archive);
  EXPECT_THAT(archive->evaluations("", "").value(), IsEmpty());
}

TEST_F(EvaluateTest, BadRequestsCreateNoArchive) {
  EvaluateOptions bad = options("fast.cpp", "cost=50");
  bad.definition = "nothing";
  EXPECT_EQ(run(bad).error().owner, base::Owner::input);
  bad = options("fast.cpp", "cost=50");
  bad.policy = "nothing";
  EXPECT_EQ(run(bad).error().owner, base::Owner::input);
  bad = options("fast.cpp", "cost=50");
  bad.device = "gpu";
  EXPECT_EQ(run(bad).error().owner, base::Owner::input);
  bad = options("fast.cpp", "cost=50");
  bad.workloads = "nothing";
  EXPECT_EQ(run(bad).error().owner, base::Owner::input);
  bad = options("fast.cpp", "cost=50");
  world_.context().places.dataset = world_.path("no-such-folder");
  EXPECT_THAT(run(bad).error().text(), HasSubstr("no-such-folder"));
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

TEST_F(EvaluateTest, ASourceWithoutEntryPointIsABadRequest) {
  EvaluateOptions none;
  none.candidate = world_.path("none.cpp").string();
  world_.write(none.candidate, "int main() { return 0; }\n");
  const auto report = run(none);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "source.no_entry_point");
}

TEST_F(EvaluateTest, ProgressIsPassedOn) {
  int calls = 0;
  world_.context().on_progress = [&](const execute::Progress& progress) {
    ++calls;
    EXPECT_EQ(progress.what, "halfway");
  };
  ASSERT_TRUE(run(options("fast.cpp", "cost=50")));
  EXPECT_EQ(calls, 1);
}

TEST(FirstErrorsTest, StartsAtTheFirstErrorAndIsShort) {
  EXPECT_THAT(first_errors("In file included\nk.cpp:1: error: a\n\nnote\nmore\n", 2),
              ElementsAre("k.cpp:1: error: a", "note"));
  EXPECT_THAT(first_errors("ld: undefined reference to `f'\ncollect2: exit\n", 9), SizeIs(2));
  EXPECT_THAT(first_errors("no such word\nhere\n", 9), ElementsAre("no such word", "here"));
  EXPECT_THAT(first_errors("", 9), IsEmpty());
  EXPECT_THAT(first_errors("x error \x1b[31mred\x1b[0m\n", 9)[0], testing::Not(HasSubstr("\x1b")))
      << "a log may not drive the terminal";
}

TEST(OriginTest, HasStableSpellings) {
  EXPECT_EQ(to_string(Origin::measured), "measured");
  EXPECT_EQ(to_string(Origin::stored), "stored");
  EXPECT_EQ(to_string(Origin::stored_same_source), "stored_same_source");
  EXPECT_EQ(to_string(Origin::incumbent_same_source), "incumbent_same_source");
}

}  // namespace
}  // namespace assay::service
