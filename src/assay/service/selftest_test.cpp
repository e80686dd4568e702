#include <assay/service/selftest.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include <assay/archive/archive.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// The fake judge gives the outcome whose name it finds in the source: so an entry that expects "incorrect" gets it, and
// one that expects what the fake does not know is "measured".
class SelftestTest : public testing::Test {
 protected:
  void hostile(const std::string& name, const std::string& expected, const std::string& more = "") {
    world_.write(world_.path("hostile/" + name), "// assay-corpus: number=1 kind=hostile expect=" + expected +
                                                     " probe=none" + more + "\n// Does harm.\n");
  }
  void honest(const std::string& name, const std::string& more = "") {
    world_.write(world_.path("honest/" + name), "// assay-corpus: kind=honest" + more + "\n// Does no harm.\n");
  }
  SelftestOptions options() {
    SelftestOptions options;
    options.definition = "scale";
    options.corpora = {world_.path("hostile"), world_.path("honest")};
    return options;
  }
  base::Result<SelftestReport> run(const SelftestOptions& options) {
    ASSAY_TRY_ASSIGN(SelftestPlan plan, plan_selftest(world_.context(), options));
    return run_selftest(world_.context(), std::move(plan), {});
  }

  rehearsal::World world_;
};

TEST_F(SelftestTest, EveryEntryThatGetsItsOutcomeAgrees) {
  hostile("01-a.cpp", "incorrect");
  hostile("02-b.cpp", "suspect|crashed");
  honest("c.cpp");
  const auto report = run(options());
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(report->rows, SizeIs(3));
  EXPECT_EQ(report->rows[0].outcome, task::Outcome::incorrect);
  EXPECT_EQ(report->rows[1].outcome, task::Outcome::crashed);
  EXPECT_EQ(report->rows[2].outcome, task::Outcome::measured);
  EXPECT_EQ(report->disagreements(), 0U);
  EXPECT_FALSE(report->rows[0].cause.empty());
}

TEST_F(SelftestTest, AnEscapeAndAFalseAlarmDisagree) {
  hostile("01-escapes.cpp", "protocol_violation");
  world_.write(world_.path("honest/alarm.cpp"), "// assay-corpus: kind=honest\n// Is found incorrect.\n");
  const auto report = run(options());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->disagreements(), 2U);
  const base::Json json = encode(*report);
  EXPECT_EQ(json["disagreements"], 2);
  EXPECT_EQ(json["rows"][0]["entry"], "01-escapes");
  EXPECT_EQ(json["rows"][0]["outcome"], "measured");
  EXPECT_EQ(json["rows"][0]["expected"], base::Json::array({"protocol_violation"}));
  EXPECT_EQ(json["rows"][1]["kind"], "honest");
  EXPECT_TRUE(json["rows"][1]["number"].is_null());
}

TEST_F(SelftestTest, AFailureOfTheHarnessIsARowAndTheRestGoesOn) {
  world_.write(world_.path("hostile/01-a.cpp"),
               "// assay-corpus: number=1 kind=hostile expect=suspect probe=none\n// Meets a judge.error.\n");
  honest("b.cpp");
  const auto report = run(options());
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(report->rows, SizeIs(2));
  EXPECT_FALSE(report->rows[0].outcome);
  EXPECT_FALSE(report->rows[0].agrees);
  EXPECT_THAT(report->rows[0].cause, HasSubstr("out of memory"));
  EXPECT_TRUE(report->rows[1].agrees);
  EXPECT_TRUE(encode(*report)["rows"][0]["outcome"].is_null());
}

TEST_F(SelftestTest, RunsDifferInSeedAndNothingIsAnsweredFromTheArchive) {
  hostile("01-a.cpp", "incorrect");
  honest("b.cpp");
  SelftestOptions thrice = options();
  thrice.runs = 3;
  const auto report = run(thrice);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(report->rows, SizeIs(6));
  std::set<std::uint64_t> seeds;
  std::vector<int> runs;
  for (const SelftestRow& row : report->rows) {
    seeds.insert(row.seed);
    runs.push_back(row.run);
  }
  EXPECT_THAT(seeds, SizeIs(6));
  EXPECT_THAT(runs, ElementsAre(1, 2, 3, 1, 2, 3)) << "by entry, then run";
  EXPECT_THAT(world_.record().requests, SizeIs(6));
}

TEST_F(SelftestTest, OnlyTheGateHasAnIncumbent) {
  hostile("01-a.cpp", "incorrect");
  hostile("02-b.cpp", "incorrect", " stage=gate samples=40");
  ASSERT_TRUE(run([this] {
    SelftestOptions only_hostile = options();
    only_hostile.corpora.pop_back();
    return only_hostile;
  }()));
  ASSERT_THAT(world_.record().requests, SizeIs(2));
  for (const task::EvaluationRequest& request : world_.record().requests) {
    const bool gate = request.candidate.name == "02-b";
    EXPECT_EQ(request.stage, gate ? task::Stage::gate : task::Stage::measure);
    EXPECT_EQ(request.incumbent.has_value(), gate);
    EXPECT_EQ(request.plan.samples_per_pair == 40, gate);
    ASSERT_THAT(request.workloads, SizeIs(2));
    EXPECT_EQ(request.workloads[0].uuid, "w-1-0000");
    EXPECT_EQ(request.workloads[1].uuid, "w-2-0000");
  }
}

TEST_F(SelftestTest, ADeviceDecidesBaselineLimitsAndWhatMayBeJudged) {
  hostile("01-a.cpp", "incorrect", " stage=gate");
  SelftestOptions on_gpu = options();
  on_gpu.corpora.pop_back();
  on_gpu.device = "cuda:0";
  const auto no_baseline = plan_selftest(world_.context(), on_gpu);
  ASSERT_FALSE(no_baseline);
  EXPECT_THAT(no_baseline.error().text(), AllOf(HasSubstr("\"baseline\""), HasSubstr("cuda:0")));

  const os::Path folder = world_.context().places.dataset / "solutions" / "baseline" / "elementwise" / "scale";
  std::string plain = os::read_file(folder / "plain.json").value();
  plain.replace(plain.find("\"plain\""), 7, "\"plain_cuda\"");
  plain.replace(plain.find("\"cpp\""), 5, "\"cuda\"");
  world_.write(folder / "plain_cuda.json", plain);
  const auto wrong_language = plan_selftest(world_.context(), on_gpu);
  ASSERT_FALSE(wrong_language);
  EXPECT_THAT(wrong_language.error().text(), AllOf(HasSubstr("01-a.cpp"), HasSubstr("--device")));

  ASSERT_TRUE(os::remove_tree(world_.path("hostile")));
  hostile("01-a.cu", "incorrect", " stage=gate");
  const auto report = run(on_gpu);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(encode(*report)["device"], "cuda:0");
  ASSERT_THAT(world_.record().requests, SizeIs(1));
  const task::EvaluationRequest& request = world_.record().requests.front();
  EXPECT_EQ(request.device, "cuda:0");
  EXPECT_EQ(task::timing_of(request), (base::Timing{base::TimingMethod::events, base::CacheState::cold}));
  ASSERT_TRUE(request.incumbent.has_value());
  EXPECT_EQ(request.incumbent->name, "plain_cuda");
  EXPECT_GE(request.plan.build_limit, std::chrono::seconds(30)) << "nvcc is slow";

  on_gpu.clock = base::TimingMethod::cupti;
  on_gpu.cache = base::CacheState::hot;
  ASSERT_TRUE(run(on_gpu));
  EXPECT_EQ(task::timing_of(world_.record().requests.back()),
            (base::Timing{base::TimingMethod::cupti, base::CacheState::hot}));
  on_gpu.clock = base::TimingMethod::wall;
  EXPECT_EQ(plan_selftest(world_.context(), on_gpu).error().code, "request.clock");
  on_gpu.clock.reset();

  on_gpu.device = "gpu";
  const auto unknown = plan_selftest(world_.context(), on_gpu);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "device.unknown");
}

TEST_F(SelftestTest, ADeviceThatIsNotThereIsOneErrorBeforeAnythingIsRun) {
  hostile("01-a.cpp", "incorrect");
  world_.context().fingerprint = [](const std::string& device) {
    return base::environment_error("device.none", "there is no " + device + " here");
  };
  const auto report = run([this] {
    SelftestOptions only_hostile = options();
    only_hostile.corpora.pop_back();
    return only_hostile;
  }());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().owner, base::Owner::environment);
  EXPECT_THAT(world_.record().requests, SizeIs(0));
}

TEST_F(SelftestTest, OnlyChoosesByName) {
  hostile("01-a.cpp", "incorrect");
  hostile("02-b.cpp", "incorrect");
  honest("b-too.cpp");
  SelftestOptions some = options();
  some.only = "b";
  const auto plan = plan_selftest(world_.context(), some);
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_THAT(plan->entries, SizeIs(2));
  EXPECT_EQ(plan->entries[1].name, "b-too");
  some.only = "zebra";
  const auto none = plan_selftest(world_.context(), some);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), AllOf(HasSubstr("zebra"), HasSubstr("--only")));
}

TEST_F(SelftestTest, AblationJudgesAgainWithoutTheProbeAndItMustMatter) {
  hostile("01-a.cpp", "incorrect");
  world_.write(world_.path("hostile/02-b.cpp"),
               "// assay-corpus: number=2 kind=hostile expect=incorrect probe=poison|late_work\n// Does harm.\n");
  honest("c.cpp");
  SelftestOptions ablating = options();
  ablating.ablate = true;
  const auto report = run(ablating);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(report->rows, SizeIs(1)) << "neither honest ones nor those that no probe catches";
  ASSERT_THAT(world_.record().requests, SizeIs(2));
  EXPECT_TRUE(world_.record().requests[0].disabled_probes.empty());
  EXPECT_EQ(world_.record().requests[1].disabled_probes, (task::ProbeSet{task::Probe::poison, task::Probe::late_work}));
  ASSERT_TRUE(report->rows[0].ablation);
  EXPECT_EQ(report->rows[0].ablation->effect, Effect::same) << "the fake judge knows no probes";
  EXPECT_EQ(report->disagreements(), 1U);
  EXPECT_EQ(encode(*report)["rows"][0]["without_probe"]["effect"], "same");
}

TEST_F(SelftestTest, ProgressTellsEveryRow) {
  hostile("01-a.cpp", "incorrect");
  honest("b.cpp");
  auto plan = plan_selftest(world_.context(), options());
  ASSERT_TRUE(plan) << plan.error().text();
  std::vector<std::size_t> done;
  const auto report = run_selftest(world_.context(), std::move(*plan),
                                   [&](std::size_t finished, std::size_t total, const SelftestRow& row) {
                                     done.push_back(finished);
                                     EXPECT_EQ(total, 2U);
                                     EXPECT_TRUE(row.outcome);
                                   });
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(done, ElementsAre(1, 2));
}

TEST_F(SelftestTest, WhatIsMistypedIsFoundBeforeAnythingIsCreated) {
  hostile("01-a.cpp", "incorrct");
  const auto bad = run(options());
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, "corpus.head");
  SelftestOptions elsewhere = options();
  elsewhere.definition = "scalee";
  EXPECT_FALSE(plan_selftest(world_.context(), elsewhere));
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

TEST_F(SelftestTest, WithoutACorpusTheErrorNamesTheOption) {
  SelftestOptions none = options();
  none.corpora.clear();
  world_.context().places.judge = world_.path("a/b/c/d/bin/assay-judge");
  const os::Path before = std::filesystem::current_path();
  std::filesystem::current_path(world_.path("."));
  const auto plan = plan_selftest(world_.context(), none);
  std::filesystem::current_path(before);
  // The folder of temporary files may lie in a source tree, which has a corpus.
  if (!plan) {
    EXPECT_THAT(plan.error().text(), HasSubstr("--corpus"));
  }
}

}  // namespace
}  // namespace assay::service
