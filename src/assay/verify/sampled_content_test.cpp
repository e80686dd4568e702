#include <assay/verify/sampled_content.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include <cstring>
#include <numeric>

namespace assay::verify {
namespace {

Layout layout_of(std::size_t elements) {
  Layout layout;
  layout.outputs = {{"y", tensor::DType::float32, {static_cast<std::int64_t>(elements)}, 4096, elements * 4},
                    {"z", tensor::DType::bfloat16, {6}, 8192 + elements * 4 / 64 * 64, 12}};
  layout.outputs_size = layout.outputs.back().offset + 12 + 4096;
  return layout;
}

TEST(SampledContent, SmallOutputsAreKeptWhole) {
  const Layout layout = layout_of(100);
  std::vector<std::byte> memory(layout.outputs_size);
  base::Philox random(1, 1);
  const SampledContent content(layout, memory, random);
  EXPECT_FALSE(content.changed().has_value());
  for (std::size_t flat = 0; flat < 100; ++flat) {
    memory[4096 + flat * 4 + 3] ^= std::byte{1};
    const auto change = content.changed();
    ASSERT_TRUE(change.has_value()) << flat;
    EXPECT_EQ(change->place->name, "y");
    EXPECT_EQ(change->flat, flat);
    memory[4096 + flat * 4 + 3] ^= std::byte{1};
  }
  memory[layout.outputs[1].offset + 4] ^= std::byte{1};
  EXPECT_EQ(content.changed()->place->name, "z");
  EXPECT_EQ(content.changed()->flat, 2U);
}

TEST(SampledContent, APartOfALargeOutputIsSeenWhereverItIs) {
  constexpr std::size_t kElements = 1'000'000;
  const Layout layout = layout_of(kElements);
  std::vector<std::byte> memory(layout.outputs_size);
  base::Philox random(2, 1);
  for (std::size_t from = 0; from + kElements / 100 <= kElements; from += kElements / 10) {
    const SampledContent content(layout, memory, random);
    std::memset(memory.data() + 4096 + from * 4, 0x55, kElements / 100 * 4);  // One hundredth, seen surely (1 - 1e-18).
    EXPECT_TRUE(content.changed().has_value()) << from;
    std::memset(memory.data() + 4096 + from * 4, 0, kElements / 100 * 4);
  }
}

TEST(SampledContent, WhatIsOutsideTheOutputsIsNotItsBusiness) {
  const Layout layout = layout_of(100);
  std::vector<std::byte> memory(layout.outputs_size);
  base::Philox random(3, 1);
  const SampledContent content(layout, memory, random);
  memory[0] = std::byte{1};
  memory[4096 + 400] = std::byte{1};
  EXPECT_FALSE(content.changed().has_value());
}

TEST(ContentDigest, EveryByteCountsAndPlacesToo) {
  for (const std::size_t size : {1U, 31U, 32U, 33U, 1000U, 8192U, 8200U, (1U << 20U) + 5U}) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(i * 7);
    }
    const std::uint64_t before = content_digest(bytes);
    EXPECT_EQ(content_digest(bytes), before);
    for (std::size_t at = 0; at < size; at += size < 2000 ? 1U : 99'991U) {
      bytes[at] ^= std::byte{0x80};
      EXPECT_NE(content_digest(bytes), before) << at << " of " << size;
      bytes[at] ^= std::byte{0x80};
    }
  }
  // The same words in other places: rows, columns and pieces of the digest.
  std::vector<std::byte> bytes(20'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i * 37 % 251);
  }
  const std::uint64_t before = content_digest(bytes);
  for (const std::size_t distance : {8U, 256U, 8192U, 16384U}) {
    std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + static_cast<std::ptrdiff_t>(distance));
    EXPECT_NE(content_digest(bytes), before) << distance;
    std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + static_cast<std::ptrdiff_t>(distance));
  }
  EXPECT_EQ(content_digest(bytes), before);
  EXPECT_NE(content_digest(std::vector<std::byte>(32)), content_digest(std::vector<std::byte>(33)));
  EXPECT_NE(content_digest(std::vector<std::byte>(32)), content_digest(std::vector<std::byte>(64)));
}

}  // namespace
}  // namespace assay::verify
