#include <assay/base/digest.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>

namespace assay::base {
namespace {

constexpr std::string_view kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// FIPS 180-4's examples, and the million a's that cross every block boundary.
TEST(Digest, KnownAnswers) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(), kAbc);
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, TextAndBytesAreTheSame) {
  const std::string text("a\0b", 3);
  EXPECT_EQ(sha256(text), sha256(std::as_bytes(std::span(text.data(), text.size()))));
  EXPECT_NE(sha256(text), sha256("a"));
}

TEST(Digest, ParsesWhatItWrites) {
  const Digest digest = sha256("abc");
  const auto parsed = Digest::parse(digest.hex());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, digest);
  EXPECT_EQ(digest.brief(), "ba7816bf8f01");
}

TEST(Digest, RefusesWrongLength) {
  for (const std::string& text : {std::string(), std::string(kAbc.substr(1)), std::string(kAbc) + "0"}) {
    const auto parsed = Digest::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, "digest.length");
    EXPECT_EQ(parsed.error().owner, Owner::input);
    EXPECT_THAT(parsed.error().message, testing::HasSubstr(std::to_string(text.size())));
  }
}

TEST(Digest, RefusesOtherDigits) {
  // One spelling a digest: capitals would make two names for one content.
  for (const char wrong : {'B', 'g', ' ', '\0', '-', '/', ':', '`'}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{31}, std::size_t{63}}) {
      std::string text(kAbc);
      text[place] = wrong;
      const auto parsed = Digest::parse(text);
      ASSERT_FALSE(parsed) << place << " " << wrong;
      EXPECT_EQ(parsed.error().code, "digest.digit");
    }
  }
}

TEST(Digest, OrdersByBytes) {
  EXPECT_LT(sha256("abc"), sha256(""));  // ba… < e3…
  EXPECT_EQ(Digest(), *Digest::parse(std::string(64, '0')));
  const std::set<Digest> names = {sha256("a"), sha256("b"), sha256("a")};
  EXPECT_EQ(names.size(), 2U);
}

TEST(Sha256, EmptyPiecesChangeNothing) {
  Sha256 hash;
  hash.update(std::span<const std::byte>());
  hash.update("abc");
  hash.update("");
  EXPECT_EQ(hash.finish().hex(), kAbc);
}

TEST(Sha256, FrameIsEightLittleEndianBytes) {
  Sha256 framed;
  framed.update_framed("abc");
  EXPECT_EQ(framed.finish(), sha256(std::string("\3\0\0\0\0\0\0\0abc", 11)));
  Sha256 longer;
  longer.update_framed(std::string(258, 'x'));
  EXPECT_EQ(longer.finish(), sha256(std::string("\2\1\0\0\0\0\0\0", 8) + std::string(258, 'x')));
}

TEST(Sha256, FramesKeepPiecesApart) {
  const auto framed = [](std::string_view first, std::string_view second) {
    Sha256 hash;
    hash.update_framed(first);
    hash.update_framed(second);
    return hash.finish();
  };
  EXPECT_NE(framed("ab", "c"), framed("a", "bc"));
  EXPECT_NE(framed("", "abc"), framed("abc", ""));
  EXPECT_EQ(framed("ab", "c"), framed("ab", "c"));
}

RC_GTEST_PROP(Sha256, PiecesEqualTheWhole, (const std::string& text, std::vector<std::uint8_t> cuts)) {
  Sha256 hash;
  std::string_view rest = text;
  for (const std::uint8_t cut : cuts) {
    const std::size_t size = std::min<std::size_t>(cut, rest.size());
    hash.update(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  hash.update(rest);
  RC_ASSERT(hash.finish() == sha256(text));
}

RC_GTEST_PROP(Digest, HexRoundTrips, (const std::string& text)) {
  const Digest digest = sha256(text);
  RC_ASSERT(Digest::parse(digest.hex()).value() == digest);
}

}  // namespace
}  // namespace assay::base
