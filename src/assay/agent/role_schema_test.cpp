// The published schemas of the roles' answers: the ones that agents are given, and what the readers take.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <assay/agent/claims.hpp>
#include <assay/agent/round_plan.hpp>
#include <assay/os/file.hpp>

namespace assay::agent {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

bool accepts(const std::string& schema_text, const json& document) {
  const json text = json::parse(schema_text);
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(NlohmannJsonAdapter(text), schema);
  valijson::Validator validator;
  return validator.validate(schema, NlohmannJsonAdapter(document), nullptr);
}

// Strict structured output wants every property required and no other allowed, at every level.
void expect_strict(const json& schema) {
  if (schema.contains("properties")) {
    EXPECT_EQ(schema["additionalProperties"], false) << schema;
    EXPECT_EQ(schema["required"].size(), schema["properties"].size()) << schema;
    for (const json& property : schema["properties"]) {
      expect_strict(property);
    }
  }
  if (schema.contains("items")) {
    expect_strict(schema["items"]);
  }
}

TEST(RoleSchemas, ArePublishedAsTheyAreGiven) {
  const os::Path folder = os::Path(ASSAY_SOURCE_DIR) / "schemas";
  EXPECT_EQ(os::read_file(folder / "plan.schema.json").value(), plan_schema() + "\n");
  EXPECT_EQ(os::read_file(folder / "summary.schema.json").value(), summary_schema() + "\n");
  expect_strict(json::parse(plan_schema()));
  expect_strict(json::parse(summary_schema()));
}

TEST(RoleSchemas, AgreeWithTheReaders) {
  const json hypothesis = {{"parent", 0},      {"regime", "all"}, {"limiting_resource", "x"},
                           {"mechanism", "x"}, {"change", "x"},   {"predicted_speedup", 1.5},
                           {"differs", ""}};
  const json claim = {{"candidate", 1}, {"kind", "cause"},   {"file", ""},
                      {"text", "x"},    {"against", "none"}, {"value", 0}};
  const auto plan_agrees = [](const json& one) {
    const json document = {{"hypotheses", json::array({one})}};
    const bool read = read_plan_answer(document.dump(), {{{0, 0, ""}}, {}, 1}).faults.empty();
    EXPECT_EQ(accepts(plan_schema(), document), read) << document;
    return read;
  };
  const auto summary_agrees = [](const json& one) {
    const json document = {{"claims", json::array({one})}};
    ClaimFacts facts;
    facts.candidate = 1;
    const bool read = read_summary_answer(document.dump(), {facts}).faults.empty();
    EXPECT_EQ(accepts(summary_schema(), document), read) << document;
    return read;
  };
  EXPECT_TRUE(plan_agrees(hypothesis));
  EXPECT_TRUE(summary_agrees(claim));
  for (const auto& [key, value] : hypothesis.items()) {
    for (const json& other : {json(nullptr), json::array(), json(-1)}) {
      json changed = hypothesis;
      changed[key] = other;
      EXPECT_FALSE(plan_agrees(changed)) << changed;
    }
    json less = hypothesis;
    less.erase(key);
    EXPECT_FALSE(plan_agrees(less)) << less;
  }
  for (const auto& [key, value] : claim.items()) {
    json less = claim;
    less.erase(key);
    EXPECT_FALSE(summary_agrees(less)) << less;
    json changed = claim;
    changed[key] = nullptr;
    EXPECT_FALSE(summary_agrees(changed)) << changed;
  }
  json more = hypothesis;
  more["status"] = "confirmed";
  EXPECT_FALSE(plan_agrees(more));
}

}  // namespace
}  // namespace assay::agent
