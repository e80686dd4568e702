#include <assay/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace assay::base {
namespace {

using testing::HasSubstr;

Error error_of(std::string_view text) {
  const Result<Json> parsed = parse_json(text, "x.json");
  EXPECT_FALSE(parsed) << text;
  return parsed ? Error() : parsed.error();
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
  const Result<Json> parsed = parse_json(R"({"z": 1, "a": [true, null, "q"], "m": {"y": 1.5, "b": -2}})", "x.json");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(dump_compact(*parsed), R"({"z":1,"a":[true,null,"q"],"m":{"y":1.5,"b":-2}})");
}

TEST(ParseJson, TakesAnyTopLevelValueAndSurroundingSpace) {
  for (const std::string_view text : {"1", " \n\"s\"\t", "null", "[]", "{}", "-0.0", "1e-300"}) {
    EXPECT_TRUE(parse_json(text, "x.json")) << text;
  }
}

TEST(ParseJson, SaysWhereTheErrorIs) {
  EXPECT_THAT(error_of("[1,x]").message, HasSubstr("x.json: not valid JSON at line 1, column 4"));
  EXPECT_THAT(error_of("x").message, HasSubstr("line 1, column 1"));
  EXPECT_THAT(error_of("{\n  \"a\": 1,\n  oops\n}").message, HasSubstr("line 3, column 3"));
  EXPECT_EQ(error_of("[1,x]").code, "json.syntax");
  EXPECT_EQ(error_of("[1,x]").owner, Owner::input);
}

TEST(ParseJson, RecognisesTruncation) {
  const std::string whole = R"({"name": "gdn", "axes": [1, 2, {"k": "v"}]})";
  ASSERT_TRUE(parse_json(whole, "x.json"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error_of(whole.substr(0, size)).message, HasSubstr("ends too early (truncated?)")) << size;
  }
}

TEST(ParseJson, RefusesWhatJsonDoesNotHave) {
  for (const std::string_view text : {"{'a': 1}", "[1,]", "{\"a\":1,}", "NaN", "[Infinity]", "01", "+1", "// c\n1",
                                      "1 2", "{\"a\" 1}", "{1: 2}", "\"\t\"", "\"\\x41\"", "\"\\ud800\"", "tru"}) {
    EXPECT_EQ(error_of(text).code, "json.syntax") << text;
  }
}

TEST(ParseJson, RefusesNumbersThatNoDoubleHolds) {
  const Error error = error_of("[1, 1e999]");
  EXPECT_EQ(error.code, "json.number");
  EXPECT_EQ(error.owner, Owner::input);
  EXPECT_THAT(error.message, HasSubstr("x.json"));
  EXPECT_THAT(error.message, HasSubstr("1e999"));
  EXPECT_EQ(error_of("-1e400").code, "json.number");
}

TEST(ParseJson, IntegersOf64BitsAreExact) {
  const Result<Json> parsed = parse_json("[18446744073709551615, -9223372036854775808]", "x.json");
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)[0].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ((*parsed)[1].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
}

// The library would let the last win: a reader and a reviewer could see two different files.
TEST(ParseJson, RefusesAKeyTwiceInOneObject) {
  const Error error = error_of(R"({"a": 1, "b": {"dtype": 1, "c": 2, "dtype": 3}})");
  EXPECT_EQ(error.code, "json.duplicate_key");
  EXPECT_THAT(error.message, HasSubstr("\"dtype\""));
  EXPECT_EQ(error_of(R"({"a": 1, "a": 1})").code, "json.duplicate_key");
  EXPECT_EQ(error_of(R"({"a": 1, "\u0061": 1})").code, "json.duplicate_key");
  EXPECT_EQ(error_of(R"([{"a": [{"x": 1}], "b": 2, "a": 3}])").code, "json.duplicate_key");
}

TEST(ParseJson, AcceptsAKeyAgainInAnotherObject) {
  EXPECT_TRUE(parse_json(R"([{"a": 1}, {"a": 2}, {"a": {"a": {"a": 3}}, "b": {"a": 4}}])", "x.json"));
}

TEST(ParseJson, BoundsTheDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(200), "x.json"));
  EXPECT_EQ(error_of(nested(201)).code, "json.depth");
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).code, "json.depth");
  std::string objects;
  for (int i = 0; i < 300; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_EQ(error_of(objects).code, "json.depth");
}

TEST(ParseJson, BracketsInStringsAreNoDepth) {
  EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\"", "x.json"));
  EXPECT_TRUE(parse_json(R"(["\"[[[", "\\", "{{{"])", "x.json"));
}

TEST(ParseJson, RefusesBytesThatAreNotUtf8) {
  for (const std::string_view bytes : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_EQ(error_of("\"" + std::string(bytes) + "\"").code, "json.syntax");
  }
  EXPECT_EQ(error_of(std::string("[\0]", 3)).code, "json.syntax");
}

TEST(DumpJson, ReplacesBytesThatAreNotUtf8) {
  const Json log = std::string("error: \xff\xfe in \xe2\x82");
  EXPECT_EQ(dump_compact(log), "\"error: \xEF\xBF\xBD\xEF\xBF\xBD in \xEF\xBF\xBD\"");
  EXPECT_TRUE(parse_json(dump_pretty(log), "log"));
}

TEST(DumpJson, EscapesControls) {
  EXPECT_EQ(dump_compact(Json(std::string("\x1b[2J\n\0\"\\", 8))), R"("\u001b[2J\n\u0000\"\\")");
}

TEST(DumpJson, PrettyIndentsByTwo) {
  const Json value = Json::parse(R"({"b":[1],"a":{}})");
  EXPECT_EQ(dump_pretty(value), "{\n  \"b\": [\n    1\n  ],\n  \"a\": {}\n}");
}

TEST(DumpJson, WritesNullForWhatJsonCannotHold) {
  EXPECT_EQ(dump_compact(Json(std::numeric_limits<double>::quiet_NaN())), "null");
  EXPECT_EQ(dump_compact(Json(std::numeric_limits<double>::infinity())), "null");
}

TEST(PointerToken, Escapes) {
  EXPECT_EQ(pointer_token("axes"), "axes");
  EXPECT_EQ(pointer_token("a/b~c"), "a~1b~0c");
  EXPECT_EQ(pointer_token("~1"), "~01");
  EXPECT_EQ(pointer_token(""), "");
}

RC_GTEST_PROP(Json, DoublesRoundTrip, (double value)) {
  const Result<Json> parsed = parse_json(dump_compact(Json(value)), "x");
  RC_ASSERT(parsed.value().get<double>() == value);
}

RC_GTEST_PROP(Json, AnyBytesAsAStringCanBeReadBack, (const std::string& bytes)) {
  RC_ASSERT(parse_json(dump_compact(Json(bytes)), "x").has_value());
}

RC_GTEST_PROP(ParseJson, NeverThrows, (const std::string& bytes)) {
  const Result<Json> parsed = parse_json(bytes, "x");
  RC_ASSERT(parsed.has_value() || parsed.error().owner == Owner::input);
}

RC_GTEST_PROP(PointerToken, ResolvesToTheKey, (const std::string& key)) {
  Json object;
  object[key] = 7;
  RC_ASSERT(object.at(Json::json_pointer("/" + pointer_token(key))) == 7);
}

}  // namespace
}  // namespace assay::base
