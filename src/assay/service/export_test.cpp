#include <assay/service/export.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/evaluate.hpp>
#include <assay/service/rehearsal.hpp>
#include <assay/service/validate.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class ExportTest : public testing::Test {
 protected:
  EvaluateReport judged(const std::string& name, const std::string& text, const std::string& workloads) {
    EvaluateOptions options;
    options.candidate = world_.kernel(name, text);
    options.workloads = workloads;
    auto report = evaluate(world_.context(), options);
    EXPECT_TRUE(report) << report.error().text();
    return report.value();
  }
  base::Result<ExportReport> exported(const std::string& what) {
    return export_solution(world_.context(), what, world_.path("out"));
  }
  std::vector<base::Json> lines(const std::string& file) {
    std::vector<base::Json> result;
    for (const std::string& line : base::split(os::read_file(world_.path("out") / file).value_or(""), '\n')) {
      if (!line.empty()) {
        result.push_back(base::Json::parse(line));
      }
    }
    return result;
  }

  rehearsal::World world_;
};

TEST_F(ExportTest, WhatIsWrittenIsADatasetThatOurOwnReadersAccept) {
  const EvaluateReport fast = judged("fast.cpp", "cost=50", "all");
  const auto report = exported(fast.evaluation.candidate.content.brief());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->solution, "fast");
  EXPECT_EQ(report->traces, 4U);
  EXPECT_THAT(report->files, SizeIs(4));

  const auto dataset = dataset::Dataset::open(world_.path("out"));
  ASSERT_TRUE(dataset) << dataset.error().text();
  EXPECT_THAT(dataset->workloads("scale").value(), SizeIs(4));
  EXPECT_EQ(task::identify(dataset->solution("fast").value()), fast.evaluation.candidate);

  const std::string traces = os::read_file(world_.path("out/traces/local/elementwise/scale.jsonl")).value();
  const Validation validation = validate(DocumentKind::trace, traces, "traces");
  EXPECT_TRUE(validation.accepted()) << encode(validation).dump(2);
}

TEST_F(ExportTest, LengthsThatTheDatasetKnewGoWithIt) {
  const os::Path dataset = world_.context().places.dataset;
  const auto edit = [&](const os::Path& file, const std::string& what, const std::string& with) {
    std::string text = os::read_file(file).value();
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
      text.replace(at, what.size(), with);
    }
    world_.write(file, text);
  };
  edit(dataset / "definitions/elementwise/scale.json", R"("inputs": {)",
       R"("inputs": {"seq_lens": {"shape": ["n"], "dtype": "int32"}, )");
  edit(dataset / "workloads/elementwise/scale.jsonl", R"("inputs": {)",
       R"("inputs": {"seq_lens": {"type": "random"}, )");
  const std::string lengths = "{\"uuid\":\"w-2-0000\",\"lengths\":[5,0]}\n";
  world_.write(dataset / "lengths/elementwise/scale.jsonl", lengths);
  const auto report = exported(judged("fast.cpp", "cost=50", "all").evaluation.candidate.content.brief());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(os::read_file(world_.path("out/lengths/elementwise/scale.jsonl")).value_or("none"), lengths);
  EXPECT_EQ(dataset::Dataset::open(world_.path("out"))->workloads("scale").value().at(3).lengths,
            (std::vector<std::int64_t>{5, 0}));
}

TEST_F(ExportTest, TracesCarryLatenciesAndTheirRatio) {
  const EvaluateReport fast = judged("fast.cpp", "cost=50", "all");
  ASSERT_TRUE(exported(fast.evaluation.candidate.content.brief()));
  const auto traces = lines("traces/local/elementwise/scale.jsonl");
  ASSERT_THAT(traces, SizeIs(4));
  const base::Json& first = traces[0]["evaluation"];
  EXPECT_EQ(traces[0]["workload"]["uuid"], "w-64-0000");
  EXPECT_EQ(first["status"], "PASSED");
  EXPECT_NEAR(first["performance"]["latency_ms"].get<double>(), 3.2, 1e-9);
  EXPECT_NEAR(first["performance"]["reference_latency_ms"].get<double>(), 6.4, 1e-9);
  EXPECT_NEAR(first["performance"]["speedup_factor"].get<double>(), 2, 1e-9);
  EXPECT_EQ(first["environment"]["hardware"], "imaginary");
  EXPECT_EQ(first["environment"]["libs"]["timing_method"], "wall");
  EXPECT_EQ(first["environment"]["libs"]["timing_cache"], "cold");
}

TEST_F(ExportTest, TracesCarryTheLargestErrorsAsNumbers) {
  const EvaluateReport fast = judged("fast.cpp", "cost=50", "all");
  ASSERT_TRUE(exported(fast.evaluation.candidate.content.brief()));
  for (const base::Json& trace : lines("traces/local/elementwise/scale.jsonl")) {
    const base::Json& correctness = trace["evaluation"]["correctness"];
    EXPECT_EQ(correctness["max_absolute_error"], 0.25);
    EXPECT_EQ(correctness["max_relative_error"], 0.5);
    EXPECT_THAT(correctness["extra"]["note"].get<std::string>(), HasSubstr("first checked call"));
  }
}

TEST_F(ExportTest, AnIncorrectTraceCarriesTheWorstElementsError) {
  const EvaluateReport failed = judged("incorrect.cpp", "incorrect", "gate");
  ASSERT_TRUE(exported(failed.evaluation.candidate.content.brief()));
  const base::Json correctness = lines("traces/local/elementwise/scale.jsonl")[0]["evaluation"]["correctness"];
  EXPECT_EQ(correctness["max_absolute_error"], 1) << "3 where 2 was expected";
  EXPECT_NEAR(correctness["max_relative_error"].get<double>(), 0.5, 1e-6);
}

TEST_F(ExportTest, TheSweepIsPreferredToANewerGate) {
  const EvaluateReport sweep = judged("fast.cpp", "cost=50", "all");
  judged("fast.cpp", "cost=50", "gate");
  const auto report = exported(sweep.evaluation.candidate.content.brief());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->traces, 4U);
}

TEST_F(ExportTest, FailuresBecomeTheSchemasStatuses) {
  for (const auto& [text, status, count] :
       std::vector<std::tuple<std::string, std::string, std::size_t>>{{"not_built", "COMPILE_ERROR", 3},
                                                                      {"incorrect", "INCORRECT_NUMERICAL", 1},
                                                                      {"crashed", "RUNTIME_ERROR", 1},
                                                                      {"timed_out", "TIMEOUT", 1}}) {
    const EvaluateReport failed = judged(text + ".cpp", text, "gate");
    const auto report = exported(failed.evaluation.candidate.content.brief());
    ASSERT_TRUE(report) << report.error().text();
    const auto traces = lines("traces/local/elementwise/scale.jsonl");
    ASSERT_THAT(traces, SizeIs(count)) << text << ": only where it was seen";
    EXPECT_EQ(traces[0]["evaluation"]["status"], status);
    EXPECT_TRUE(traces[0]["evaluation"]["performance"].is_null());
    const std::string file = os::read_file(world_.path("out/traces/local/elementwise/scale.jsonl")).value();
    EXPECT_TRUE(validate(DocumentKind::trace, file, "t").accepted()) << text;
  }
}

TEST_F(ExportTest, ACampaignExportsItsIncumbentWithTheConfirmation) {
  world_.add_tunable("tunable");
  CampaignOptions options;
  options.name = "tune";
  options.tunable = "tunable";
  options.rounds = 1;
  options.candidates_per_round = 4;
  ASSERT_TRUE(run_campaign(world_.context(), options, {}));
  const auto report = exported("tune");
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->traces, 4U);
  const auto dataset = dataset::Dataset::open(world_.path("out"));
  ASSERT_TRUE(dataset) << dataset.error().text();
  const auto solution = dataset->solution(report->solution);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(solution->parameters, testing::ElementsAre(testing::Pair("COST", 8)));
}

TEST_F(ExportTest, NamesOfAuthorsDoNotChooseFolders) {
  const os::Path file = world_.path("evil.json");
  world_.write(file, R"({"name": "../../x y", "definition": "scale", "author": "../a/b",
    "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "k.cpp::run"},
    "sources": [{"path": "k.cpp", "content": "ASSAY_KERNEL(run) { return 0; }  // cost=50"}]})");
  EvaluateOptions options;
  options.candidate = file.string();
  const auto judged = evaluate(world_.context(), options);
  ASSERT_TRUE(judged) << judged.error().text();
  const auto report = exported(judged->evaluation.candidate.content.brief());
  ASSERT_TRUE(report) << report.error().text();
  for (const os::Path& written : report->files) {
    EXPECT_THAT(written.string(), testing::Not(HasSubstr("../")));
    EXPECT_TRUE(std::filesystem::exists(world_.path("out") / written)) << written;
  }
  EXPECT_TRUE(dataset::Dataset::open(world_.path("out"))->solution(report->solution));
}

TEST_F(ExportTest, UnknownAndUnjudgedAreErrors) {
  const EvaluateReport fast = judged("fast.cpp", "cost=50", "gate");
  EXPECT_EQ(exported("nothing").error().code, "export.unknown");
  EXPECT_EQ(exported("0123").error().code, "export.unknown");
  EXPECT_EQ(exported(task::identify(*fast.request.incumbent).content.hex()).error().code, "export.not_judged");
  EXPECT_FALSE(std::filesystem::exists(world_.path("out")));
}

}  // namespace
}  // namespace assay::service
