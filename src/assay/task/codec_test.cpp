#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/task/codec.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::parse;
using testing::pointers;
using testing::sample_definition;
using testing::sample_solution;
using testing::sample_workload;

// Applies a JSON patch (RFC 6902) to a good document: each test says only what it spoils.
Json patched(const Json& json, const std::string& patch) { return json.patch(Json::parse(patch)); }

std::vector<std::string> definition_places(const std::string& patch) {
  return pointers(decode_definition(patched(encode(sample_definition()), patch)).problems);
}
std::vector<std::string> solution_places(const std::string& patch) {
  return pointers(decode_solution(patched(encode(sample_solution("s")), patch)).problems);
}

TEST(DefinitionCodec, RoundTrips) {
  const Json json = encode(sample_definition());
  const auto decoded = decode_definition(json);
  ASSERT_THAT(decoded.problems, IsEmpty());
  EXPECT_EQ(encode(*decoded.value).dump(), json.dump());
  EXPECT_EQ(decoded.value->outputs[1].second.shape, std::vector<std::string>{});
  EXPECT_FALSE(decoded.value->inputs[1].second.shape.has_value());
  EXPECT_EQ(decoded.value->inputs[0].second.dtype, tensor::DType::bfloat16);
}

TEST(DefinitionCodec, FindsEveryFaultAtOnce) {
  EXPECT_THAT(definition_places(R"([{"op":"replace","path":"/name","value":""},
                                    {"op":"replace","path":"/axes/columns/value","value":-1},
                                    {"op":"replace","path":"/inputs/x/dtype","value":"bf16"},
                                    {"op":"replace","path":"/outputs/y/shape/0","value":"row"},
                                    {"op":"replace","path":"/constraints/0","value":"a ="},
                                    {"op":"remove","path":"/op_type"}])"),
              ElementsAre("/name", "/op_type", "/axes/columns/value", "/inputs/x/dtype", "/constraints/0",
                          "/outputs/y/shape/0"));
}

TEST(DefinitionCodec, SuggestsNearNames) {
  const auto dtype = decode_definition(
      patched(encode(sample_definition()), R"([{"op":"replace","path":"/inputs/x/dtype","value":"bfloat61"}])"));
  EXPECT_THAT(dtype.problems.at(0).message, AllOf(HasSubstr("did you mean \"bfloat16\"?"), HasSubstr("float8_e5m2")));
  const auto axis = decode_definition(
      patched(encode(sample_definition()), R"([{"op":"replace","path":"/inputs/x/shape/1","value":"column"}])"));
  EXPECT_THAT(axis.problems.at(0).message, AllOf(HasSubstr("\"column\""), HasSubstr("\"columns\"")));
}

TEST(DefinitionCodec, WrongTypesAreFaultsNotCrashes) {
  for (const char* field : {"name", "op_type", "axes", "inputs", "outputs", "reference", "tags", "constraints"}) {
    for (const char* value : {"1", "null", "[1]", "{\"a\":1}", "\"x\"", "[[]]", "{\"a\":[{}]}"}) {
      Json json = encode(sample_definition());
      json[field] = parse(value);
      const auto decoded = decode_definition(json);
      EXPECT_EQ(decoded.value.has_value(), decoded.problems.empty()) << field << " " << value;
    }
  }
  for (const char* whole : {"1", "null", "[]", "\"x\""}) {
    EXPECT_THAT(pointers(decode_definition(parse(whole)).problems), ElementsAre("")) << whole;
  }
}

TEST(DefinitionCodec, AValueWithoutATypeIsAConstant) {
  EXPECT_THAT(definition_places(R"([{"op":"replace","path":"/axes/rows","value":{"value":-1}}])"),
              ElementsAre("/axes/rows/value"));
}

TEST(WorkloadCodec, KeepsTheKindOfAScalar) {
  Workload workload = sample_workload("w", 2);
  workload.inputs = {{"a", ScalarInput{std::int64_t{1}}},
                     {"b", ScalarInput{1.0}},
                     {"c", ScalarInput{true}},
                     {"d", ScalarInput{std::nan("")}},
                     {"e", ScalarInput{-std::numeric_limits<double>::infinity()}},
                     {"f", SafetensorsInput{"p", "k"}},
                     {"g", RandomInput{}}};
  const Json json = parse(encode(workload).dump());
  const Workload read = decode_workload(json).value.value();
  EXPECT_EQ(encode(read).dump(), encode(workload).dump());
  EXPECT_TRUE(std::holds_alternative<std::int64_t>(std::get<ScalarInput>(read.inputs[0].second).value));
  EXPECT_TRUE(std::holds_alternative<double>(std::get<ScalarInput>(read.inputs[1].second).value));
  EXPECT_TRUE(std::holds_alternative<bool>(std::get<ScalarInput>(read.inputs[2].second).value));
  EXPECT_TRUE(std::isnan(std::get<double>(std::get<ScalarInput>(read.inputs[3].second).value)));
}

TEST(WorkloadCodec, TellsTheKindOfAnInputFromItsFields) {
  const auto kind = [](const std::string& input) -> std::string {
    Json json = encode(sample_workload("w", 2));
    json["inputs"]["x"] = parse(input);
    const auto decoded = decode_workload(json);
    return decoded.value ? encode(*decoded.value)["inputs"]["x"].dump() : decoded.problems.at(0).pointer;
  };
  EXPECT_EQ(kind("{}"), R"({"type":"random"})");
  EXPECT_EQ(kind(R"({"value":"1.5"})"), R"({"type":"scalar","value":1.5})");
  EXPECT_EQ(kind(R"({"value":"yes"})"), R"({"type":"scalar","value":true})");
  EXPECT_EQ(kind(R"({"path":"a","tensor_key":"k"})"), R"({"type":"safetensors","path":"a","tensor_key":"k"})");
  EXPECT_EQ(kind(R"({"value":1,"path":"a","tensor_key":"k"})"),
            R"({"type":"safetensors","path":"a","tensor_key":"k"})");
  EXPECT_EQ(kind(R"({"path":"a"})"), "/inputs/x/tensor_key");
  EXPECT_EQ(kind(R"({"value":[]})"), "/inputs/x/value");
  EXPECT_EQ(kind(R"({"type":"scalar"})"), "/inputs/x/value");
  EXPECT_EQ(kind(R"({"type":"scala","value":1})"), "/inputs/x/type");
  EXPECT_EQ(kind("3"), "/inputs/x");
}

TEST(SolutionCodec, RoundTripsAndLeavesTheExtensionOut) {
  const Json json = encode(sample_solution("s"));
  EXPECT_FALSE(json.contains("assay"));
  EXPECT_EQ(encode(decode_solution(json).value.value()).dump(), json.dump());
}

TEST(SolutionCodec, PathsAreHeldInside) {
  const auto path = [](const std::string& value) {
    Json json = encode(sample_solution("s"));
    json["sources"][1]["path"] = value;
    return decode_solution(json).problems;
  };
  EXPECT_THAT(path("lib/other.hpp"), IsEmpty());
  EXPECT_THAT(path("./lib/other.hpp"), IsEmpty());
  EXPECT_THAT(path("a..b/..c"), IsEmpty());
  for (const char* bad : {"../x", "a/../../x", "a/..", "..", "/etc/passwd", "", "a/", ".", "a/.", "kernel.cpp",
                          "./kernel.cpp", ".//kernel.cpp", "kernel.cpp/inner.h", "a\nb"}) {
    EXPECT_THAT(pointers(path(bad)), ElementsAre("/sources/1/path")) << bad;
  }
  EXPECT_THAT(path("../x").at(0).message, AllOf(HasSubstr("\"../x\""), HasSubstr("inside it")));
  EXPECT_THAT(path("/x").at(0).message, HasSubstr("relative"));
  EXPECT_THAT(path("./kernel.cpp").at(0).message, HasSubstr("keep one of them"));
  Json nul = encode(sample_solution("s"));
  nul["sources"][1]["path"] = std::string("a\0b", 3);
  EXPECT_THAT(pointers(decode_solution(nul).problems), ElementsAre("/sources/1/path"));
}

TEST(SolutionCodec, EntryPointIsAFileOfTheSources) {
  EXPECT_THAT(solution_places(R"([{"op":"replace","path":"/spec/entry_point","value":"kernel.cpp"}])"),
              ElementsAre("/spec/entry_point"));
  EXPECT_THAT(solution_places(R"([{"op":"replace","path":"/spec/entry_point","value":"kernal.cpp::run"}])"),
              ElementsAre("/spec/entry_point"));
  EXPECT_THAT(solution_places(R"([{"op":"replace","path":"/spec/entry_point","value":"a::b::c"}])"),
              ElementsAre("/spec/entry_point"));
}

TEST(SolutionCodec, EveryLanguageAndBindingHasItsSpelling) {
  for (const char* language : {"python", "triton", "cpp", "cuda", "tilelang"}) {
    for (const char* binding : {"tvm-ffi", "torch"}) {
      Json json = encode(sample_solution("s"));
      json["spec"]["language"] = language;
      json["spec"]["binding"] = binding;
      EXPECT_EQ(encode(decode_solution(json).value.value()).dump(), json.dump());
    }
  }
}

Json tunable() {
  Json json = encode(sample_solution("s"));
  json["assay"] = parse(R"({"tuning": {"parameters": {"BLOCK": [8, 16, 64], "UNROLL": [1, 4]},
                                       "constraints": ["BLOCK % (UNROLL * 4) == 0"]}})");
  return json;
}

TEST(SolutionExtension, RoundTrips) {
  Json json = tunable();
  EXPECT_EQ(encode(decode_solution(json).value.value()).dump(), json.dump());
  json["assay"]["parameters"] = parse(R"({"BLOCK": 16, "UNROLL": 4})");
  const Solution chosen = decode_solution(json).value.value();
  EXPECT_EQ(chosen.parameters, (Named<std::int64_t>{{"BLOCK", 16}, {"UNROLL", 4}}));
  EXPECT_EQ(encode(chosen).dump(), json.dump());
  json["assay"].erase("tuning");
  EXPECT_EQ(encode(decode_solution(json).value.value()).dump(), json.dump());
}

TEST(SolutionExtension, AnEmptyOneIsNotWritten) {
  for (const char* empty : {"{}", "null", R"({"tuning": null})", R"({"parameters": {}})"}) {
    Json json = encode(sample_solution("s"));
    json["assay"] = parse(empty);
    EXPECT_FALSE(encode(decode_solution(json).value.value()).contains("assay")) << empty;
  }
}

TEST(SolutionExtension, FaultsHaveTheirPlace) {
  const auto places = [](const std::string& patch) {
    return pointers(decode_solution(patched(tunable(), patch)).problems);
  };
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/tunning","value":1}])"), ElementsAre("/assay/tunning"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/tuning/seed","value":1}])"), ElementsAre("/assay/tuning/seed"));
  EXPECT_THAT(places(R"([{"op":"replace","path":"/assay/tuning/parameters","value":{}}])"),
              Contains("/assay/tuning/parameters"));
  EXPECT_THAT(places(R"([{"op":"replace","path":"/assay/tuning/parameters/BLOCK","value":[]}])"),
              ElementsAre("/assay/tuning/parameters/BLOCK"));
  EXPECT_THAT(places(R"([{"op":"replace","path":"/assay/tuning/parameters/BLOCK","value":[8,8]}])"),
              ElementsAre("/assay/tuning/parameters/BLOCK"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/tuning/parameters/2X","value":[1]}])"),
              ElementsAre("/assay/tuning/parameters/2X"));
  EXPECT_THAT(places(R"([{"op":"replace","path":"/assay/tuning/constraints/0","value":"BLOK > 1"}])"),
              ElementsAre("/assay/tuning/constraints/0"));
  EXPECT_THAT(places(R"([{"op":"replace","path":"/assay/tuning/constraints/0","value":"BLOCK / 2"}])"),
              ElementsAre("/assay/tuning/constraints/0"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/parameters","value":{"BLOCK":8}}])"),
              ElementsAre("/assay/parameters"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/parameters","value":{"BLOCK":9,"UNROLL":1}}])"),
              ElementsAre("/assay/parameters/BLOCK"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/parameters","value":{"BLOCK":8,"UNROLL":1,"X":1}}])"),
              ElementsAre("/assay/parameters/X"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/parameters","value":{"BLOCK":8,"UNROLL":4}}])"),
              ElementsAre("/assay/parameters"));
  EXPECT_THAT(places(R"([{"op":"add","path":"/assay/parameters","value":{"A-B":8}}])"),
              ElementsAre("/assay/parameters/A-B"));
}

TEST(TraceCodec, KeepsNumbersThatAreNotFinite) {
  Trace trace;
  trace.definition = "scale_rows";
  trace.workload = sample_workload("w", 2);
  trace.solution = "s";
  trace.evaluation = TraceEvaluation{};
  trace.evaluation->hardware = "H";
  trace.evaluation->libraries = {{"torch", "2.9"}};
  trace.evaluation->timestamp = "t";
  trace.evaluation->status = TraceStatus::incorrect_numerical;
  trace.evaluation->correctness =
      TraceCorrectness{std::numeric_limits<double>::infinity(), std::nan(""), R"({"tvd":0.5})"};
  const Json json = parse(encode(trace).dump());
  EXPECT_EQ(json["evaluation"]["correctness"]["max_relative_error"], "Infinity");
  EXPECT_EQ(json["evaluation"]["correctness"]["max_absolute_error"], "NaN");
  EXPECT_EQ(encode(decode_trace(json).value.value()).dump(), json.dump());
}

TEST(TraceCodec, PerformanceIsANumberOfAtLeastZero) {
  Trace trace;
  trace.definition = "d";
  trace.workload = sample_workload("w", 2);
  trace.evaluation = TraceEvaluation{};
  trace.evaluation->hardware = "H";
  trace.evaluation->timestamp = "t";
  trace.evaluation->correctness = TraceCorrectness{};
  trace.evaluation->performance = TracePerformance{};
  const Json good = encode(trace);
  ASSERT_TRUE(decode_trace(good).value.has_value());
  for (const char* value : {"-1", "\"NaN\"", "\"-Infinity\"", "null"}) {
    Json json = good;
    json["evaluation"]["performance"]["latency_ms"] = parse(value);
    EXPECT_THAT(pointers(decode_trace(json).problems), ElementsAre("/evaluation/performance/latency_ms")) << value;
  }
}

TEST(TraceCodec, StatusesHaveTheirSpelling) {
  EXPECT_EQ(to_string(TraceStatus::passed), "PASSED");
  EXPECT_EQ(to_string(TraceStatus::incorrect_dtype), "INCORRECT_DTYPE");
  EXPECT_EQ(to_string(TraceStatus::timeout), "TIMEOUT");
}

TEST(Loading, ErrorsNameTheFileThePlaceAndTheRemedy) {
  EXPECT_EQ(load_definition("{\"name\": ", "d.json").error().code, "json.syntax");
  const auto error = load_definition("{}", "d.json").error();
  EXPECT_THAT(error.message, AllOf(HasSubstr("d.json: /name: is missing: add it"), HasSubstr("and 5 more")));
  EXPECT_EQ(error.owner, base::Owner::input);
  EXPECT_TRUE(load_definition(encode(sample_definition()).dump(), "d.json").has_value());
  EXPECT_TRUE(load_solution(encode(sample_solution("s")).dump(), "s.json").has_value());
  EXPECT_THAT(load_solution("[]", "s.json").error().message, HasSubstr("s.json: the document: must be an object"));
}

}  // namespace
}  // namespace assay::task
