#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <assay/task/request.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::parse;
using testing::sample_request;
using testing::sample_solution;

Json written(const EvaluationRequest& request) { return parse(encode(request).dump()); }

std::string request_fault(const Json& json) {
  const auto result = decode_request(json, "r.json");
  return result ? std::string() : result.error().message;
}

// The fault of the sample request after one field was replaced.
std::string fault_with(const std::string& pointer, const std::string& value) {
  Json json = written(sample_request());
  json[Json::json_pointer(pointer)] = parse(value);
  return request_fault(json);
}

TEST(RequestCodec, RoundTrips) {
  EvaluationRequest request = sample_request();
  EXPECT_EQ(encode(decode_request(written(request), "r").value()).dump(), encode(request).dump());
  EXPECT_EQ(decode_request(written(request), "r")->seed, 18446744073709551615U);
  request.stage = Stage::measure;
  request.seed.reset();
  request.incumbent.reset();
  const EvaluationRequest read = decode_request(written(request), "r").value();
  EXPECT_FALSE(read.seed.has_value());
  EXPECT_FALSE(read.incumbent.has_value());
  EXPECT_EQ(encode(read).dump(), encode(request).dump());
}

TEST(RequestCodec, TheMinimumSandboxIsWrittenOnlyIfThereIsOne) {
  EvaluationRequest request = sample_request();
  EXPECT_EQ(written(request)["plan"].contains("minimum_sandbox"), false);
  for (const std::string_view name : base::kSandboxLevels) {
    request.plan.minimum_sandbox = *base::parse_sandbox_level(name);
    EXPECT_EQ(decode_request(written(request), "r")->plan.minimum_sandbox, request.plan.minimum_sandbox);
  }
  EXPECT_THAT(fault_with("/plan/minimum_sandbox", "\"strong\""), HasSubstr("/plan/minimum_sandbox"));
}

TEST(RequestCodec, WhatIsKnownOfMachineCodeIsWrittenOnlyIfThereIsSomething) {
  EvaluationRequest request = sample_request();
  EXPECT_FALSE(written(request).contains("known_code"));
  EXPECT_FALSE(written(request).contains("refuse_twin"));
  request.known_code = {{0, std::string(64, 'a')}, {7, std::string(64, 'b')}};
  EXPECT_FALSE(written(request).contains("judge_twin"));
  request.refuse_twin = true;
  request.judge_twin = true;
  Json json = written(request);
  const EvaluationRequest read = decode_request(json, "r").value();
  ASSERT_EQ(read.known_code.size(), 2U);
  EXPECT_EQ(read.known_code[1].candidate, 7);
  EXPECT_EQ(read.known_code[1].machine_code, std::string(64, 'b'));
  EXPECT_TRUE(read.refuse_twin);
  EXPECT_TRUE(read.judge_twin);
  json["known_code"][0]["machine_code"] = "what";
  EXPECT_FALSE(decode_request(json, "r"));
  json = written(request);
  json["known_code"][0]["candidate"] = -1;
  EXPECT_FALSE(decode_request(json, "r"));
  json = written(request);
  json["known_code"] = Json::array();
  EXPECT_FALSE(decode_request(json, "r"));
}

TEST(RequestCodec, ClockAndCacheAreWrittenOnlyIfSomebodyChoseThem) {
  EvaluationRequest request = sample_request();
  EXPECT_FALSE(written(request)["plan"].contains("clock"));
  EXPECT_FALSE(written(request)["plan"].contains("cache"));
  for (const std::string_view name : base::kTimingMethods) {
    request.plan.clock = base::parse_timing_method(name);
    EXPECT_EQ(written(request)["plan"]["clock"], std::string(name));
    EXPECT_EQ(decode_request(written(request), "r")->plan.clock, request.plan.clock);
  }
  request.plan.cache = base::CacheState::hot;
  EXPECT_EQ(decode_request(written(request), "r")->plan.cache, base::CacheState::hot);
  EXPECT_THAT(fault_with("/plan/clock", "\"sundial\""), HasSubstr("/plan/clock"));
  EXPECT_THAT(fault_with("/plan/cache", "\"warm\""), HasSubstr("/plan/cache"));
}

TEST(RequestTiming, IsTheDevicesUnlessThePlanSaysOtherwise) {
  EvaluationRequest request = sample_request();
  request.device = "cpu";
  EXPECT_EQ(timing_of(request), (base::Timing{base::TimingMethod::wall, base::CacheState::cold}));
  request.device = "cuda:0";
  EXPECT_EQ(timing_of(request), (base::Timing{base::TimingMethod::events, base::CacheState::cold}));
  request.plan.clock = base::TimingMethod::graph;
  request.plan.cache = base::CacheState::hot;
  EXPECT_EQ(timing_of(request), (base::Timing{base::TimingMethod::graph, base::CacheState::hot}));
}

TEST(RequestTiming, AMethodThatTheDeviceLacksIsRefusedInWords) {
  SessionPlan plan;
  EXPECT_TRUE(check_timing(plan, "cpu"));
  EXPECT_TRUE(check_timing(plan, "cuda:0"));
  plan.clock = base::TimingMethod::cupti;
  EXPECT_TRUE(check_timing(plan, "cuda:0"));
  const auto refused = check_timing(plan, "cpu");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("cpu"), HasSubstr("cupti"), HasSubstr("wall")));
  plan.clock = base::TimingMethod::wall;
  EXPECT_FALSE(check_timing(plan, "cuda:0"));
}

TEST(RequestCodec, CarriesLengthsWhereThereAreSome) {
  EvaluationRequest request = sample_request();
  EXPECT_FALSE(written(request)["workloads"][0].contains("lengths"));
  request.workloads[1].lengths = {0, 7, 1};
  const Json json = written(request);
  EXPECT_EQ(json["workloads"][1]["lengths"], parse("[0, 7, 1]"));
  const EvaluationRequest read = decode_request(json, "r").value();
  EXPECT_TRUE(read.workloads[0].lengths.empty());
  EXPECT_EQ(read.workloads[1].lengths, request.workloads[1].lengths);
  EXPECT_EQ(encode(read).dump(), encode(request).dump());
  EXPECT_FALSE(encode(request.workloads[1]).contains("lengths")) << "the schema's own documents have none";
}

TEST(RequestCodec, LengthsAreCounts) {
  EXPECT_EQ(fault_with("/workloads/1/lengths", "[1099511627776]"), "");
  EXPECT_EQ(fault_with("/workloads/1/lengths", "null"), "");
  for (const char* bad : {"[-1]", "[1.5]", "[\"1\"]", "[null]", "[1099511627777]", "[true]", "[3, [4]]"}) {
    EXPECT_THAT(fault_with("/workloads/1/lengths", bad), HasSubstr("/workloads/1/lengths/")) << bad;
  }
  for (const char* bad : {"[]", "{}", "3", "\"1 2\""}) {
    EXPECT_THAT(fault_with("/workloads/1/lengths", bad), HasSubstr("/workloads/1/lengths:")) << bad;
  }
}

TEST(RequestCodec, CarriesWhereTheContentsOfInputsLie) {
  EvaluationRequest request = sample_request();
  EXPECT_FALSE(written(request)["workloads"][0].contains("given"));
  const std::string digest(64, 'a');
  request.workloads[1].given = {{"x", "/data/blob/w.safetensors", 88, 4096, digest}};
  const EvaluationRequest read = decode_request(written(request), "r").value();
  ASSERT_EQ(read.workloads[1].given.size(), 1U);
  EXPECT_EQ(read.workloads[1].given[0].file, "/data/blob/w.safetensors");
  EXPECT_EQ(read.workloads[1].given[0].offset, 88U);
  EXPECT_EQ(encode(read).dump(), encode(request).dump());
  EXPECT_FALSE(encode(request.workloads[1]).contains("given")) << "the schema's own documents have none";
  const auto fault = [&](const std::string& file, const std::string& sha256, const std::string& more) {
    return fault_with("/workloads/1/given", R"([{"input": "x", "file": ")" + file +
                                                R"(", "offset": 0, "bytes": 8, "sha256": ")" + sha256 + '"' + more +
                                                "}]");
  };
  EXPECT_EQ(fault("/a", digest, ""), "");
  EXPECT_THAT(fault("a", digest, ""), AllOf(HasSubstr("/workloads/1/given/0/file"), HasSubstr("absolute")));
  EXPECT_THAT(fault("/a", "abc", ""), HasSubstr("/workloads/1/given/0/sha256"));
  EXPECT_THAT(fault("/a", digest, R"(, "shape": [8])"), HasSubstr("shape"));
}

EvaluationRequest materialise_request() {
  EvaluationRequest request = sample_request();
  request.stage = Stage::materialise;
  request.workloads.resize(1);
  request.candidate = {};
  request.incumbent.reset();
  return request;
}

TEST(RequestCodec, WhatIsAboutNoCandidateTakesNone) {
  for (const Stage stage : {Stage::materialise, Stage::check_definition}) {
    EXPECT_FALSE(has_candidate(stage));
    EvaluationRequest request = materialise_request();
    request.stage = stage;
    const Json json = written(request);
    for (const char* field : {"candidate", "incumbent", "plan"}) {
      EXPECT_FALSE(json.contains(field)) << field;
      Json more = json;
      more[field] = written(sample_request())[field];
      EXPECT_THAT(request_fault(more), AllOf(HasSubstr(std::string("/") + field), HasSubstr("runs no candidate")));
    }
    EXPECT_EQ(encode(decode_request(json, "r").value()).dump(), json.dump());
  }
  EXPECT_TRUE(has_candidate(Stage::build) && has_candidate(Stage::sweep));
}

TEST(RequestCodec, ACheckOfADefinitionMayHaveSeveralWorkloads) {
  EvaluationRequest request = materialise_request();
  request.stage = Stage::check_definition;
  request.workloads.push_back(sample_request().workloads[1]);
  EXPECT_TRUE(decode_request(written(request), "r").has_value());
}

TEST(RequestCodec, AMaterialiseRequestIsOfOneWorkloadAndAGivenSeed) {
  EvaluationRequest request = materialise_request();
  request.seed.reset();
  EXPECT_THAT(request_fault(written(request)), HasSubstr("/seed: is missing"));
  request = materialise_request();
  request.workloads.push_back(sample_request().workloads[1]);
  EXPECT_THAT(request_fault(written(request)), HasSubstr("/workloads: has several"));
}

TEST(RequestCodec, KeepsTheCallingOrder) {
  EvaluationRequest request = sample_request();
  std::reverse(request.definition.inputs.begin(), request.definition.inputs.end());
  EXPECT_EQ(decode_request(written(request), "r")->definition.inputs.front().first, "scale");
}

TEST(RequestCodec, RefusesOtherVersionsBeforeAnythingElse) {
  EXPECT_THAT(fault_with("/version", "2"),
              AllOf(HasSubstr("r.json: /version: is not 1"), ::testing::Not(HasSubstr("more"))));
  EXPECT_THAT(request_fault(parse(R"({"version": 9, "whatever": 1})")), ::testing::Not(HasSubstr("more")));
  EXPECT_THAT(request_fault(parse(R"({"version": "1"})")), HasSubstr("/version"));
  Json json = written(sample_request());
  json.erase("version");
  EXPECT_THAT(request_fault(json), HasSubstr("/version: is missing"));
}

TEST(RequestCodec, RefusesUnknownFields) {
  Json json = written(sample_request());
  json["incumbant"] = nullptr;
  EXPECT_THAT(request_fault(json), AllOf(HasSubstr("/incumbant"), HasSubstr("did you mean \"incumbent\"?")));
  json = written(sample_request());
  json["plan"]["budget"] = 1;
  EXPECT_THAT(request_fault(json), HasSubstr("/plan/budget"));
}

TEST(RequestCodec, IdsArePlain) {
  for (const char* good : {"\"a\"", "\"0-z\""}) {
    EXPECT_EQ(fault_with("/id", good), "") << good;
  }
  EXPECT_EQ(fault_with("/id", "\"" + std::string(80, 'x') + "\""), "");
  for (const std::string& bad : {std::string(), std::string("A"), std::string("a/b"), std::string(".."),
                                 std::string("a b"), std::string("a_b"), std::string(81, 'x')}) {
    EXPECT_THAT(fault_with("/id", "\"" + bad + "\""), HasSubstr("/id:")) << bad;
  }
}

TEST(RequestCodec, DevicesAreKnown) {
  EXPECT_EQ(fault_with("/device", "\"simulated:18446744073709551615\""), "");
  for (const char* bad : {"\"gpu\"", "\"simulated:\"", "\"simulated:x\"", "\"simulated:-1\"", "\"simulated:1 \"",
                          "\"\"", "\"simulated:18446744073709551616\""}) {
    EXPECT_THAT(fault_with("/device", bad), HasSubstr("/device:")) << bad;
  }
}

TEST(RequestCodec, StagesThatCompareNeedAnIncumbent) {
  EXPECT_THAT(fault_with("/incumbent", "null"), AllOf(HasSubstr("/incumbent:"), HasSubstr("\"gate\"")));
  Json json = written(sample_request());
  json.erase("incumbent");
  json["stage"] = "sweep";
  EXPECT_THAT(request_fault(json), HasSubstr("\"sweep\""));
  json["stage"] = "build";
  EXPECT_EQ(request_fault(json), "");
  EXPECT_THAT(fault_with("/stage", "\"gates\""), AllOf(HasSubstr("/stage:"), HasSubstr("did you mean \"gate\"?")));
}

TEST(RequestCodec, PartsMustFitTogether) {
  EXPECT_THAT(fault_with("/candidate/definition", "\"other\""), HasSubstr("/candidate/definition:"));
  EXPECT_THAT(fault_with("/incumbent/definition", "\"other\""), HasSubstr("/incumbent/definition:"));
  EXPECT_THAT(fault_with("/workloads", "[]"), HasSubstr("/workloads:"));
  EXPECT_THAT(fault_with("/workloads/1/uuid", "\"w-1\""), HasSubstr("/workloads/1/uuid:"));
  EXPECT_THAT(fault_with("/workloads/1/axes", "{\"row\": 1}"), HasSubstr("/workloads/1/axes/row:"));
  EXPECT_THAT(fault_with("/definition/inputs/x/dtype", "\"float23\""),
              AllOf(HasSubstr("/definition/inputs/x/dtype:"), HasSubstr("did you mean \"float32\"?")));
  EXPECT_THAT(fault_with("/candidate/sources/0/path", "\"../k.cpp\""), HasSubstr("/candidate/sources/0/path:"));
}

TEST(RequestCodec, ReplaysFitTheDefinitionUnlessTheyAreDifficultOnes) {
  EvaluationRequest request = sample_request();
  request.replays = {{{request.workloads[0], std::nullopt, 1, 2, std::nullopt, std::nullopt}, "slow", "e-1"}};
  EXPECT_EQ(request_fault(written(request)), "");
  request.replays[0].input.workload.inputs.clear();
  EXPECT_THAT(request_fault(written(request)), HasSubstr("/replays/0/workload/inputs"));
  request.replays[0].input.stress_kind = "ties";
  EXPECT_EQ(request_fault(written(request)), "") << "those leave out what is random";
  Json json = written(request);
  json["replays"] = Json::array();
  EXPECT_THAT(request_fault(json), HasSubstr("/replays:"));
  json = written(sample_request());
  json["trials_turn"] = "whenever";
  EXPECT_THAT(request_fault(json), HasSubstr("/trials_turn:"));
  EXPECT_FALSE(written(sample_request()).contains("trials_turn")) << "a request of before means the same";
}

TEST(RequestCodec, AFaultyDefinitionIsNotHeldAgainstTheRest) {
  EXPECT_THAT(fault_with("/definition/name", "1"),
              AllOf(HasSubstr("/definition/name:"), ::testing::Not(HasSubstr("more"))));
}

TEST(PlanCodec, RoundTripsWithUnits) {
  const Json json = encode(SessionPlan{});
  EXPECT_EQ(json["call_limit_ms"], 2000);
  EXPECT_EQ(json["build_limit_ms"], 60000);
  EXPECT_EQ(json["worker_memory_bytes"], 4294967296);
  EXPECT_EQ(encode(decode_plan(json, "p").value()).dump(), json.dump());
}

TEST(PlanCodec, ChecksRanges) {
  const auto refused = [](const char* field, const char* value) {
    Json json = encode(SessionPlan{});
    json[field] = parse(value);
    const auto result = decode_plan(json, "p");
    return !result && result.error().message.find(std::string("/") + field) != std::string::npos;
  };
  EXPECT_TRUE(refused("minimum_pairs", "1"));
  EXPECT_TRUE(refused("maximum_pairs", "2"));
  EXPECT_TRUE(refused("maximum_pairs", "4294967300"));
  EXPECT_TRUE(refused("samples_per_pair", "0"));
  EXPECT_TRUE(refused("alpha", "0"));
  EXPECT_TRUE(refused("alpha", "1"));
  EXPECT_TRUE(refused("alpha", "\"NaN\""));
  EXPECT_TRUE(refused("test", "\"z_test\""));
  EXPECT_FALSE(refused("test", "\"evidence\""));
  EXPECT_TRUE(refused("minimum_effect", "-0.1"));
  EXPECT_TRUE(refused("minimum_effect", "1"));
  EXPECT_TRUE(refused("futility", "1"));
  EXPECT_TRUE(refused("futility", "-0.1"));
  EXPECT_FALSE(refused("futility", "0.05"));
  EXPECT_TRUE(refused("maximum_regression", "-1"));
  EXPECT_TRUE(refused("check_fraction", "1.5"));
  EXPECT_TRUE(refused("stress_trials", "-1"));
  EXPECT_FALSE(refused("stress_trials", "0"));
  EXPECT_TRUE(refused("self_comparison", "1"));
  EXPECT_FALSE(refused("self_comparison", "true"));
  EXPECT_TRUE(refused("call_limit_ms", "0"));
  EXPECT_TRUE(refused("load_limit_ms", "1.5"));
  EXPECT_TRUE(refused("build_limit_ms", "86400001"));
  EXPECT_TRUE(refused("worker_memory_bytes", "0"));
  EXPECT_TRUE(refused("worker_memory_bytes", "-1"));
  EXPECT_FALSE(refused("check_fraction", "0"));
  EXPECT_FALSE(refused("check_fraction", "1"));
  EXPECT_FALSE(refused("maximum_pairs", "3"));
  const Json whole = encode(SessionPlan{});
  for (const auto& [key, value] : whole.items()) {
    Json json = whole;
    json.erase(key);
    // Plans of before have neither.
    EXPECT_EQ(decode_plan(json, "p").has_value(), key == "futility" || key == "stress_trials") << key;
  }
}

TEST(PlanCodec, AnyPlanInRangeRoundTrips) {
  EXPECT_TRUE(rc::check("plan", [] {
    SessionPlan plan;
    plan.minimum_pairs = *rc::gen::inRange(2, 1000);
    plan.maximum_pairs = *rc::gen::inRange(plan.minimum_pairs, 10'001);
    plan.samples_per_pair = *rc::gen::inRange(1, 1'000'001);
    plan.alpha = *rc::gen::inRange(1, 1000) / 1001.0;
    plan.test = *rc::gen::element(PairedTest::student_t, PairedTest::evidence);
    plan.minimum_effect = *rc::gen::inRange(0, 1000) / 1000.0;
    plan.check_fraction = *rc::gen::inRange(0, 1001) / 1000.0;
    plan.stress_trials = *rc::gen::inRange(0, 1'000'001);
    plan.call_limit = std::chrono::milliseconds(*rc::gen::inRange(1, 86'400'001));
    plan.worker_memory_bytes = *rc::gen::nonZero<std::uint64_t>();
    const Json json = parse(encode(plan).dump());
    const auto read = decode_plan(json, "plan");
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->alpha == plan.alpha);
    RC_ASSERT(read->worker_memory_bytes == plan.worker_memory_bytes);
    RC_ASSERT(encode(*read).dump() == json.dump());
  }));
}

TEST(Stage, SpellingsAreFixed) {
  EXPECT_EQ(to_string(Stage::build), "build");
  EXPECT_EQ(to_string(Stage::measure), "measure");
  EXPECT_EQ(to_string(Stage::gate), "gate");
  EXPECT_EQ(to_string(Stage::sweep), "sweep");
  EXPECT_EQ(to_string(Stage::materialise), "materialise");
  EXPECT_EQ(to_string(Stage::check_definition), "check_definition");
  EXPECT_THAT(evaluated_stage_names(), ::testing::ElementsAre("build", "measure", "gate", "sweep"));
}

}  // namespace
}  // namespace assay::task
