#include <assay/device/cuda/trusted_kernels.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include <assay/base/content_strands.hpp>
#include <assay/base/random.hpp>

namespace assay::device::cuda {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

std::vector<std::byte> pattern_bytes(const FillPattern& pattern, std::size_t bytes) {
  std::vector<std::byte> filled(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    filled[i] = static_cast<std::byte>(pattern.byte_at(i));
  }
  return filled;
}

std::vector<std::byte> random_bytes(std::size_t bytes, std::uint64_t seed) {
  return pattern_bytes(FillPattern::random(seed), bytes);
}

/// The digest by its definition, a word at a time in no clever order.
std::uint64_t plain_digest(std::span<const std::byte> bytes) {
  using Strands = base::ContentStrands;
  std::uint64_t sum = 0;
  for (std::uint64_t piece = 0; piece * Strands::kPieceBytes < bytes.size(); ++piece) {
    for (std::uint64_t strand = Strands::kStrands; strand-- > 0;) {
      std::uint64_t state = Strands::start(piece, strand);
      for (std::uint64_t row = 0; row < Strands::kRows; ++row) {
        const std::size_t begin = piece * Strands::kPieceBytes + row * Strands::kRowBytes;
        if (begin >= bytes.size()) {
          break;
        }
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 8; ++i) {
          const std::size_t at = begin + strand * 8 + i;
          word |= at < bytes.size() ? std::to_integer<std::uint64_t>(bytes[at]) << (8 * i) : 0;
        }
        state = Strands::stir(state, word);
      }
      sum += Strands::finish(state, piece, strand);
    }
  }
  return Strands::total(sum, bytes.size());
}

TEST(FillPattern, ARepeatedWordIsLittleEndianFromAnyOffset) {
  constexpr FillPattern kPattern = FillPattern::repeated(0x44332211U);
  static_assert(kPattern.eight_at(0) == 0x4433221144332211U);
  static_assert(kPattern.eight_at(4) == kPattern.eight_at(0));
  EXPECT_EQ(kPattern.eight_at(1), 0x1144332211443322U);
  EXPECT_EQ(kPattern.eight_at(7), 0x3322114433221144U);
  const std::array<std::uint8_t, 5> bytes = {0x11, 0x22, 0x33, 0x44, 0x11};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(kPattern.byte_at(i), bytes[i]);
  }
}

TEST(FillPattern, EightBytesAreThoseThatFollowOneByOne) {
  for (const FillPattern& pattern : {FillPattern::repeated(0xdeadbeefU), FillPattern::random(9)}) {
    for (std::uint64_t offset = 0; offset < 40; ++offset) {
      const std::uint64_t eight = pattern.eight_at(offset);
      for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ((eight >> (8 * i)) & 0xffU, pattern.byte_at(offset + i)) << offset << " + " << i;
      }
    }
  }
  EXPECT_EQ(FillPattern::random(9).eight_at(16), base::mix(9, 2));
}

TEST(CompareSums, DoNotDependOnHowTheyAreCombinedButForRounding) {
  base::Philox random(3, 4);
  CompareSums whole;
  std::array<CompareSums, 7> parts;
  for (int i = 0; i < 5000; ++i) {
    const double expected = random.next_normal();
    const double got = i % 100 == 0 ? expected : expected + 1e-3 * random.next_normal();
    compare_floating(ElementFormat::bfloat16, got, expected, 1e-3, whole);
    compare_floating(ElementFormat::bfloat16, got, expected, 1e-3, parts[random.next_below(parts.size())]);
  }
  CompareSums joined;
  for (const CompareSums& part : parts) {
    combine(joined, part);
  }
  EXPECT_NEAR(joined.error_square, whole.error_square, 1e-12 * whole.error_square);
  EXPECT_NEAR(joined.expected_square, whole.expected_square, 1e-12 * whole.expected_square);
  EXPECT_NEAR(joined.rounding_square, whole.rounding_square, 1e-12 * whole.rounding_square);
  EXPECT_GT(whole.rounding_square, 0);
  EXPECT_EQ(joined.excess, whole.excess);
  EXPECT_EQ(joined.largest_absolute, whole.largest_absolute);
  EXPECT_EQ(joined.largest_relative, whole.largest_relative);
  EXPECT_EQ(joined.finite, 5000U);
  EXPECT_EQ(joined.differing, 4950U);
  EXPECT_EQ(joined.mismatches, 0U);
}

TEST(CompareSums, SpecialValuesGoByTheirClass) {
  const double infinity = HUGE_VAL;
  const double nan = std::nan("");
  for (const double got : {1.0, infinity, -infinity, nan}) {
    for (const double expected : {2.0, infinity, -infinity, nan}) {
      CompareSums sums;
      compare_floating(ElementFormat::bfloat16, got, expected, 10, sums);
      const bool same = (std::isnan(got) && std::isnan(expected)) || got == expected ||
                        (std::isfinite(got) && std::isfinite(expected));
      EXPECT_EQ(sums.mismatches, same ? 0U : 1U) << got << " " << expected;
      EXPECT_EQ(std::isinf(sums.largest_absolute), !same);
    }
  }
}

TEST(CompareIntegers, AreExactBeyondWhatADoubleHolds) {
  EXPECT_TRUE(equals_integer(-5, -5.0));
  EXPECT_FALSE(equals_integer(5, 5.5));
  EXPECT_FALSE(equals_integer((std::int64_t{1} << 53U) + 1, 0x1p53));
  EXPECT_FALSE(equals_integer(std::numeric_limits<std::int64_t>::max(), 0x1p63));
  EXPECT_TRUE(equals_integer(std::numeric_limits<std::int64_t>::min(), -0x1p63));
  EXPECT_FALSE(equals_integer(0, std::nan("")));
}

TEST(TrustedKernels, WithoutADeviceTheyAreAnEnvironmentError) {
  if (has_device()) {
    GTEST_SKIP() << "this machine has a CUDA device";
  }
  const auto context = Context::retain(0);
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().owner, base::Owner::environment);
}

class GpuTrustedKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) {
      GTEST_SKIP() << "no CUDA device here: the trusted kernels' fills, digests and sweeps are not tried";
    }
    context_.emplace(std::move(Context::retain(0).value()));
    auto kernels = TrustedKernels::load(*context_);
    ASSERT_TRUE(kernels) << kernels.error().text();
    kernels_.emplace(std::move(*kernels));
    stream_.emplace(std::move(Stream::create().value()));
    memory_.emplace(std::move(Memory::create(*context_, 4 * kMiB).value()));
  }

  [[nodiscard]] DevicePointer at(std::size_t offset) const { return memory_->address() + offset; }
  void write(std::size_t offset, std::span<const std::byte> bytes) {
    ASSERT_TRUE(copy_to_device(at(offset), bytes, *stream_));
    ASSERT_TRUE(stream_->synchronize());
  }
  [[nodiscard]] std::vector<std::byte> read(std::size_t offset, std::size_t bytes) {
    std::vector<std::byte> to(bytes);
    EXPECT_TRUE(copy_from_device(to, at(offset), *stream_));
    EXPECT_TRUE(stream_->synchronize());
    return to;
  }

  std::optional<Context> context_;
  std::optional<TrustedKernels> kernels_;
  std::optional<Stream> stream_;
  std::optional<Memory> memory_;
};

TEST_F(GpuTrustedKernels, FillEveryByteOfARangeAndNoOther) {
  const std::vector<std::byte> before = random_bytes(kMiB, 77);
  for (const FillPattern& pattern : {FillPattern::repeated(0x7fc07fd3U), FillPattern::random(5)}) {
    for (const std::size_t offset : {64U, 65U, 79U, 4096U, 4099U}) {
      for (const std::size_t bytes : {0U, 1U, 3U, 15U, 16U, 17U, 100U, 4096U, 500'003U}) {
        write(0, before);
        ASSERT_TRUE(kernels_->fill({{at(offset), bytes}, pattern}, *stream_));
        const std::vector<std::byte> after = read(0, before.size());
        std::vector<std::byte> wanted = before;
        const std::vector<std::byte> filled = pattern_bytes(pattern, bytes);
        std::copy(filled.begin(), filled.end(), wanted.begin() + static_cast<std::ptrdiff_t>(offset));
        ASSERT_TRUE(after == wanted) << offset << ", " << bytes;
      }
    }
  }
}

TEST_F(GpuTrustedKernels, FindTheFirstByteThatWasChanged) {
  for (const FillPattern& pattern : {FillPattern::repeated(0x80012345U), FillPattern::random(6)}) {
    for (const std::size_t offset : {0U, 5U, 64U}) {
      for (const std::size_t bytes : {1U, 14U, 33U, 4096U, 300'001U}) {
        const FilledRange range{{at(offset), bytes}, pattern};
        ASSERT_TRUE(kernels_->fill(range, *stream_));
        EXPECT_EQ(kernels_->check_fill({&range, 1}, *stream_).value()[0], std::nullopt);
        for (const std::size_t changed : {std::size_t{0}, bytes / 3, bytes / 2, bytes - 1}) {
          ASSERT_TRUE(kernels_->fill(range, *stream_));
          for (const std::size_t place : {bytes - 1, changed}) {
            const auto other = static_cast<std::byte>(pattern.byte_at(place) ^ 0x10U);
            write(offset + place, {&other, 1});
          }
          EXPECT_EQ(kernels_->check_fill({&range, 1}, *stream_).value()[0], changed) << offset << ", " << bytes;
        }
      }
    }
  }
}

TEST_F(GpuTrustedKernels, CheckManyRangesInOneGo) {
  std::vector<FilledRange> ranges;
  for (std::size_t i = 0; i < 700; ++i) {
    ranges.push_back({{at(i * 4096), i % 5 == 4 ? 0 : 100 + i}, FillPattern::repeated(static_cast<std::uint32_t>(i))});
    ASSERT_TRUE(kernels_->fill(ranges.back(), *stream_));
  }
  for (const std::size_t wrong : {3U, 511U, 512U, 698U}) {
    const std::byte other{0xee};
    write(wrong * 4096 + 50, {&other, 1});
  }
  const auto changed = kernels_->check_fill(ranges, *stream_).value();
  ASSERT_EQ(changed.size(), ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(changed[i].has_value(), i == 3 || i == 511 || i == 512 || i == 698) << i;
  }
}

// By a kernel where it is little, by a copy where it is much; the bytes beside stay as they are.
TEST_F(GpuTrustedKernels, BringWordsToPinnedMemory) {
  const std::vector<std::byte> bytes = random_bytes(2 * kMiB, 31);
  write(0, bytes);
  const PinnedMemory pinned = PinnedMemory::create(2 * kMiB).value();
  for (const std::size_t size : {0U, 4U, 24U, 4096U, 65'536U, 65'540U, 1'000'000U}) {
    for (const std::size_t from : {0U, 8U, 100U}) {
      std::fill(pinned.bytes().begin(), pinned.bytes().end(), std::byte{0x5a});
      constexpr std::size_t kTo = 12;
      ASSERT_TRUE(kernels_->enqueue_bring(pinned.bytes().subspan(kTo, size), at(from), *stream_));
      ASSERT_TRUE(stream_->synchronize());
      std::vector<std::byte> wanted(pinned.size(), std::byte{0x5a});
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), size, wanted.begin() + kTo);
      EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), pinned.bytes().begin())) << size << " from " << from;
    }
  }
}

TEST_F(GpuTrustedKernels, TellWhereTwoPlacesFirstDiffer) {
  const std::vector<std::byte> bytes = random_bytes(kMiB, 21);
  const Memory words = Memory::create(*context_, 4096).value();
  const auto first_differences = [&](std::span<const RangePair> pairs) {
    EXPECT_TRUE(kernels_->enqueue_first_difference(pairs, words.address(), *stream_));
    std::vector<std::uint64_t> found(pairs.size());
    EXPECT_TRUE(copy_from_device(std::as_writable_bytes(std::span(found)), words.address(), *stream_));
    EXPECT_TRUE(stream_->synchronize());
    return found;
  };
  // Aligned alike, and not.
  for (const auto& [one, other] :
       {std::pair{0U, 2U << 20U}, std::pair{5U, (2U << 20U) + 5U}, std::pair{3U, 2U << 20U}}) {
    for (const std::size_t size : {1U, 14U, 33U, 4096U, 300'001U}) {
      const RangePair pair{at(one), at(other), size};
      for (const std::size_t changed : {std::size_t{0}, size / 3, size / 2, size - 1}) {
        write(one, std::span(bytes).first(size));
        write(other, std::span(bytes).first(size));
        EXPECT_EQ(first_differences({&pair, 1})[0], TrustedKernels::kHolds);
        for (const std::size_t place : {size - 1, changed}) {
          const std::byte flipped = bytes[place] ^ std::byte{0x40};
          write(other + place, {&flipped, 1});
        }
        EXPECT_EQ(first_differences({&pair, 1})[0], changed) << one << ", " << size;
      }
    }
  }
  // More pairs than a launch takes, each with its own answer.
  std::vector<RangePair> pairs;
  write(0, std::span(bytes).first(40 * 4096));
  write(2U << 20U, std::span(bytes).first(40 * 4096));
  for (std::size_t i = 0; i < 40; ++i) {
    pairs.push_back({at(i * 4096), at((2U << 20U) + i * 4096), i % 7 == 6 ? 0 : 4000 - i});
    const std::byte flipped = bytes[i * 4096 + i] ^ std::byte{1};
    if (i % 2 == 0) {
      write((2U << 20U) + i * 4096 + i, {&flipped, 1});
    }
  }
  const std::vector<std::uint64_t> found = first_differences(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(found[i], i % 2 == 0 && i % 7 != 6 ? i : TrustedKernels::kHolds) << i;
  }
}

TEST_F(GpuTrustedKernels, DigestAsTheDefinitionHasIt) {
  const std::vector<std::byte> bytes = random_bytes(3 * kMiB + 77, 12);
  write(0, bytes);
  for (const std::size_t offset : {0U, 8U, 64U, 1U, 5U}) {
    for (const std::size_t size : {0U, 1U, 7U, 8U, 255U, 256U, 257U, 8191U, 8192U, 8193U, 100'000U, 3U << 20U}) {
      const ByteRange range{at(offset), size};
      const auto digest = kernels_->digest({&range, 1}, *stream_);
      ASSERT_TRUE(digest) << digest.error().text();
      EXPECT_EQ((*digest)[0], plain_digest(std::span(bytes).subspan(offset, size))) << offset << ", " << size;
    }
  }
}

TEST_F(GpuTrustedKernels, DigestsOfSeveralRangesAreThoseOfEach) {
  const std::vector<std::byte> bytes = random_bytes(kMiB, 13);
  write(0, bytes);
  std::vector<ByteRange> ranges;
  for (std::size_t i = 0; i < 600; ++i) {
    ranges.push_back({at(i * 64), 1000 + i});
  }
  const auto digests = kernels_->digest(ranges, *stream_).value();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(digests[i], plain_digest(std::span(bytes).subspan(i * 64, 1000 + i))) << i;
  }
}

TEST_F(GpuTrustedKernels, TheFlushReadsABufferOfThreeTimesTheCacheAndLeavesItAsItIs) {
  const std::size_t bytes = kernels_->flush_bytes();
  EXPECT_GE(bytes, 3 * kMiB);
  const Memory buffer = Memory::create(*context_, bytes).value();
  const FilledRange range{{buffer.address(), bytes}, FillPattern::random(1)};
  ASSERT_TRUE(kernels_->fill(range, *stream_));
  ASSERT_TRUE(kernels_->flush_l2(range.range, *stream_));
  ASSERT_TRUE(stream_->synchronize());
  EXPECT_EQ(kernels_->check_fill({&range, 1}, *stream_).value()[0], std::nullopt);
  const auto small = kernels_->flush_l2({buffer.address(), bytes - 16}, *stream_);
  ASSERT_FALSE(small);
  EXPECT_THAT(small.error().message, ::testing::HasSubstr("needs"));
}

}  // namespace
}  // namespace assay::device::cuda
