#include <assay/device/copy_plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include <assay/base/random.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/device/cuda/memory.hpp>
#include <assay/device/scaled_bfloat16.hpp>

namespace assay::device {
namespace {

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed) {
  base::Philox random(seed, 1);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random.next_u32());
  }
  return bytes;
}

class CopyPlanTest : public ::testing::Test {
 protected:
  /// Every kind of piece, at places and of sizes that are no whole words where that is allowed.
  void compose() {
    plan_.leave(whole().first(7000));
    plan_.copy(whole().subspan(1, 1001), bytes_pool_, 13);
    plan_.flip(whole().subspan(1004, 259), bytes_pool_, 5, std::span(mask_));
    plan_.zero(whole().subspan(1300, 77));
    plan_.scale_float32(whole().subspan(2000, 400), numbers_pool_, 40, 0.1F);
    plan_.scale_bfloat16(whole().subspan(3000, 200), numbers_pool_, 80, 0.3F);
    for (std::size_t i = 0; i < 1001; ++i) {
      wanted_[1 + i] = pool_[13 + i];
    }
    for (std::size_t i = 0; i < 259; ++i) {
      wanted_[1004 + i] = pool_[5 + i] ^ mask_[i % mask_.size()];
    }
    std::fill_n(wanted_.begin() + 1300, 77, std::byte{0});
    for (std::size_t i = 0; i < 100; ++i) {
      const float value = 0.1F * numbers_[10 + i];
      std::memcpy(&wanted_[2000 + 4 * i], &value, sizeof value);
      const std::uint16_t bits = scaled_bfloat16(numbers_[20 + i], 0.3F);
      std::memcpy(&wanted_[3000 + 2 * i], &bits, sizeof bits);
    }
  }

  [[nodiscard]] std::span<std::byte> whole() { return image_; }

  std::vector<std::byte> pool_ = random_bytes(5000, 1);
  std::vector<std::byte> mask_ = random_bytes(12, 2);
  std::vector<float> numbers_ = [] {
    base::Philox random(3, 1);
    std::vector<float> numbers(500);
    for (float& number : numbers) {
      number = static_cast<float>(random.next_normal());
    }
    return numbers;
  }();
  Pool bytes_pool_{std::span<const std::byte>(pool_)};
  Pool numbers_pool_ = pool_of(numbers_);
  std::vector<std::byte> image_ = random_bytes(8000, 4);
  std::vector<std::byte> wanted_ = image_;
  CopyPlan plan_;
};

TEST_F(CopyPlanTest, NothingIsTouchedBeforeItIsDone) {
  const std::vector<std::byte> before = image_;
  compose();
  EXPECT_EQ(image_, before);
  EXPECT_FALSE(plan_.empty());
  plan_.replay();
  EXPECT_EQ(image_, wanted_);
  EXPECT_FALSE(plan_.empty()) << "it can still be done elsewhere";
  plan_.settle();
  EXPECT_EQ(image_, wanted_);
  EXPECT_TRUE(plan_.empty() && plan_.pieces().empty());
}

TEST_F(CopyPlanTest, WhatIsNeededIsRightBeforeTheRest) {
  compose();
  base::Philox random(9, 1);
  for (int i = 0; i < 200; ++i) {
    const std::size_t at = random.next_below(3400);
    const std::size_t size = random.next_below(300);
    plan_.need(whole().subspan(at, size));
    ASSERT_TRUE(std::equal(image_.begin() + static_cast<std::ptrdiff_t>(at),
                           image_.begin() + static_cast<std::ptrdiff_t>(at + size),
                           wanted_.begin() + static_cast<std::ptrdiff_t>(at)))
        << at << " " << size;
  }
}

TEST_F(CopyPlanTest, OneElementNeedsNoMoreThanItsPiece) {
  const std::vector<std::byte> before = image_;
  compose();
  plan_.need(whole().subspan(2100, 1));
  EXPECT_TRUE(std::equal(image_.begin(), image_.begin() + 2000, before.begin()));
  EXPECT_TRUE(std::equal(image_.begin() + 2400, image_.end(), before.begin() + 2400));
}

TEST_F(CopyPlanTest, WhatIsSetComesAfterPiecesAndInItsOrder) {
  compose();
  const auto first = random_bytes(8, 5);
  const auto second = random_bytes(4, 6);
  plan_.set(whole().subspan(2004, 8), first);
  plan_.set(whole().subspan(2008, 4), second);
  std::copy(first.begin(), first.end(), wanted_.begin() + 2004);
  std::copy(second.begin(), second.end(), wanted_.begin() + 2008);
  plan_.need(whole().subspan(2006, 1));
  EXPECT_EQ(image_[2006], wanted_[2006]);
  plan_.need(whole().subspan(2300, 1));  // Does the same piece again.
  EXPECT_EQ(image_[2010], wanted_[2010]);
  plan_.settle();
  EXPECT_EQ(image_, wanted_);
}

TEST_F(CopyPlanTest, WhatIsNotLeftToItIsSetAtOnce) {
  compose();
  const auto bytes = random_bytes(3, 7);
  plan_.set(whole().subspan(7500, 3), bytes);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), image_.begin() + 7500));
  EXPECT_TRUE(plan_.patches().empty());
}

TEST_F(CopyPlanTest, MuchIsDoneOnSeveralThreads) {
  std::vector<std::byte> large(std::size_t{9} << 20U);
  CopyPlan plan;
  plan.leave(large);
  for (std::size_t at = 0; at < large.size(); at += 3000) {
    plan.copy(std::span(large).subspan(at, std::min<std::size_t>(3000, large.size() - at)), bytes_pool_, at % 2000);
  }
  plan.settle();
  for (std::size_t at = 0; at < large.size(); at += 1) {
    ASSERT_EQ(large[at], pool_[at / 3000 * 3000 % 2000 + at % 3000]) << at;
  }
}

TEST_F(CopyPlanTest, AMemoryOfThisMachinesIsDoneWithWhenItIsPublished) {
  const auto memory = std::move(make_host_memory(5000, os::PeerAccess::read_only).value());
  memory->plan().leave(memory->bytes());
  memory->plan().copy(memory->bytes(), bytes_pool_, 0);
  ASSERT_TRUE(memory->publish(5000));
  EXPECT_TRUE(std::equal(pool_.begin(), pool_.end(), memory->bytes().begin()));
  EXPECT_TRUE(memory->plan().empty());
  EXPECT_FALSE(memory->turn()) << "workers see the only image that it has";
}

TEST(Subtract, LeavesWhatIsUploadedBesideWhatIsLeft) {
  std::vector<std::byte> image(100);
  const std::span<std::byte> all(image);
  const std::span<const std::byte> read(image);
  const auto at = [&](std::size_t begin, std::size_t end) {
    return testing::AllOf(testing::Property(&std::span<const std::byte>::data, image.data() + begin),
                          testing::Property(&std::span<const std::byte>::size, end - begin));
  };
  EXPECT_THAT(cuda::subtract({read}, {}), testing::ElementsAre(at(0, 100)));
  EXPECT_THAT(cuda::subtract({read}, {all.subspan(60, 40), all.subspan(10, 20)}),
              testing::ElementsAre(at(0, 10), at(30, 60)));
  EXPECT_THAT(cuda::subtract({read.subspan(50, 10), read.subspan(0, 20)}, {all.subspan(15, 40)}),
              testing::ElementsAre(at(0, 15), at(55, 60)));
  EXPECT_THAT(cuda::subtract({read.subspan(20, 10)}, {all.subspan(20, 10)}), testing::IsEmpty());
  EXPECT_THAT(cuda::subtract({read.subspan(20, 10)}, {all.subspan(10, 50)}), testing::IsEmpty());
}

TEST(Pool, EachHasItsNumber) {
  const std::vector<int> values = {1, 2};
  EXPECT_NE(pool_of(values).number(), pool_of(values).number());
  EXPECT_EQ(pool_of(values).bytes().size(), 2 * sizeof(int));
}

TEST(ScaledBfloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(scaled_bfloat16(1.0F, 1.0F), 0x3f80);
  EXPECT_EQ(scaled_bfloat16(0x1.01p0F, 1.0F), 0x3f80);    // Half way: even.
  EXPECT_EQ(scaled_bfloat16(0x1.03p0F, 1.0F), 0x3f82);    // Half way: even again.
  EXPECT_EQ(scaled_bfloat16(0x1.0101p0F, 1.0F), 0x3f81);  // Beyond it.
  EXPECT_EQ(scaled_bfloat16(3.0F, -0.5F), 0xbfc0);
  EXPECT_EQ(scaled_bfloat16(std::numeric_limits<float>::infinity(), 0.0F) & 0x7fc0U, 0x7fc0U);
}

}  // namespace
}  // namespace assay::device
