#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <assay/task/dialect.hpp>
#include <assay/task/flashinfer_documents.hpp>
#include <assay/task/generate_documents.hpp>
#include <assay/task/python_syntax.hpp>
#include <assay/task/test_documents.hpp>

// Reading and writing FlashInfer's own dialect.
namespace assay::task {
namespace {

using base::Json;
using ::testing::ElementsAre;
using testing::flashinfer_definition;
using testing::flashinfer_solution;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Definition read_flashinfer(const Json& json) {
  auto result = decode_definition(json, Dialect::flashinfer);
  EXPECT_TRUE(result.value) << problems_error("definition", result.problems).message;
  return result.value.value();
}

std::vector<std::string> refused_at(const Json& json) {
  return testing::pointers(decode_definition(json, Dialect::flashinfer).problems);
}

TEST(FlashinferDialect, EverythingIsReadAndWrittenBackAsItWas) {
  const Json json = flashinfer_definition();
  const Definition definition = read_flashinfer(json);
  EXPECT_EQ(encode(definition).dump(2), json.dump(2));
  EXPECT_EQ(encode_as(definition, Dialect::flashinfer)->dump(2), json.dump(2));

  const TensorSpec* mask = find(definition.inputs, "mask");
  EXPECT_EQ(mask->dtype, tensor::DType::unknown);
  EXPECT_TRUE(mask->optional);
  EXPECT_EQ(find(definition.inputs, "codes")->dtype, tensor::DType::uint8);
  EXPECT_EQ(find(definition.inputs, "seed")->dtype, tensor::DType::uint32);
  EXPECT_EQ(find(definition.inputs, "eps")->dtype, tensor::DType::float64);
  EXPECT_EQ(find(definition.inputs, "layout")->dtype, tensor::DType::string);
  EXPECT_EQ(find(definition.inputs, "out_dtype")->dtype, tensor::DType::element_type);
  EXPECT_EQ(find(definition.outputs, "weight")->param, "out");
  EXPECT_TRUE(find(definition.axes, "page")->unresolved);
  EXPECT_EQ(reference_function(definition.reference), "_blend_reference");
  EXPECT_THAT(definition.check.value_or(""), HasSubstr("_blend_check"));
  EXPECT_THAT(definition.init.value_or(""), HasSubstr("_blend_init"));
}

TEST(FlashinferDialect, AnOutputIsWrittenOverTheInputThatItNames) {
  const Definition definition = read_flashinfer(flashinfer_definition());
  ASSERT_NE(in_place_input(definition, "v"), nullptr);
  EXPECT_EQ(*in_place_input(definition, "v"), "v");
  EXPECT_EQ(in_place_input(definition, "weight"), nullptr) << "\"out\" is a buffer of the API, no input";
  EXPECT_EQ(in_place_input(definition, "nothing"), nullptr);

  Json renamed = flashinfer_definition();
  renamed["outputs"]["weight"]["param"] = "seed";
  renamed["outputs"]["v"]["param"] = "codes";
  const Definition other = read_flashinfer(renamed);
  EXPECT_EQ(*in_place_input(other, "weight"), "seed");
  EXPECT_EQ(*in_place_input(other, "v"), "codes") << "the parameter decides before the name";
}

TEST(FlashinferDialect, AMissingReferenceIsNoFault) {
  Json json = flashinfer_definition();
  json.erase("reference");
  EXPECT_EQ(encode(read_flashinfer(json)).dump(), json.dump());
  json["reference"] = nullptr;
  EXPECT_EQ(read_flashinfer(json).reference, "");
}

TEST(FlashinferDialect, FlashinferBenchsNullsAndRunAreReadToo) {
  Json json = flashinfer_definition();
  json["reference"] = "def run(v):\n    return v\n";
  json["check"] = nullptr;
  json["init"] = nullptr;
  json["description"] = nullptr;
  json["inputs"]["v"]["optional"] = nullptr;
  json["outputs"]["v"]["param"] = nullptr;
  const Definition definition = read_flashinfer(json);
  EXPECT_FALSE(definition.check || definition.init || definition.description);
  EXPECT_FALSE(encode(definition).contains("check"));
}

TEST(FlashinferDialect, FaultsHaveAPlaceAndARemedy) {
  const auto with = [](const char* pointer, const Json& value) {
    Json json = flashinfer_definition();
    json[Json::json_pointer(pointer)] = value;
    return refused_at(json);
  };
  EXPECT_THAT(with("/inputs/v/dtype", "uint16"), ElementsAre("/inputs/v/dtype"));
  EXPECT_THAT(with("/inputs/v/optional", "perhaps"), ElementsAre("/inputs/v/optional"));
  EXPECT_THAT(with("/outputs/v/param", 3), ElementsAre("/outputs/v/param"));
  EXPECT_THAT(with("/outputs/v/param", ""), ElementsAre("/outputs/v/param"));
  EXPECT_THAT(with("/axes/page/value", -1), ElementsAre("/axes/page/value"));
  EXPECT_THAT(with("/check", "x = 1\n"), ElementsAre("/check"));
  EXPECT_THAT(with("/init", "def f(:\n  pass\n)"), ElementsAre("/init"));
  EXPECT_THAT(with("/init", 1), ElementsAre("/init"));
  EXPECT_THAT(with("/reference", "def helper(x):\n    return x\n"), ElementsAre("/reference"));
  EXPECT_THAT(with("/reference", "def f(:\n    pass\n"), ElementsAre("/reference"));
  EXPECT_THAT(with("/constraints/0", "rows >="), ElementsAre("/constraints/0"));
  EXPECT_THAT(with("/name", ""), ElementsAre("/name"));
}

TEST(FlashinferDialect, TheFunctionOfAReferenceIsRunOrTheLastOfItsKind) {
  EXPECT_EQ(reference_function("def run(x):\n  pass\ndef _a_reference(x):\n  pass\n"), "run");
  EXPECT_EQ(reference_function("def _a_reference(x):\n  pass\ndef _b_reference(x):\n  pass\n"), "_b_reference");
  EXPECT_EQ(reference_function("@torch.no_grad()\ndef _a_reference(\n    x,\n):\n  pass\n"), "_a_reference");
  EXPECT_EQ(reference_function("def outer(x):\n  def run(y):\n    pass\n"), std::nullopt);
  EXPECT_EQ(reference_function("async def run(x):\n  pass\n"), std::nullopt);
  EXPECT_EQ(reference_function("def run(x:\n"), std::nullopt);
  EXPECT_EQ(reference_function(""), std::nullopt);
}

TEST(FlashinferDialect, ASolutionsMissingStyleIsFalse) {
  Json json = flashinfer_solution();
  const auto given = decode_solution(json, Dialect::flashinfer);
  ASSERT_TRUE(given.value);
  EXPECT_EQ(given.value->spec.language, Language::cutedsl);
  EXPECT_EQ(encode(*given.value).dump(), json.dump()) << "what is absent stays absent";

  json["spec"].erase("destination_passing_style");
  EXPECT_FALSE(decode_solution(json, Dialect::flashinfer).value->spec.destination_passing_style);
  json["spec"]["language"] = "cuda";
  EXPECT_FALSE(decode_solution(json, Dialect::flashinfer).value->spec.destination_passing_style);
  EXPECT_TRUE(decode_solution(json, Dialect::flashinfer_bench).value->spec.destination_passing_style);
}

TEST(FlashinferDialect, EveryLanguageIsReadInItsDialect) {
  for (const char* language : {"cutedsl", "cutlass", "cutile"}) {
    Json json = flashinfer_solution();
    json["spec"]["language"] = language;
    const auto read = decode_solution(json, Dialect::flashinfer);
    ASSERT_TRUE(read.value) << language;
    EXPECT_EQ(to_string(read.value->spec.language), language);
    EXPECT_THAT(testing::pointers(decode_solution(json, Dialect::flashinfer_bench).problems),
                ElementsAre("/spec/language"));
  }
}

TEST(FlashinferDialect, LoadersAndRequestsTellTheDialectThemselves) {
  const auto definition = load_definition(flashinfer_definition().dump(), "d.json");
  ASSERT_TRUE(definition) << definition.error().text();
  const auto solution = load_solution(flashinfer_solution().dump(), "s.json");
  ASSERT_TRUE(solution) << solution.error().text();

  EvaluationRequest request = testing::sample_request();
  request.definition = *definition;
  request.workloads = {Workload{"w", {{"rows", 3}}, {}, {}}};
  for (const char* name : {"v", "codes", "seed"}) {
    request.workloads[0].inputs.emplace_back(name, RandomInput{});
  }
  request.candidate = *solution;
  request.incumbent = *solution;
  const Json json = encode(request);
  const auto again = decode_request(Json::parse(json.dump()), "request");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(encode(*again).dump(), json.dump());
  EXPECT_EQ(identify(again->candidate), identify(*solution));
}

// Makes any definition one that only FlashInfer's dialect can express.
Definition any_flashinfer_definition() {
  Definition definition = testing::any_definition();
  definition.tags = testing::some_texts();
  for (Named<TensorSpec>* group : {&definition.inputs, &definition.outputs}) {
    for (auto& [name, spec] : *group) {
      spec.dtype = *tensor::parse_dtype(testing::any_of(dtype_words(Dialect::flashinfer)));
      spec.optional = *rc::gen::arbitrary<bool>();
      spec.param = group == &definition.outputs ? testing::maybe_text() : std::nullopt;
    }
  }
  if (!definition.inputs.empty() && *rc::gen::arbitrary<bool>()) {
    definition.outputs.insert(definition.outputs.begin(), definition.inputs.front());
  }
  for (auto& [name, axis] : definition.axes) {
    axis.unresolved = axis.kind == Axis::Kind::constant && *rc::gen::arbitrary<bool>();
    axis.value = axis.unresolved ? 0 : axis.value;
  }
  definition.reference = testing::any_of<std::string>({"", "def _x_reference(a):\n  pass\n", "def run(a):\n  pass\n"});
  definition.check = testing::any_of<std::optional<std::string>>({std::nullopt, "def c(a):\n  pass\n"});
  definition.init = testing::any_of<std::optional<std::string>>({std::nullopt, "def i(a):\n  pass\n"});
  return definition;
}

TEST(FlashinferDialect, AnyDefinitionSurvivesARoundTrip) {
  EXPECT_TRUE(rc::check("definition in FlashInfer's dialect", [] {
    const Definition definition = any_flashinfer_definition();
    const Json json = encode_as(definition, Dialect::flashinfer).value();
    const auto read = decode_definition(Json::parse(json.dump()), Dialect::flashinfer);
    RC_ASSERT(read.value.has_value());
    RC_ASSERT(encode_as(*read.value, Dialect::flashinfer)->dump() == json.dump());
    // What is written without a dialect is read back the same without one.
    const Json own = encode(definition);
    const auto told = decode_definition(own, detect_definition_dialect(own).dialect);
    RC_ASSERT(told.value.has_value());
    RC_ASSERT(encode(*told.value).dump() == own.dump());
  }));
}

}  // namespace
}  // namespace assay::task
