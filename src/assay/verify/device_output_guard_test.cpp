#include <assay/verify/device_output_guard.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include <assay/verify/sampled_content.hpp>

namespace assay::verify {
namespace {

using device::cuda::FillPattern;

Layout make_layout_of(std::vector<std::size_t> sizes) {
  Layout layout;
  std::size_t end = 0;
  for (const std::size_t size : sizes) {
    const std::size_t offset = (end + Layout::kGuardBand + 63) / 64 * 64;
    layout.outputs.push_back({"y" + std::to_string(layout.outputs.size()),
                              tensor::DType::int8,
                              {static_cast<std::int64_t>(size)},
                              offset,
                              size});
    end = offset + size;
  }
  layout.outputs_size = (end + 63) / 64 * 64 + Layout::kGuardBand;
  return layout;
}

const std::vector<std::vector<std::size_t>>& all_sizes() {
  static const std::vector<std::vector<std::size_t>> kSizes = {{64}, {1, 4096, 3}, {100'003, 7}, {}, {5'000'000}};
  return kSizes;
}

TEST(GuardBands, CoverWhatIsNoTensor) {
  const Layout layout = make_layout_of({100, 3});
  const auto bands = guard_bands(layout);
  ASSERT_EQ(bands.size(), 3U);
  EXPECT_EQ(bands[0].begin, 0U);
  EXPECT_EQ(bands[0].end, layout.outputs[0].offset);
  EXPECT_EQ(bands[1].begin, layout.outputs[0].offset + 100);
  EXPECT_EQ(bands[2].end, layout.outputs_size);
}

// The pattern that kernels write, byte for byte what OutputGuard leaves: tested without a device.
TEST(FillPattern, IsWhatTheOutputGuardWrites) {
  for (const auto& sizes : all_sizes()) {
    const Layout layout = make_layout_of(sizes);
    for (std::uint64_t call = 0; call < 4; ++call) {
      std::vector<std::byte> memory(layout.outputs_size);
      const OutputGuard guard(layout, memory, 5, call);
      const FillPattern poison = FillPattern::repeated(Poison::draw(5, call).word);
      for (const Place& place : layout.outputs) {
        for (std::size_t i = 0; i < place.bytes; ++i) {
          ASSERT_EQ(std::to_integer<std::uint8_t>(memory[place.offset + i]), poison.byte_at(i));
        }
      }
      const FillPattern canary = FillPattern::repeated(draw_canary(5, call));
      for (const auto& [begin, end] : guard_bands(layout)) {
        for (std::size_t i = begin; i < end; ++i) {
          ASSERT_EQ(std::to_integer<std::uint8_t>(memory[i]), canary.byte_at(i - begin));
        }
      }
    }
  }
}

class GpuOutputGuard : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: guard bands and digests on one are not tried";
    }
    context_.emplace(std::move(device::cuda::Context::retain(0).value()));
    auto kernels = device::cuda::TrustedKernels::load(*context_);
    ASSERT_TRUE(kernels) << kernels.error().text();
    kernels_.emplace(std::move(*kernels));
    stream_.emplace(std::move(device::cuda::Stream::create().value()));
    memory_.emplace(std::move(device::cuda::Memory::create(*context_, std::size_t{16} << 20U).value()));
  }
  std::vector<std::byte> read(std::size_t bytes) {
    std::vector<std::byte> to(bytes);
    EXPECT_TRUE(device::cuda::copy_from_device(to, memory_->address(), *stream_));
    EXPECT_TRUE(stream_->synchronize());
    return to;
  }

  std::optional<device::cuda::Context> context_;
  std::optional<device::cuda::TrustedKernels> kernels_;
  std::optional<device::cuda::Stream> stream_;
  std::optional<device::cuda::Memory> memory_;
};

TEST_F(GpuOutputGuard, LeavesTheBytesThatTheCpuLeaves) {
  for (const auto& sizes : all_sizes()) {
    const Layout layout = make_layout_of(sizes);
    for (std::uint64_t call = 0; call < 6; ++call) {
      std::vector<std::byte> memory(layout.outputs_size);
      const OutputGuard on_cpu(layout, memory, 9, call);
      const DeviceOutputGuard on_device(layout, memory_->address(), 9, call);
      ASSERT_TRUE(on_device.prepare(*kernels_, *stream_));
      EXPECT_TRUE(read(layout.outputs_size) == memory) << call;
      const auto found = on_device.check(*kernels_, *stream_);
      ASSERT_TRUE(found) << found.error().text();
      EXPECT_FALSE(found->has_value());
    }
  }
}

TEST_F(GpuOutputGuard, FindsWhatTheCpuFinds) {
  const Layout layout = make_layout_of({1, 4096, 3});
  std::vector<std::byte> memory(layout.outputs_size);
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{4095}, layout.outputs[0].offset + 1, layout.outputs[2].offset - 1,
        layout.outputs[2].offset + 3, layout.outputs_size - 1}) {
    const OutputGuard on_cpu(layout, memory, 10, place);
    const DeviceOutputGuard on_device(layout, memory_->address(), 10, place);
    ASSERT_TRUE(on_device.prepare(*kernels_, *stream_));
    memory[place] ^= std::byte{1};
    const std::byte other = memory[place];
    ASSERT_TRUE(device::cuda::copy_to_device(memory_->address() + place, {&other, 1}, *stream_));
    ASSERT_TRUE(stream_->synchronize());
    const auto found = on_device.check(*kernels_, *stream_).value();
    const auto wanted = on_cpu.check();
    ASSERT_TRUE(found.has_value() && wanted.has_value()) << place;
    EXPECT_EQ(found->message, wanted->message);
    EXPECT_EQ(found->tensor, wanted->tensor);
    EXPECT_EQ(found->kind, "guard_overwritten");
  }
}

TEST_F(GpuOutputGuard, DigestsAreThoseOfTheCpu) {
  std::vector<std::byte> bytes(std::size_t{9} << 20U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(FillPattern::random(11).byte_at(i));
  }
  ASSERT_TRUE(device::cuda::copy_to_device(memory_->address(), bytes, *stream_));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{1} << 20U,
                                 (std::size_t{1} << 20U) + 9, bytes.size()}) {
    const device::cuda::ByteRange range{memory_->address(), size};
    EXPECT_EQ(kernels_->digest({&range, 1}, *stream_).value()[0], content_digest(std::span(bytes).first(size))) << size;
  }
}

}  // namespace
}  // namespace assay::verify
