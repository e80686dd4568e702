#include <assay/blob/compression.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>

#include <assay/base/random.hpp>

namespace assay::blob {
namespace {

using ::testing::HasSubstr;

std::string noise(std::size_t size) {
  base::Philox random(7, 7);
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>(random.next_u32() & 0xffU);
  }
  return text;
}

RC_GTEST_PROP(Compression, gives_back_what_it_took, (const std::string& content)) {
  const std::string frame = compress(content).value();
  RC_ASSERT(decompress(frame).value() == content);
  RC_ASSERT(content_size(frame).value() == content.size());
}

TEST(Compression, makes_repetitive_content_small_and_keeps_noise) {
  const std::string zeros(1'000'000, '\0');
  const std::string frame = compress(zeros).value();
  EXPECT_LT(frame.size(), 1000U);
  EXPECT_EQ(decompress(frame).value(), zeros);
  const std::string random = noise(300'000);
  EXPECT_EQ(decompress(compress(random).value()).value(), random);
  EXPECT_EQ(decompress(compress("").value()).value(), "");
}

TEST(Compression, is_the_same_each_time) {
  const std::string content = noise(10'000) + std::string(10'000, 'x');
  EXPECT_EQ(compress(content).value(), compress(content).value());
}

TEST(Compression, every_cut_is_seen) {
  const std::string frame = compress(noise(300) + std::string(300, 'x')).value();
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const auto content = decompress(frame.substr(0, size));
    ASSERT_FALSE(content) << size;
    EXPECT_EQ(content.error().code, "blob.corrupt");
    EXPECT_EQ(content.error().owner, base::Owner::environment);
  }
}

TEST(Compression, every_flipped_bit_is_seen) {
  const std::string content = noise(60) + std::string(60, 'x');
  const std::string frame = compress(content).value();
  for (std::size_t i = 0; i < frame.size() * 8; ++i) {
    std::string damaged = frame;
    damaged[i / 8] = static_cast<char>(static_cast<unsigned char>(damaged[i / 8]) ^ (1U << (i % 8)));
    const auto got = decompress(damaged);
    // A few bits of a frame mean nothing; then the content is right.
    if (got) {
      EXPECT_EQ(*got, content) << "bit " << i;
    }
  }
}

TEST(Compression, refuses_what_follows_the_frame) {
  const std::string frame = compress("content").value();
  EXPECT_THAT(decompress(frame + "x").error().message, HasSubstr("follow"));
  EXPECT_THAT(decompress(frame + frame).error().message, HasSubstr("follow"));
}

TEST(Compression, refuses_more_than_the_limit_before_allocating_it) {
  const std::string frame = compress(std::string(1000, 'x')).value();
  EXPECT_EQ(decompress(frame, 1000).value().size(), 1000U);
  EXPECT_THAT(decompress(frame, 999).error().message, HasSubstr("limit"));
  // A header that tells 2^62 bytes: magic, a descriptor for an eight-byte size in a single segment, the size.
  std::string bomb = "\x28\xb5\x2f\xfd\xe0";
  bomb += std::string(7, '\0') + "\x40";
  bomb += std::string("\x01\x00\x00", 3);
  EXPECT_THAT(decompress(bomb).error().message, HasSubstr("limit"));
}

TEST(Compression, refuses_frames_that_do_not_tell_their_size) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::array<char, 200> frame{};
  const std::size_t size = ZSTD_compress2(context, frame.data(), frame.size(), "content", 7);
  ZSTD_freeCCtx(context);
  ASSERT_EQ(ZSTD_isError(size), 0U);
  EXPECT_THAT(decompress({frame.data(), size}).error().message, HasSubstr("does not tell"));
}

TEST(Compression, needs_only_the_header_for_the_size) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{300}, std::size_t{70'000}, std::size_t{3'000'000}}) {
    const std::string frame = compress(std::string(size, 'x')).value();
    EXPECT_EQ(content_size(frame.substr(0, kFrameHeaderBytes)).value(), size);
  }
  EXPECT_EQ(content_size("").error().code, "blob.corrupt");
  EXPECT_EQ(content_size("not a frame at all").error().code, "blob.corrupt");
}

}  // namespace
}  // namespace assay::blob
