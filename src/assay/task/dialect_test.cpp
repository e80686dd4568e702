#include <assay/task/dialect.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/task/flashinfer_documents.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::pointers;
using ::testing::SizeIs;

TEST(Dialect, NamesAreFixed) {
  EXPECT_EQ(to_string(Dialect::flashinfer_bench), "flashinfer-bench");
  EXPECT_EQ(to_string(Dialect::flashinfer), "flashinfer");
  for (const Dialect dialect : {Dialect::flashinfer_bench, Dialect::flashinfer}) {
    EXPECT_EQ(parse_dialect(to_string(dialect)), dialect);
  }
  EXPECT_EQ(parse_dialect("FlashInfer"), std::nullopt);
}

TEST(Dialect, TheNewerOneHasMoreWords) {
  EXPECT_THAT(dtype_words(Dialect::flashinfer_bench), SizeIs(11));
  EXPECT_THAT(dtype_words(Dialect::flashinfer), SizeIs(17));
  EXPECT_THAT(dtype_words(Dialect::flashinfer), AllOf(Contains("uint8"), Contains("dtype")));
  EXPECT_EQ(dtype_words(Dialect::flashinfer_bench).back(), "bool");
  EXPECT_EQ(language_words(Dialect::flashinfer_bench).size(), 5U);
  EXPECT_EQ(language_words(Dialect::flashinfer).size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(to_string(static_cast<Language>(i)), language_words(Dialect::flashinfer)[i]);
  }
}

// The reason why a changed definition is taken for FlashInfer's; empty if it is not.
std::string reason_for(const char* pointer, const Json& value) {
  Json json = encode(testing::sample_definition());
  json[Json::json_pointer(pointer)] = value;
  const DetectedDialect detected = detect_definition_dialect(json);
  return detected.dialect == Dialect::flashinfer ? detected.reason : "";
}

TEST(Dialect, IsToldFromWhatOnlyFlashinferWrites) {
  EXPECT_EQ(detect_definition_dialect(encode(testing::sample_definition())).dialect, Dialect::flashinfer_bench);
  EXPECT_EQ(detect_definition_dialect(testing::flashinfer_definition()).dialect, Dialect::flashinfer);
  EXPECT_THAT(reason_for("/init", "def i(a):\n  pass\n"), HasSubstr("/init"));
  EXPECT_THAT(reason_for("/check", "broken"), HasSubstr("/check"));
  EXPECT_THAT(reason_for("/init", nullptr), HasSubstr("/init")) << "the name alone";
  EXPECT_THAT(reason_for("/inputs/x/optional", true), HasSubstr("/inputs/x/optional"));
  EXPECT_THAT(reason_for("/outputs/y/param", "x"), HasSubstr("/outputs/y/param"));
  EXPECT_THAT(reason_for("/inputs/x/dtype", "uint8"), AllOf(HasSubstr("/inputs/x/dtype"), HasSubstr("uint8")));
  EXPECT_THAT(reason_for("/outputs/x", Json::object()), HasSubstr("/outputs/x has the name of an input"));
  EXPECT_THAT(reason_for("/reference", "def _op_reference(x):\n  pass\n"), HasSubstr("_op_reference"));
}

TEST(Dialect, WhatIsMissingIsASignBesideFlashinfersTagAlone) {
  Json json = encode(testing::sample_definition());
  json["axes"]["columns"].erase("value");
  EXPECT_EQ(detect_definition_dialect(json).dialect, Dialect::flashinfer_bench);
  json["tags"].push_back("fi_api:library.function");
  EXPECT_THAT(detect_definition_dialect(json).reason, AllOf(HasSubstr("/axes/columns"), HasSubstr("fi_api")));
  json["axes"]["columns"]["value"] = 8;
  EXPECT_EQ(detect_definition_dialect(json).dialect, Dialect::flashinfer_bench);
  json.erase("reference");
  EXPECT_THAT(detect_definition_dialect(json).reason, HasSubstr("no reference"));
}

TEST(Dialect, FaultsAndStrangeFieldsAreNoSigns) {
  EXPECT_EQ(reason_for("/inputs/x/dtype", "float33"), "");
  EXPECT_EQ(reason_for("/reference", "def walk(x):\n  pass\n"), "");
  EXPECT_EQ(reason_for("/seed", 1), "");
  EXPECT_EQ(reason_for("/inputs", 3), "");
  EXPECT_EQ(reason_for("/inputs/x", 3), "");
  for (const Json& json : {Json(), Json(3), Json::array(), Json::object()}) {
    EXPECT_EQ(detect_definition_dialect(json).dialect, Dialect::flashinfer_bench);
    EXPECT_EQ(detect_solution_dialect(json).dialect, Dialect::flashinfer_bench);
  }
}

TEST(Dialect, OfASolutionIsToldFromItsLanguageAlone) {
  Json json = testing::flashinfer_solution();
  EXPECT_EQ(detect_solution_dialect(json).dialect, Dialect::flashinfer);
  EXPECT_THAT(detect_solution_dialect(json).reason, HasSubstr("cutedsl"));
  json["spec"]["language"] = "python";
  EXPECT_EQ(detect_solution_dialect(json).dialect, Dialect::flashinfer_bench);
  json["spec"].erase("destination_passing_style");
  EXPECT_THAT(detect_solution_dialect(json).reason, HasSubstr("destination_passing_style"))
      << "the dialects disagree about what that means";
}

TEST(Dialect, WhatCannotBeSaidIsNamedOneByOne) {
  const Definition definition = decode_definition(testing::flashinfer_definition(), Dialect::flashinfer).value.value();
  EXPECT_THAT(pointers(inexpressible(definition, Dialect::flashinfer_bench)),
              ::testing::UnorderedElementsAre("/axes/page/value", "/inputs/mask/dtype", "/inputs/mask/optional",
                                              "/inputs/codes/dtype", "/inputs/codes/shape/1", "/inputs/seed/dtype",
                                              "/inputs/eps/dtype", "/inputs/eps/optional", "/inputs/layout/dtype",
                                              "/inputs/layout/optional", "/inputs/out_dtype/dtype",
                                              "/inputs/out_dtype/optional", "/outputs/weight/optional",
                                              "/outputs/weight/param", "/outputs/v", "/reference", "/check", "/init"));
  for (const Problem& problem : inexpressible(definition, Dialect::flashinfer_bench)) {
    EXPECT_GT(problem.message.size(), 20U) << problem.pointer;
  }
  EXPECT_THAT(inexpressible(definition, Dialect::flashinfer), IsEmpty());
  const auto refused = encode_as(definition, Dialect::flashinfer_bench);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "schema.dialect");
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("blend_in_place_d16"), HasSubstr("flashinfer-bench"),
                                             HasSubstr("/axes/page/value"), HasSubstr("and 17 more")));
}

TEST(Dialect, WhatIsWrittenIsKnownAgainWhateverIsMissing) {
  Definition definition = testing::sample_definition();
  definition.reference.clear();
  const Json json = encode(definition);
  EXPECT_TRUE(json["init"].is_null() && json.contains("init"));
  EXPECT_EQ(detect_definition_dialect(json).dialect, Dialect::flashinfer);
  EXPECT_EQ(encode(decode_definition(json, Dialect::flashinfer).value.value()).dump(), json.dump());
}

TEST(Dialect, ASharedDefinitionGoesBothWays) {
  const Definition definition = testing::sample_definition();
  EXPECT_EQ(dialect_of(definition), Dialect::flashinfer_bench);
  const Json newer = encode_as(definition, Dialect::flashinfer).value();
  EXPECT_EQ(newer.begin().key(), "name");
  EXPECT_FALSE(newer.contains("description")) << "absent, not null";
  const auto back = decode_definition(newer, Dialect::flashinfer);
  ASSERT_TRUE(back.value);
  EXPECT_EQ(encode(*back.value).dump(), encode(definition).dump());
}

TEST(Dialect, ASolutionInANewLanguageCannotGoBack) {
  const Solution solution = decode_solution(testing::flashinfer_solution(), Dialect::flashinfer).value.value();
  const auto refused = encode_as(solution, Dialect::flashinfer_bench);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("/spec/language"), HasSubstr("cutedsl"), HasSubstr("tilelang")));
  EXPECT_EQ(dialect_of(solution), Dialect::flashinfer);
  const Solution shared = testing::sample_solution("s");
  const Json newer = encode_as(shared, Dialect::flashinfer).value();
  EXPECT_EQ(newer["spec"]["destination_passing_style"], true) << "always written: the dialects' defaults differ";
  EXPECT_EQ(encode(decode_solution(newer, Dialect::flashinfer).value.value()).dump(), encode(shared).dump());
}

}  // namespace
}  // namespace assay::task
