#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/task/coercion.hpp>
#include <assay/task/decoder.hpp>

// The expectations are what pydantic 2 does with the same values.
namespace assay::task {
namespace {

using base::Json;

std::int64_t integer(const Json& json) { return lax_integer(json).value_or(-12345); }

TEST(Coercion, MakesIntegers) {
  EXPECT_EQ(integer(2.0), 2);
  EXPECT_EQ(integer(true), 1);
  EXPECT_EQ(integer("2"), 2);
  EXPECT_EQ(integer("2.0"), 2);
  EXPECT_EQ(integer("2.000"), 2);
  EXPECT_EQ(integer(" \n2 "), 2);
  EXPECT_EQ(integer("+2"), 2);
  EXPECT_EQ(integer("-0"), 0);
  EXPECT_EQ(integer("1_000"), 1000);
  EXPECT_EQ(integer("00012"), 12);
  EXPECT_EQ(integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(Coercion, RefusesWhatIsNoInteger) {
  for (const Json& json : {Json(2.5),
                           Json(1e20),
                           Json(-1e19),
                           Json("2.5"),
                           Json("1e3"),
                           Json("0x10"),
                           Json(""),
                           Json("true"),
                           Json("2."),
                           Json(".0"),
                           Json("1__0"),
                           Json("_1"),
                           Json("1_"),
                           Json("- 2"),
                           Json("+-2"),
                           Json("+"),
                           Json("99999999999999999999"),
                           Json(),
                           Json::array(),
                           Json::object()}) {
    EXPECT_FALSE(lax_integer(json).has_value()) << json.dump();
  }
  EXPECT_FALSE(lax_integer(9223372036854775808.0).has_value());
  EXPECT_EQ(integer(-9223372036854775808.0), std::numeric_limits<std::int64_t>::min());
}

TEST(Coercion, MakesNumbers) {
  EXPECT_EQ(lax_number("1.5"), 1.5);
  EXPECT_EQ(lax_number(" -1.5 "), -1.5);
  EXPECT_EQ(lax_number("1e5"), 1e5);
  EXPECT_EQ(lax_number("1_0.5"), 10.5);
  EXPECT_EQ(lax_number("1."), 1.0);
  EXPECT_EQ(lax_number(".5"), 0.5);
  EXPECT_EQ(lax_number(false), 0.0);
  EXPECT_TRUE(std::isnan(lax_number("nan").value()));
  EXPECT_TRUE(std::isnan(lax_number("-NaN").value()));
  EXPECT_EQ(lax_number("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(lax_number("-INF"), -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "  ", "x", "0x1p3", "1 2", "1e", "--1", "+-1", "-", "infinit", "nan()", "1e999"}) {
    EXPECT_FALSE(lax_number(text).has_value()) << text;
  }
  EXPECT_FALSE(lax_number(Json()).has_value());
}

TEST(Coercion, MakesBooleans) {
  for (const Json& json :
       {Json("true"), Json("T"), Json("yes"), Json("Y"), Json("on"), Json("1"), Json(1), Json(1.0)}) {
    EXPECT_EQ(lax_boolean(json), true) << json.dump();
  }
  for (const Json& json :
       {Json("FALSE"), Json("f"), Json("no"), Json("N"), Json("off"), Json("0"), Json(0), Json(0.0)}) {
    EXPECT_EQ(lax_boolean(json), false) << json.dump();
  }
  for (const Json& json : {Json(2), Json(" true"), Json("2"), Json(""), Json(), Json(0.5)}) {
    EXPECT_FALSE(lax_boolean(json).has_value()) << json.dump();
  }
}

TEST(Coercion, NamedNumbersAreExact) {
  EXPECT_TRUE(std::isnan(named_number("NaN").value()));
  EXPECT_EQ(named_number("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(named_number("nan").has_value());
  EXPECT_FALSE(named_number("inf").has_value());
  EXPECT_FALSE(named_number("1").has_value());
}

TEST(Coercion, EncodedNumbersReadBack) {
  for (const double value : {0.0, -0.0, 1e-310, 0.1, 1e308, std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<Problem> problems;
    const Json json = Json::parse(encode_number(value).dump());
    const double read = Node(json, problems, Coercion::strict).number();
    EXPECT_TRUE(problems.empty());
    EXPECT_TRUE(read == value || (std::isnan(read) && std::isnan(value))) << value;
  }
}

}  // namespace
}  // namespace assay::task
