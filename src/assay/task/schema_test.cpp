#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/flashinfer_documents.hpp>
#include <assay/task/sample_evaluation.hpp>
#include <assay/task/test_documents.hpp>

// Holds the published schemas against the decoders: they may differ only where these tests say so.
namespace assay::task {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

json read_json(const std::string& path) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  return json::parse(file);
}

class SchemaFile {
 public:
  explicit SchemaFile(const std::string& kind) : text_(read_json("schemas/" + kind + ".schema.json")) {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(
        NlohmannJsonAdapter(text_), schema_,
        [](const std::string& uri) -> const json* { return new json(read_json("schemas/" + uri)); },
        [](const json* document) { delete document; });
  }
  bool accepts(const json& document) const {
    valijson::Validator validator;
    return validator.validate(schema_, NlohmannJsonAdapter(document), nullptr);
  }

 private:
  json text_;
  valijson::Schema schema_;
};

const SchemaFile& schema(const std::string& kind) {
  static std::map<std::string, SchemaFile*> files;  // parsed once, kept until the end
  SchemaFile*& file = files[kind];
  if (file == nullptr) {
    static std::vector<std::unique_ptr<SchemaFile>> owned;
    owned.push_back(std::make_unique<SchemaFile>(kind));
    file = owned.back().get();
  }
  return *file;
}

bool decodes(const std::string& kind, const base::Json& document) {
  if (kind == "definition.flashinfer") {
    return decode_definition(document, Dialect::flashinfer).value.has_value();
  }
  if (kind == "solution.flashinfer") {
    return decode_solution(document, Dialect::flashinfer).value.has_value();
  }
  if (kind == "definition") {
    return decode_definition(document).value.has_value();
  }
  if (kind == "workload") {
    return decode_workload(document).value.has_value();
  }
  if (kind == "solution") {
    return decode_solution(document).value.has_value();
  }
  if (kind == "trace") {
    return decode_trace(document).value.has_value();
  }
  return kind == "request" ? decode_request(document, "r").has_value() : decode_evaluation(document, "e").has_value();
}

// The decoder knows more than a schema can say: names that must exist, Python, two paths to one file.
const std::set<std::string> kSchemaKnowsLess = {"definition/undefined_axis_input",  "definition/undefined_axis_output",
                                                "definition/overlap_input_output",  "definition/reference_syntax_error",
                                                "definition/reference_async_run",   "definition/constraints_statement",
                                                "solution/entry_'::run'",           "solution/source_dup_path",
                                                "solution/source_dup_path_dotslash"};

// The decoder reads these kindly; the schemas ask for the plain types.
const std::set<std::string> kSchemaAsksForMore = {"definition/axis_const_float_integral",
                                                  "workload/axis_bool",
                                                  "workload/axis_string_num",
                                                  "workload/in_scalar_numstr",
                                                  "workload/in_empty",
                                                  "workload/in_notype_value",
                                                  "solution/dps_string_true"};

TEST(Schemas, AgreeWithTheDecodersOnTheConformanceData) {
  std::set<std::string> less;
  std::set<std::string> more;
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/data/schema_conformance.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const base::Json one = base::Json::parse(line);
    const std::string kind = one["kind"];
    const bool decoded = decodes(kind, one["input"]);
    const bool valid = schema(kind).accepts(json::parse(one["input"].dump()));
    if (decoded != valid) {
      (valid ? less : more).insert(kind + "/" + one["name"].get<std::string>());
    }
    ++count;
  }
  EXPECT_EQ(count, 140);
  EXPECT_EQ(less, kSchemaKnowsLess);
  EXPECT_EQ(more, kSchemaAsksForMore);
}

// Every pointer into a document, the document itself left out.
void collect(const json& value, const json::json_pointer& place, std::vector<json::json_pointer>& places) {
  if (!place.empty()) {
    places.push_back(place);
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      collect(member, place / key, places);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      collect(value[i], place / i, places);
    }
  }
}

// Changes a good document at every place in turn and names those where decoder and schema disagree. Left out is what
// begins with one of `ignored`: there a rule between fields decides, which a schema cannot say. With `within`, only what
// begins with it.
std::vector<std::string> disagreements(const std::string& kind, const base::Json& good, const std::vector<json>& values,
                                       const std::vector<std::string>& ignored = {}, const std::string& within = "") {
  const json document = json::parse(good.dump());
  std::vector<json::json_pointer> places;
  collect(document, json::json_pointer(), places);
  std::vector<std::string> found;
  int compared = 0;
  const auto counts = [&](const std::string& what) {
    return what.starts_with(within) && std::none_of(ignored.begin(), ignored.end(),
                                                    [&](const std::string& place) { return what.starts_with(place); });
  };
  const auto compare = [&](const json& changed, const std::string& what) {
    ++compared;
    const bool valid = schema(kind).accepts(changed);
    if (decodes(kind, base::Json::parse(changed.dump())) != valid) {
      found.push_back(what + (valid ? " only the schema accepts" : " only the decoder accepts"));
    }
  };
  compare(document, "unchanged");
  for (const json::json_pointer& place : places) {
    const std::string name = place.to_string();
    for (const json& value : values) {
      const std::string what = name + " = " + value.dump();
      if (counts(what)) {
        json changed = document;
        changed[place] = value;
        compare(changed, what);
      }
    }
    if (document[place].is_object() && counts(name + "/zzz added")) {
      json changed = document;
      changed[place]["zzz"] = 1;
      compare(changed, name + "/zzz added");
    }
    if (document[place.parent_pointer()].is_object() && counts(name + " removed")) {
      json changed = document;
      changed[place.parent_pointer()].erase(place.back());
      compare(changed, name + " removed");
    }
  }
  EXPECT_GT(places.size(), 5U);
  EXPECT_GT(compared, 5);
  return found;
}

const std::vector<json> kAnyValue = {nullptr, -1, 0, 1.5, "", "x", "NaN", true, json::array(), json::object()};
// Values that no coercion turns into another type.
const std::vector<json> kPlainValue = {nullptr, -1, "", "x", json::array(), json::object()};

TEST(Schemas, EvaluationAgreesAtEveryPlace) {
  Evaluation evaluation = testing::sample_evaluation();
  evaluation.seed = 7;  // valijson reads integers as signed
  EXPECT_THAT(disagreements("evaluation", encode(evaluation), kAnyValue, {"/failing_inputs/0/workload"}),
              ::testing::IsEmpty());
}

TEST(Schemas, RequestAgreesAtEveryPlace) {
  EvaluationRequest request = testing::sample_request();
  request.seed = 7;  // valijson reads integers as signed
  EXPECT_THAT(disagreements("request", encode(request), kAnyValue,
                            {"/definition", "/workloads/", "/candidate", "/incumbent/", "/plan/minimum_pairs",
                             "/plan/maximum_pairs"}),
              ::testing::IsEmpty());
}

TEST(Schemas, RequestWithLengthsAgreesAtEveryPlace) {
  EvaluationRequest request = testing::sample_request();
  request.seed = 7;
  request.workloads[1].lengths = {3, 0};
  EXPECT_THAT(disagreements("request", encode(request), kAnyValue, {}, "/workloads/1/lengths"), ::testing::IsEmpty());
}

TEST(Schemas, RequestWithReplaysAgreesAtEveryPlace) {
  EvaluationRequest request = testing::sample_request();
  request.seed = 7;
  request.trials = 9;
  request.trials_turn = TrialsTurn::after_gain;
  request.kept_inputs = 3;
  request.replays = {{{testing::sample_workload("w-9", 3), "ties", 1, 2, 3, false}, "slow (1234)", "e-1"}};
  for (const char* within : {"/replays", "/trials_turn", "/kept_inputs"}) {
    EXPECT_THAT(disagreements("request", encode(request), kAnyValue, {"/replays/0/workload"}, within),
                ::testing::IsEmpty());
  }
}

TEST(Schemas, MaterialiseRequestAgreesAtEveryPlace) {
  EvaluationRequest request = testing::sample_request();
  request.stage = Stage::materialise;
  request.seed = 7;
  request.workloads.resize(1);
  EXPECT_THAT(disagreements("request", encode(request), kAnyValue, {"/definition", "/workloads/"}),
              ::testing::IsEmpty());
}

TEST(Schemas, DefinitionAgreesAtEveryPlace) {
  EXPECT_THAT(disagreements("definition", encode(testing::sample_definition()), kPlainValue,
                            {"/axes", "/inputs/x/shape/", "/outputs/y/shape/", "/constraints/0", "/reference"}),
              ::testing::IsEmpty());
}

TEST(Schemas, FlashinfersDefinitionAgreesAtEveryPlace) {
  EXPECT_THAT(disagreements("definition.flashinfer", testing::flashinfer_definition(), kPlainValue,
                            {"/axes", "/constraints/0", "/constraints/1", "/reference", "/check", "/init"}),
              ::testing::IsEmpty());
}

TEST(Schemas, FlashinfersSolutionAgreesAtEveryPlace) {
  EXPECT_THAT(disagreements("solution.flashinfer", testing::flashinfer_solution(), kPlainValue,
                            {"/spec/entry_point", "/sources/0"}),
              ::testing::IsEmpty());
}

TEST(Schemas, ARequestMayHoldEitherDialect) {
  EvaluationRequest request = testing::sample_request();
  request.seed = 7;
  request.definition = decode_definition(testing::runnable_flashinfer_definition(), Dialect::flashinfer).value.value();
  request.candidate = decode_solution(testing::flashinfer_solution(), Dialect::flashinfer).value.value();
  EXPECT_TRUE(schema("request").accepts(json::parse(encode(request).dump())));
}

TEST(Schemas, WorkloadAgreesAtEveryPlace) {
  EXPECT_THAT(
      disagreements("workload", encode(testing::sample_workload("w", 2)), kPlainValue,
                    {"/inputs/x = {}", "/inputs/scale = {}", "/inputs/x/type removed", "/inputs/scale/type removed"}),
      ::testing::IsEmpty());
}

TEST(Schemas, SolutionAgreesAtEveryPlace) {
  Solution solution = testing::sample_solution("s");
  solution.tuning = Tuning{{{"BLOCK", {8, 16}}}, {"BLOCK > 1"}};
  EXPECT_THAT(disagreements("solution", encode(solution), kPlainValue,
                            {"/spec/entry_point", "/sources/0", "/assay/tuning/constraints/0",
                             "/assay/tuning/parameters/BLOCK removed", "/assay/tuning/parameters = {}"}),
              ::testing::IsEmpty());
}

TEST(Schemas, TraceAgreesAtEveryPlace) {
  Trace trace;
  trace.definition = "d";
  trace.workload = testing::sample_workload("w", 2);
  trace.solution = "s";
  trace.evaluation = TraceEvaluation{
      TraceStatus::passed, "H", {{"torch", "2"}}, "t", "", TraceCorrectness{0, 1, "{}"}, TracePerformance{1, 2, 2}};
  EXPECT_THAT(disagreements("trace", encode(trace), kPlainValue, {"/workload/inputs"}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace assay::task
