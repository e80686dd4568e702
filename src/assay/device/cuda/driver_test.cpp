#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/device/cuda/device.hpp>
#include <assay/device/cuda/driver.hpp>

namespace assay::device::cuda {
namespace {

TEST(CudaDevice, TheArchitectureFollowsFromTheCapability) {
  EXPECT_EQ(*architecture_of(7, 5), "sm_75");
  EXPECT_EQ(*architecture_of(8, 0), "sm_80");
  EXPECT_EQ(*architecture_of(8, 9), "sm_89");
  EXPECT_EQ(*architecture_of(9, 0), "sm_90a");
  EXPECT_EQ(*architecture_of(10, 0), "sm_100a");
  EXPECT_EQ(*architecture_of(12, 0), "sm_120a");
  EXPECT_EQ(architecture_of(7, 0).error().owner, base::Owner::environment);
  EXPECT_FALSE(architecture_of(-1, 0));
}

TEST(CudaDriver, AMachineWithoutADeviceIsAnEnvironmentErrorWithARemedy) {
  if (has_device()) {
    GTEST_SKIP() << "this machine has a CUDA device";
  }
  const auto opened = open_driver();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().owner, base::Owner::environment);
  EXPECT_THAT(opened.error().code, ::testing::StartsWith("cuda."));
  EXPECT_THAT(opened.error().message,
              ::testing::AnyOf(::testing::HasSubstr("install"), ::testing::HasSubstr("nvidia-smi")));
  EXPECT_FALSE(Context::retain(0));
  EXPECT_FALSE(describe_device(0));
}

class GpuDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) {
      GTEST_SKIP() << "no CUDA device here: memory, streams and events of the driver are not tried";
    }
    auto context = Context::retain(0);
    ASSERT_TRUE(context) << context.error().text();
    context_.emplace(std::move(*context));
  }
  std::optional<Context> context_;
};

TEST_F(GpuDriver, DescribesTheDevice) {
  const auto facts = describe_device(0);
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_FALSE(facts->name.empty());
  EXPECT_THAT(facts->uuid, ::testing::MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
  EXPECT_GE(facts->major, 7);
  EXPECT_GT(facts->multiprocessors, 0);
  EXPECT_GT(facts->l2_bytes, 1 << 20);
  const auto absent = describe_device(99);
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, ::testing::HasSubstr("cuda:99"));
}

TEST_F(GpuDriver, ExportedMemoryHoldsTheSameBytesForWhoImportsIt) {
  std::vector<std::byte> sent(3 << 20);
  base::Philox random(1, 2);
  for (std::byte& byte : sent) {
    byte = static_cast<std::byte>(random.next_below(256));
  }
  auto memory = Memory::create(*context_, sent.size());
  ASSERT_TRUE(memory) << memory.error().text();
  auto stream = Stream::create();
  ASSERT_TRUE(stream) << stream.error().text();
  ASSERT_TRUE(copy_to_device(memory->address(), sent, *stream));
  ASSERT_TRUE(stream->synchronize());
  const auto descriptor = memory->export_descriptor();
  ASSERT_TRUE(descriptor) << descriptor.error().text();
  const auto imported = Memory::import(*context_, *descriptor, sent.size(), MemoryAccess::read_only);
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_NE(imported->address(), memory->address());
  std::vector<std::byte> got(sent.size());
  ASSERT_TRUE(copy_from_device(got, imported->address(), *stream));
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(got, sent);
}

TEST_F(GpuDriver, EventsMeasureTimeBetweenThem) {
  auto stream = Stream::create();
  auto first = Event::create();
  auto second = Event::create();
  auto memory = Memory::create(*context_, std::size_t{256} << 20U);
  ASSERT_TRUE(stream && first && second && memory);
  ASSERT_TRUE(first->record(*stream));
  ASSERT_TRUE(
      check((*open_driver())->cuMemsetD8Async(memory->address(), 1, memory->size(), stream->handle()), "memset"));
  ASSERT_TRUE(second->record(*stream));
  ASSERT_TRUE(second->synchronize());
  const auto elapsed = elapsed_ns(*first, *second);
  ASSERT_TRUE(elapsed) << elapsed.error().text();
  EXPECT_GT(*elapsed, 10'000);  // 256 MiB: no device writes 25 TB/s.
}

TEST_F(GpuDriver, AModuleThatIsNoneIsRefused) {
  const std::vector<std::byte> nonsense(256, std::byte{7});
  EXPECT_FALSE(Module::load(nonsense));
}

}  // namespace
}  // namespace assay::device::cuda
