#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/task/decoder.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::parse;
using testing::pointers;

struct Reading {
  explicit Reading(const std::string& text, Coercion coercion = Coercion::strict)
      : json(parse(text)), root(json, problems, coercion) {}
  base::Json json;
  std::vector<Problem> problems;
  Node root;
};

TEST(Decoder, CollectsEveryFaultWithItsPlace) {
  Reading reading(R"({"a": 1, "b/c": "x", "d": [1, "y", 3], "e": null})");
  Fields fields(reading.root);
  EXPECT_EQ(fields.required("a").text(), "");
  EXPECT_EQ(fields.required("b/c").integer(), 0);
  EXPECT_THAT(fields.required("d").integers(), ElementsAre(1, 0, 3));
  EXPECT_FALSE(fields.required("e").boolean());
  EXPECT_FALSE(fields.required("missing").present());
  EXPECT_THAT(pointers(reading.problems), ElementsAre("/a", "/b~1c", "/d/1", "/e", "/missing"));
  EXPECT_THAT(reading.problems[0].message, HasSubstr("text, not 1"));
  EXPECT_THAT(reading.problems[1].message, HasSubstr("the text \"x\""));
  EXPECT_THAT(reading.problems[4].message, HasSubstr("missing"));
}

TEST(Decoder, AbsentNodesAreSilent) {
  Reading reading("{}");
  Fields fields(reading.root);
  const Node absent = fields.optional("a");
  EXPECT_EQ(absent.text(TextRule::non_empty), "");
  EXPECT_EQ(absent.integer({.minimum = 5}), 0);
  EXPECT_EQ(absent.number(), 0);
  EXPECT_EQ(absent.unsigned_integer(), 0U);
  EXPECT_FALSE(absent.boolean());
  EXPECT_THAT(absent.items(3), IsEmpty());
  EXPECT_THAT(absent.entries(), IsEmpty());
  EXPECT_FALSE(absent.optional_text().has_value());
  EXPECT_FALSE(Fields(absent).required("below").present());
  EXPECT_THAT(reading.problems, IsEmpty());
}

TEST(Decoder, WhatIsNoObjectIsOneProblem) {
  Reading reading("[1]");
  Fields fields(reading.root);
  EXPECT_FALSE(fields.required("a").present());
  EXPECT_FALSE(fields.required("b").present());
  fields.refuse_others();
  EXPECT_THAT(pointers(reading.problems), ElementsAre(""));
  EXPECT_THAT(reading.problems[0].message, HasSubstr("an object, not an array"));
}

TEST(Decoder, RefusesFieldsThatNobodyAskedFor) {
  Reading reading(R"({"samples": 1, "sample": 2, "other": 3})");
  Fields fields(reading.root);
  EXPECT_EQ(fields.required("samples").integer(), 1);
  fields.refuse_others();
  EXPECT_THAT(pointers(reading.problems), ElementsAre("/sample", "/other"));
  EXPECT_THAT(reading.problems[0].message, HasSubstr("did you mean \"samples\"?"));
  EXPECT_THAT(reading.problems[1].message, HasSubstr("remove it"));
}

TEST(Decoder, ChecksRangesAndLengths) {
  Reading reading(R"({"low": -1, "high": 11, "few": [], "empty": ""})");
  Fields fields(reading.root);
  (void)fields.required("low").integer({.minimum = 0, .maximum = 10});
  (void)fields.required("high").integer({.minimum = 0, .maximum = 10});
  (void)fields.required("few").items(2);
  (void)fields.required("empty").text(TextRule::non_empty);
  EXPECT_THAT(pointers(reading.problems), ElementsAre("/low", "/high", "/few", "/empty"));
  EXPECT_THAT(reading.problems[0].message, HasSubstr("at least 0"));
  EXPECT_THAT(reading.problems[1].message, HasSubstr("at most 10"));
}

TEST(Decoder, StrictReadingCoercesNothing) {
  for (const char* text : {"\"4\"", "4.0", "true", "null"}) {
    Reading reading(text);
    (void)reading.root.integer();
    EXPECT_EQ(reading.problems.size(), 1U) << text;
  }
  for (const char* text : {"\"1.5\"", "true", "\"nan\""}) {
    Reading reading(text);
    (void)reading.root.number();
    EXPECT_EQ(reading.problems.size(), 1U) << text;
  }
  Reading reading("1");
  (void)reading.root.boolean();
  EXPECT_EQ(reading.problems.size(), 1U);
}

TEST(Decoder, LaxReadingCoerces) {
  EXPECT_EQ(Reading("\"4\"", Coercion::lax).root.integer(), 4);
  EXPECT_EQ(Reading("\"1.5\"", Coercion::lax).root.number(), 1.5);
  EXPECT_TRUE(Reading("\"yes\"", Coercion::lax).root.boolean());
  Reading range("\"-4\"", Coercion::lax);
  (void)range.root.integer({.minimum = 0});
  EXPECT_EQ(range.problems.size(), 1U);
}

TEST(Decoder, KeepsAllSixtyFourBits) {
  EXPECT_EQ(Reading("18446744073709551615").root.unsigned_integer(), 18446744073709551615U);
  EXPECT_EQ(Reading("-9223372036854775808").root.integer(), std::numeric_limits<std::int64_t>::min());
  Reading high("9223372036854775808");
  (void)high.root.integer();
  EXPECT_THAT(high.problems[0].message, HasSubstr("64-bit"));
  Reading negative("-1");
  (void)negative.root.unsigned_integer();
  EXPECT_EQ(negative.problems.size(), 1U);
}

TEST(Decoder, SuggestsTheNearestWord) {
  constexpr std::array<std::string_view, 2> kWords = {"measure", "sweep"};
  Reading good("\"sweep\"");
  EXPECT_EQ(good.root.word(kWords), 1U);
  Reading near("\"measur\"");
  (void)near.root.word(kWords);
  EXPECT_THAT(near.problems[0].message, HasSubstr("did you mean \"measure\"?"));
  Reading far("\"zzzzzzzzzz\"");
  (void)far.root.word(kWords);
  EXPECT_THAT(far.problems[0].message,
              ::testing::AllOf(HasSubstr("use one of measure, sweep"), ::testing::Not(HasSubstr("did you mean"))));
}

TEST(Decoder, LongValuesAreCutInMessages) {
  Reading reading("\"" + std::string(5000, 'x') + "\"");
  (void)reading.root.integer();
  EXPECT_LT(reading.problems[0].message.size(), 200U);
}

TEST(Decoder, ProblemsErrorNamesTheFirstAndCountsTheRest) {
  const base::Error one = problems_error("d.json", {{"/name", "is missing: add it"}});
  EXPECT_EQ(one.message, "d.json: /name: is missing: add it");
  EXPECT_EQ(one.owner, base::Owner::input);
  EXPECT_EQ(one.code, "schema.invalid");
  const base::Error three = problems_error("d.json", {{"", "bad"}, {"/a", "b"}, {"/c", "d"}});
  EXPECT_EQ(three.message, "d.json: the document: bad; and 2 more");
}

TEST(Decoder, EntriesRefuseEmptyNamesAndMembersDoNot) {
  Reading reading(R"({"": 1, "x": 2})");
  EXPECT_EQ(reading.root.members().size(), 2U);
  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_EQ(reading.root.entries().size(), 2U);
  EXPECT_THAT(pointers(reading.problems), ElementsAre("/"));
}

}  // namespace
}  // namespace assay::task
