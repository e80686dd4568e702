#include <assay/service/validate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kDefinition = R"({
  "name": "scale", "op_type": "elementwise",
  "axes": {"n": {"type": "var"}, "two": {"type": "const", "value": 2}},
  "inputs": {"x": {"shape": ["n", "two"], "dtype": "float32"}, "a": {"shape": null, "dtype": "float32"}},
  "outputs": {"y": {"shape": ["n", "two"], "dtype": "float32"}},
  "reference": "def run(x, a):\n    return x * a\n"})";

constexpr const char* kWorkload =
    R"({"uuid": "u1", "axes": {"n": 4}, "inputs": {"x": {"type": "random"}, "a": {"type": "scalar", "value": 2.5}}})";

std::string solution(const std::string& path) {
  return R"({"name": "s", "definition": "scale", "author": "me",
    "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": ")" +
         path + R"(::run"}, "sources": [{"path": ")" + path + R"(", "content": "int x;"}]})";
}

TEST(ValidateTest, KindsAreTheFourOfTheSchema) {
  EXPECT_EQ(parse_document_kind("definition"), DocumentKind::definition);
  EXPECT_EQ(parse_document_kind("workload"), DocumentKind::workload);
  EXPECT_EQ(parse_document_kind("solution"), DocumentKind::solution);
  EXPECT_EQ(parse_document_kind("trace"), DocumentKind::trace);
  EXPECT_EQ(parse_document_kind("Trace"), std::nullopt);
  EXPECT_EQ(parse_document_kind(""), std::nullopt);
}

TEST(ValidateTest, AGoodDefinitionComesBackInNormalForm) {
  const Validation validation = validate(DocumentKind::definition, kDefinition, "d.json");
  EXPECT_TRUE(validation.accepted());
  const base::Json json = encode(validation);
  EXPECT_EQ(json["accept"], true);
  EXPECT_THAT(json["errors"], SizeIs(0));
  EXPECT_EQ(json["normalized"]["tags"], base::Json::array()) << "defaults are filled in";
  EXPECT_EQ(json["normalized"]["inputs"].begin().key(), "x") << "the order of inputs is the calling order";
}

TEST(ValidateTest, TheNormalFormIsAFixedPoint) {
  const Validation once = validate(DocumentKind::definition, kDefinition, "d.json");
  EXPECT_EQ(validate(DocumentKind::definition, once.normalised, "again").normalised, once.normalised);
  const Validation work = validate(DocumentKind::workload, kWorkload, "w.json");
  ASSERT_TRUE(work.accepted());
  EXPECT_EQ(validate(DocumentKind::workload, work.normalised, "again").normalised, work.normalised);
}

TEST(ValidateTest, TruncatedJsonIsAProblemOfTheDocument) {
  const Validation validation = validate(DocumentKind::definition, std::string(kDefinition).substr(0, 100), "cut.json");
  ASSERT_THAT(validation.problems, SizeIs(1));
  EXPECT_EQ(validation.problems[0].pointer, "");
  EXPECT_THAT(validation.problems[0].message, HasSubstr("cut.json"));
  const base::Json json = encode(validation);
  EXPECT_EQ(json["accept"], false);
  EXPECT_TRUE(json["normalized"].is_null());
}

TEST(ValidateTest, WrongDtypeIsNamedByPointer) {
  base::Json json = base::Json::parse(kDefinition);
  json["inputs"]["x"]["dtype"] = "float33";
  const Validation validation = validate(DocumentKind::definition, json.dump(), "d.json");
  ASSERT_THAT(validation.problems, SizeIs(1));
  EXPECT_EQ(validation.problems[0].pointer, "/inputs/x/dtype");
  EXPECT_THAT(validation.problems[0].message, HasSubstr("float33"));
}

TEST(ValidateTest, UnknownAxisIsNamedByPointer) {
  base::Json json = base::Json::parse(kDefinition);
  json["outputs"]["y"]["shape"][1] = "three";
  const Validation validation = validate(DocumentKind::definition, json.dump(), "d.json");
  ASSERT_FALSE(validation.accepted());
  EXPECT_THAT(validation.problems[0].pointer, HasSubstr("/outputs/y/shape"));
  EXPECT_THAT(validation.problems[0].message, HasSubstr("three"));
}

TEST(ValidateTest, SourcesMayNotClimbOut) {
  EXPECT_TRUE(validate(DocumentKind::solution, solution("kernel.cpp"), "s.json").accepted());
  const Validation validation = validate(DocumentKind::solution, solution("../kernel.cpp"), "s.json");
  ASSERT_FALSE(validation.accepted());
  EXPECT_THAT(validation.problems[0].pointer, HasSubstr("/sources/0/path"));
}

TEST(ValidateTest, AWorkloadMayComeBareOrAsALineOfAWorkloadFile) {
  const std::string line =
      R"({"definition": "scale", "solution": null, "evaluation": null, "workload": )" + std::string(kWorkload) + "}";
  EXPECT_TRUE(validate(DocumentKind::workload, kWorkload, "w.json").accepted());
  EXPECT_TRUE(validate(DocumentKind::workload, line, "w.jsonl").accepted());
  EXPECT_TRUE(validate(DocumentKind::trace, line, "w.jsonl").accepted());
  EXPECT_FALSE(validate(DocumentKind::trace, kWorkload, "w.json").accepted());
}

TEST(ValidateTest, JsonlIsCheckedLineByLine) {
  const std::string good = std::string(kWorkload) + "\n\n" + kWorkload + "\n";
  const Validation accepted = validate(DocumentKind::workload, good, "w.jsonl");
  EXPECT_TRUE(accepted.accepted());
  EXPECT_EQ(accepted.documents, 2U);
  EXPECT_THAT(encode(accepted)["normalized"], SizeIs(2));

  const Validation refused = validate(DocumentKind::workload, good + R"({"uuid": "u3"})" + "\n", "w.jsonl");
  ASSERT_FALSE(refused.accepted());
  EXPECT_THAT(refused.problems[0].pointer, HasSubstr("line 4: /"));
  EXPECT_TRUE(encode(refused)["normalized"].is_null());
}

TEST(ValidateTest, LinesAreNoDefinition) {
  const std::string twice = std::string(kDefinition) + "\n" + kDefinition;
  EXPECT_FALSE(validate(DocumentKind::definition, twice, "d.json").accepted());
}

TEST(ValidateTest, TheDialectIsToldWithItsReason) {
  const Validation plain = validate(DocumentKind::definition, kDefinition, "d.json");
  EXPECT_EQ(plain.dialect.dialect, task::Dialect::flashinfer_bench);
  base::Json json = base::Json::parse(kDefinition);
  json["inputs"]["x"]["dtype"] = "uint8";
  const Validation newer = validate(DocumentKind::definition, json.dump(), "d.json");
  EXPECT_TRUE(newer.accepted());
  EXPECT_EQ(encode(newer)["dialect"]["name"], "flashinfer");
  EXPECT_THAT(encode(newer)["dialect"]["reason"].get<std::string>(), HasSubstr("/inputs/x/dtype"));

  ValidateOptions options;
  options.dialect = task::Dialect::flashinfer_bench;
  const Validation refused = validate(options, json.dump(), "d.json");
  ASSERT_THAT(refused.problems, SizeIs(1));
  EXPECT_EQ(refused.problems[0].pointer, "/inputs/x/dtype");
  EXPECT_THAT(refused.dialect.reason, HasSubstr("asked for"));
}

TEST(ValidateTest, ADocumentIsWrittenInTheOtherDialectOrSaidWhyNot) {
  ValidateOptions options;
  options.write_as = task::Dialect::flashinfer;
  const Validation newer = validate(options, kDefinition, "d.json");
  ASSERT_TRUE(newer.accepted());
  EXPECT_FALSE(base::Json::parse(newer.normalised).contains("description"));

  base::Json json = base::Json::parse(kDefinition);
  json["init"] = "def make(n):\n    return {}\n";
  options.write_as = task::Dialect::flashinfer_bench;
  const Validation refused = validate(options, json.dump(), "d.json");
  ASSERT_THAT(refused.problems, SizeIs(1));
  EXPECT_EQ(refused.problems[0].pointer, "/init");
  EXPECT_EQ(refused.normalised, "");

  options.kind = DocumentKind::solution;
  base::Json dsl = base::Json::parse(solution("k.py"));
  dsl["spec"]["language"] = "cutile";
  EXPECT_EQ(validate(options, dsl.dump(), "s.json").problems.at(0).pointer, "/spec/language");
  options.write_as.reset();
  EXPECT_TRUE(validate(options, dsl.dump(), "s.json").accepted());
  EXPECT_EQ(validate(options, dsl.dump(), "s.json").dialect.dialect, task::Dialect::flashinfer);
}

TEST(ValidateTest, WhatKeepsADefinitionFromBeingRunIsNoted) {
  base::Json json = base::Json::parse(kDefinition);
  json["inputs"]["x"]["dtype"] = "unknown";
  const Validation validation = validate(DocumentKind::definition, json.dump(), "d.json");
  EXPECT_TRUE(validation.accepted());
  ASSERT_THAT(validation.notes, SizeIs(1));
  EXPECT_EQ(encode(validation)["notes"][0]["pointer"], "/inputs/x/dtype");
  EXPECT_THAT(validate(DocumentKind::definition, kDefinition, "d.json").notes, SizeIs(0));
}

TEST(ValidateTest, WorkloadsAreHeldToADefinitionAndItsConstraints) {
  base::Json json = base::Json::parse(kDefinition);
  json["constraints"] = {"n <= 8", "x[0][0].item() > 0", "two == 2"};
  ValidateOptions options;
  options.kind = DocumentKind::workload;
  options.definition = task::decode_definition(json).value;
  const std::string large =
      R"({"uuid": "u2", "axes": {"n": 9}, "inputs": {"x": {"type": "random"}, "a": {"value": 1}}})";
  const Validation validation = validate(options, std::string(kWorkload) + "\n" + large + "\n", "w.jsonl");
  EXPECT_TRUE(validation.accepted()) << "a violated constraint refuses nothing";
  ASSERT_THAT(validation.notes, SizeIs(3));
  EXPECT_THAT(validation.notes[0].message, HasSubstr("x[0][0].item() > 0\" was not evaluated"));
  EXPECT_THAT(validation.notes[1].pointer, HasSubstr("line 2"));
  EXPECT_THAT(validation.notes[1].message, HasSubstr("\"n <= 8\" does not hold with n = 9"));

  const std::string wrong =
      R"({"uuid": "u3", "axes": {"m": 9}, "inputs": {"x": {"type": "random"}, "a": {"value": 1}}})";
  EXPECT_FALSE(validate(options, wrong, "w.json").accepted());
  options.kind = DocumentKind::trace;
  const std::string line = R"({"definition": "other", "workload": )" + std::string(kWorkload) + "}";
  const Validation other = validate(options, line, "t.json");
  ASSERT_THAT(other.problems, SizeIs(1));
  EXPECT_EQ(other.problems[0].pointer, "/definition");
}

TEST(ReadDocumentTest, ReadsAFileOrStandardInput) {
  EXPECT_EQ(read_document("/no/such/file.json").error().owner, base::Owner::input);

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "{}", 2), 2);
  close(ends[1]);
  const int kept = dup(STDIN_FILENO);
  ASSERT_GE(dup2(ends[0], STDIN_FILENO), 0);
  const auto text = read_document("-");
  if (kept >= 0) {
    dup2(kept, STDIN_FILENO);
    close(kept);
  }
  close(ends[0]);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(*text, "{}");
}

}  // namespace
}  // namespace assay::service
