#include <assay/base/text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace assay::base {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::StartsWith;

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",a,,", ','), ElementsAre("", "a", "", ""));
  EXPECT_THAT(split("a,b", ';'), ElementsAre("a,b"));
}

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

RC_GTEST_PROP(Split, JoinUndoesIt, (const std::string& text)) { RC_ASSERT(join(split(text, 'a'), "a") == text); }

TEST(Trim, TakesSpaceOffBothEnds) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim("a"), "a");
}

TEST(Lower, MakesTheCapitalsOfAsciiSmallAndNothingElse) {
  EXPECT_EQ(lower("PASSED in 3 RUNS @[`{"), "passed in 3 runs @[`{");
  EXPECT_EQ(lower("\xC3\x84 \xFF"), "\xC3\x84 \xFF") << "an umlaut, and what is no text";
  EXPECT_EQ(lower(""), "");
}

TEST(Printable, KeepsTextNewlinesAndTabs) {
  const std::string text = "Grüße, 世界 \xF0\x9F\x9A\x80\n\tµs ≥ 2";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, TakesControlsFromTerminals) {
  EXPECT_EQ(printable("\x1b[2J"), kReplacement + "[2J");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a" + kReplacement + "b");
  EXPECT_EQ(printable("\r\x7f\b"), kReplacement + kReplacement + kReplacement);
  // The C1 control CSI in UTF-8 is an escape sequence too; so is its bare byte.
  EXPECT_EQ(printable(std::string("\xC2\x9B") + "31m"), kReplacement + kReplacement + "31m");
  EXPECT_EQ(printable(std::string("\x9B") + "31m"), kReplacement + "31m");
  EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");
}

// A right-to-left override would show a log or a name in another order than it has.
TEST(Printable, TakesDirectionOverrides) {
  for (const std::string_view mark : {"\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9"}) {
    EXPECT_EQ(printable("a" + std::string(mark) + "b"), "a" + kReplacement + kReplacement + kReplacement + "b");
  }
  EXPECT_EQ(printable("\xE2\x80\xA9"), "\xE2\x80\xA9");
  EXPECT_EQ(printable("\xE2\x80\xAF"), "\xE2\x80\xAF");
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\x80"), kReplacement);                                        // A lone continuation.
  EXPECT_EQ(printable("\xC0\xAF"), kReplacement + kReplacement);                     // Overlong '/'.
  EXPECT_EQ(printable("\xE0\x80\xAF"), kReplacement + kReplacement + kReplacement);  // Overlong again.
  EXPECT_EQ(printable("\xED\xA0\x80"), kReplacement + kReplacement + kReplacement);  // A surrogate.
  EXPECT_EQ(printable("\xF4\x90\x80\x80").size(), 4 * kReplacement.size());          // Beyond U+10FFFF.
  EXPECT_EQ(printable("\xF8\x88\x80\x80\x80").size(), 5 * kReplacement.size());      // Five bytes.
  EXPECT_EQ(printable("\xFF"), kReplacement);
}

TEST(Printable, ResumesAfterATruncatedSequence) {
  EXPECT_EQ(printable("\xE2\x82"), kReplacement + kReplacement);
  EXPECT_EQ(printable("\xE2\x82x"), kReplacement + kReplacement + "x");
  EXPECT_EQ(printable("\xE2\xC3\xA9"), kReplacement + "\xC3\xA9");
  EXPECT_EQ(printable("\xF0\x9F\x9A"), kReplacement + kReplacement + kReplacement);
}

TEST(Printable, BoundariesOfEachLength) {
  for (const std::string_view good : {"\x7e", "\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                      "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(printable(good), good);
  }
}

RC_GTEST_PROP(Printable, IsIdempotentAndFreeOfControls, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const std::string once = printable(bytes);
  RC_ASSERT(printable(once) == once);
  RC_ASSERT(std::none_of(once.begin(), once.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  }));
}

TEST(Tail, ShortTextIsWhole) {
  EXPECT_EQ(tail("abc", 3), "abc");
  EXPECT_EQ(tail("", 0), "");
}

TEST(Tail, CutsAtALine) {
  EXPECT_EQ(tail("first\nsecond\nthird\n", 14), "[6 B left out]\nsecond\nthird\n");
  // The cut falls on the start of a line: nothing more needs to go.
  EXPECT_EQ(tail("first\nsecond\nthird\n", 13), "[6 B left out]\nsecond\nthird\n");
}

TEST(Tail, CutsInALineRatherThanLoseMostOfIt) {
  EXPECT_EQ(tail("0123456789", 4), "[6 B left out]\n6789");
  EXPECT_EQ(tail("0123456789\n", 4), "[7 B left out]\n789\n");
  EXPECT_EQ(tail(std::string(100, 'x') + "\nab", 50), "[53 B left out]\n" + std::string(47, 'x') + "\nab");
}

TEST(Tail, DoesNotCutACharacter) {
  // Each µ has two bytes: a cut after five of six must not leave half a letter.
  EXPECT_EQ(tail("µµµ", 5), "[2 B left out]\nµµ");
  EXPECT_EQ(tail("\xF0\x9F\x9A\x80x", 4), "[4 B left out]\nx");
}

TEST(Tail, ZeroLimitLeavesTheNote) { EXPECT_EQ(tail("abc", 0), "[3 B left out]\n"); }

RC_GTEST_PROP(Tail, KeepsASuffixWithinTheLimit, (const std::string& text, std::uint8_t limit)) {
  const std::string kept = tail(text, limit);
  if (text.size() <= limit) {
    RC_ASSERT(kept == text);
    return;
  }
  const std::string rest = kept.substr(kept.find('\n') + 1);
  RC_ASSERT(rest.size() <= limit);
  RC_ASSERT(std::string_view(text).ends_with(rest));
}

TEST(EscapeMarkup, LeavesNoWayOut) {
  EXPECT_EQ(escape_markup("<a href=\"x\" b='y'>&amp;"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_markup("plain µs"), "plain µs");
}

TEST(HumanDuration, ThreeDigits) {
  EXPECT_EQ(human(nanoseconds(0)), "0 ns");
  EXPECT_EQ(human(nanoseconds(812)), "812 ns");
  EXPECT_EQ(human(nanoseconds(41'300)), "41.3 µs");
  EXPECT_EQ(human(nanoseconds(2'040'000)), "2.04 ms");
  EXPECT_EQ(human(nanoseconds(1'500'000'000)), "1.50 s");
  EXPECT_EQ(human(std::chrono::seconds(125)), "2 m 05 s");
  EXPECT_EQ(human(std::chrono::seconds(3600 * 5 + 125)), "5 h 02 m");
  EXPECT_EQ(human(nanoseconds(-41'300)), "-41.3 µs");
}

TEST(HumanDuration, RoundingCarriesIntoTheNextUnit) {
  EXPECT_EQ(human(nanoseconds(999)), "999 ns");
  EXPECT_EQ(human(nanoseconds(999'499)), "999 µs");
  EXPECT_EQ(human(nanoseconds(999'700)), "1.00 ms");
  EXPECT_EQ(human(nanoseconds(999'700'000)), "1.00 s");
  EXPECT_EQ(human(nanoseconds(59'970'000'000)), "1 m 00 s");
  EXPECT_EQ(human(nanoseconds(3'599'600'000'000)), "1 h 00 m");
  EXPECT_EQ(human(nanoseconds(9'996)), "10.0 µs");
  EXPECT_EQ(human(nanoseconds(99'960)), "100 µs");
}

TEST(HumanDuration, TheExtremesAreNoTrap) {
  EXPECT_THAT(human(nanoseconds::max()), StartsWith("2562047 h"));
  EXPECT_THAT(human(nanoseconds::min()), StartsWith("-2562047 h"));
}

TEST(HumanBytes, BinaryUnits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(42'291), "41.3 KiB");
  EXPECT_EQ(human_bytes(2U << 20U), "2.0 MiB");
  EXPECT_EQ(human_bytes((1U << 20U) - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(5ULL << 40U), "5.0 TiB");
  EXPECT_EQ(human_bytes(~0ULL), "16777216.0 TiB");
}

TEST(Nearest, SuggestsASlip) {
  const std::vector<std::string> known = {"evaluate", "validate", "campaign", "cpu"};
  EXPECT_EQ(nearest("evalaute", known), "evaluate");
  EXPECT_EQ(nearest("campain", known), "campaign");
  EXPECT_EQ(nearest("gpu", known), "cpu");
  EXPECT_EQ(nearest("validate", known), "validate");
}

TEST(Nearest, DoesNotGuess) {
  EXPECT_EQ(nearest("x", {"ab", "c"}), "");
  EXPECT_EQ(nearest("", {"ab"}), "");
  EXPECT_EQ(nearest("frobnicate", {"evaluate", "cpu"}), "");
  EXPECT_EQ(nearest("anything", {}), "");
}

TEST(Nearest, TheFirstOfEqualsWins) { EXPECT_EQ(nearest("abcd", {"abce", "abcf"}), "abce"); }

}  // namespace
}  // namespace assay::base
