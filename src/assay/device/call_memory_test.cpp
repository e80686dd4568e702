#include <assay/device/call_memory.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include <assay/device/device_peaks.hpp>
#include <assay/device/simulated.hpp>

namespace assay::device {
namespace {

constexpr std::size_t kHostBytes = 3 * 4096;

bool all_are(std::span<const std::byte> bytes, std::byte value) {
  return std::all_of(bytes.begin(), bytes.end(), [value](std::byte byte) { return byte == value; });
}

TEST(HostMemory, IsZerosAtFirstAndLiesNowhereElse) {
  const auto memory = make_host_memory(kHostBytes, os::PeerAccess::read_only);
  ASSERT_TRUE(memory) << memory.error().text();
  EXPECT_EQ((*memory)->bytes().size(), kHostBytes);
  EXPECT_TRUE(all_are((*memory)->bytes(), std::byte{0}));
  EXPECT_FALSE((*memory)->device_address());
  EXPECT_TRUE((*memory)->plan().empty());
  EXPECT_FALSE((*memory)->turn()) << "there is one image";
}

TEST(HostMemory, OfNoBytesThereIsNone) { EXPECT_FALSE(make_host_memory(0, os::PeerAccess::read_only)); }

TEST(HostMemory, AWorkersMappingIsTheImageBothWays) {
  const auto memory = make_host_memory(kHostBytes, os::PeerAccess::read_write).value();
  const auto peer = os::Mapping::map(memory->descriptor(), kHostBytes, os::Mapping::Access::read_write, 4096).value();
  memory->bytes()[100] = std::byte{5};
  ASSERT_TRUE(memory->publish(kHostBytes));
  EXPECT_EQ(peer.data()[100], std::byte{5});
  peer.data()[200] = std::byte{6};
  ASSERT_TRUE(memory->fetch(kHostBytes));
  EXPECT_EQ(memory->bytes()[200], std::byte{6});
  EXPECT_EQ(memory->bytes()[100], std::byte{5}) << "publishing and fetching lose nothing";
}

TEST(HostMemory, OfWhatIsOnlyReadNoWorkerMakesAWritableMapping) {
  const auto memory = make_host_memory(kHostBytes, os::PeerAccess::read_only).value();
  EXPECT_FALSE(os::Mapping::map(memory->descriptor(), kHostBytes, os::Mapping::Access::read_write, 4096));
  EXPECT_TRUE(os::Mapping::map(memory->descriptor(), kHostBytes, os::Mapping::Access::read_only, 4096));
}

TEST(HostMemory, WhatIsPresentLiesWithinTheSizeAskedFor) {
  const auto memory = make_host_memory(kHostBytes, os::PeerAccess::read_only).value();
  memory->bytes()[10] = std::byte{1};
  for (const std::size_t size : {std::size_t{64}, std::size_t{5000}, kHostBytes}) {
    bool has_what_was_written = false;
    for (const auto& part : memory->present(size)) {
      EXPECT_GE(part.data(), memory->bytes().data());
      EXPECT_LE(part.data() + part.size(), memory->bytes().data() + size);
      has_what_was_written |= part.data() <= &memory->bytes()[10] && &memory->bytes()[10] < part.data() + part.size();
    }
    EXPECT_TRUE(has_what_was_written) << size;
  }
}

TEST(HostMemory, ManyHaveTheirOwnBytes) {
  const auto device = make_simulated(1);
  const auto one = device->create_memory(kHostBytes, os::PeerAccess::read_only).value();
  const auto other = device->create_memory(kHostBytes, os::PeerAccess::read_only).value();
  std::fill(one->bytes().begin(), one->bytes().end(), std::byte{9});
  EXPECT_TRUE(all_are(other->bytes(), std::byte{0}));
  EXPECT_NE(one->descriptor().get(), other->descriptor().get());
}

TEST(DevicePeaksBound, IsTheFasterFormatsWhereTheInstructionIsTheFastest) {
  struct Case {
    DevicePeaks peaks;
    double bound;
  };
  for (const Case& one :
       {Case{{4000, 800, 1500, "wgmma", true}, 1500}, Case{{4000, 800, 0, "mma.sync", true}, 800},
        Case{{4000, 800, 700, "mma.sync", true}, 800}, Case{{4000, 800, 1500, "wgmma", false}, 0}, Case{{}, 0}}) {
    EXPECT_DOUBLE_EQ(one.peaks.operations_bound(), one.bound);
  }
}

}  // namespace
}  // namespace assay::device
