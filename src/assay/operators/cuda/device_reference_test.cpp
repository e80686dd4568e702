#include <assay/operators/cuda/device_reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <regex>
#include <sstream>

#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/makers.hpp>

namespace assay::operators::cuda {
namespace {

using ::testing::HasSubstr;

constexpr std::array<const char*, 5> kDefinitions = {"gdn_decode_qk4_v8_d128_k_last", "gdn_prefill_qk4_v8_d128_k_last",
                                                     "gdn_prefill_qk2_v4_d16_k_last",
                                                     "moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048",
                                                     "moe_fp8_block_scale_ds_routing_topk4_ng4_kg2_e4_h256_i256"};

std::string read_source(const std::string& name) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/src/assay/operators/cuda/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DeviceReference, ThereIsNoneOfAnUnknownDefinition) {
  const auto made = make_device_reference("gemm_n4096_k4096");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(*made, nullptr);
  EXPECT_EQ(*make_gdn_decode("gdn_prefill_qk4_v8_d128_k_last"), nullptr);
  EXPECT_EQ(*make_gdn_prefill("gdn_prefill_qk4_v8_d64_k_last"), nullptr);
  EXPECT_EQ(*make_moe_fp8_block_scale(""), nullptr);
}

TEST(DeviceReference, WithoutADeviceOrWithoutItsCodeThatIsAnEnvironmentError) {
  if (device::cuda::has_device() && !device::cuda::code::gdn_decode().empty()) {
    GTEST_SKIP() << "this machine has a CUDA device and this build code for it";
  }
  for (const char* definition : kDefinitions) {
    const auto made = make_device_reference(definition);
    ASSERT_FALSE(made) << definition;
    EXPECT_EQ(made.error().owner, base::Owner::environment) << definition;
    EXPECT_THAT(made.error().code, ::testing::StartsWith("cuda.")) << definition;
    if (device::cuda::code::gdn_decode().empty()) {
      EXPECT_THAT(made.error().message, HasSubstr("build it where nvcc is installed")) << definition;
    }
  }
}

TEST(DeviceReference, AnEmptyImageSaysWhereToBuild) {
  const auto loaded = device::cuda::load_device_code("gdn_decode", {});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, "cuda.no_device_code");
  EXPECT_THAT(loaded.error().message, HasSubstr("holds no GPU code: build it where nvcc is installed (gdn_decode.cu)"));
}

TEST(DeviceReference, ImagesAreThereOfAllFilesOrOfNone) {
  const bool any = !device::cuda::code::gdn_decode().empty();
  EXPECT_EQ(!device::cuda::code::gdn_prefill().empty(), any);
  EXPECT_EQ(!device::cuda::code::moe_fp8_block_scale().empty(), any);
  if (any) {  // A fatbin begins with its magic number.
    const auto image = device::cuda::code::gdn_decode();
    EXPECT_EQ(image[0], std::byte{0x50});
    EXPECT_EQ(image[1], std::byte{0xed});
    EXPECT_EQ(image[2], std::byte{0x55});
    EXPECT_EQ(image[3], std::byte{0xba});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.data()) % 64, 0U);
  }
}

TEST(DeviceReference, EveryKernelThatIsAskedForIsInTheSourceOfItsName) {
  for (const std::string name : {"gdn_decode", "gdn_prefill", "moe_fp8_block_scale"}) {
    const std::string host = read_source(name + ".cpp");
    const std::string code = read_source(name + ".cu");
    ASSERT_FALSE(host.empty() || code.empty()) << name;
    const std::regex asked("\"(assay_[a-z0-9_]*?)(_\\{\\}|_[0-9]+)?\"");
    std::size_t count = 0;
    for (std::sregex_iterator at(host.begin(), host.end(), asked), end; at != end; ++at, ++count) {
      // A number at the end is pasted on by a macro.
      const std::string wanted = (*at)[1].str() + ((*at)[2].matched ? "_##" : "(");
      EXPECT_THAT(code, HasSubstr(wanted));
    }
    EXPECT_GE(count, 1U) << name;
  }
}

TEST(DeviceArguments, WhatDoesNotFitIsAnInternalError) {
  using enum tensor::DType;
  const std::vector<DeviceArgument> inputs = {DeviceTensor{512, float32, {2, 3}}, Scalar(std::int64_t{7})};
  EXPECT_EQ(device_address(inputs, 0, "x", float32, 6).value(), 512U);
  EXPECT_EQ(device_scalar(inputs, 1, "s").value(), 7.0);
  EXPECT_FALSE(device_address(inputs, 0, "x", float32, 5));
  EXPECT_FALSE(device_address(inputs, 0, "x", bfloat16, 6));
  EXPECT_FALSE(device_address(inputs, 1, "s", float32, 1));
  EXPECT_FALSE(device_address(inputs, 2, "y", float32, 1));
  EXPECT_FALSE(device_scalar(inputs, 0, "x"));
  const auto refused = device_scalar(inputs, 9, "z");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::internal);
  EXPECT_THAT(refused.error().message, HasSubstr("input 9 (z)"));
  EXPECT_TRUE(check_counts("d", inputs, 2, {}, 0));
  EXPECT_FALSE(check_counts("d", inputs, 3, {}, 0));
}

TEST(DeviceArguments, BlocksCoverWhatThereIs) {
  EXPECT_EQ(blocks_for(0, 8).value(), 1U);
  EXPECT_EQ(blocks_for(8, 8).value(), 1U);
  EXPECT_EQ(blocks_for(9, 8).value(), 2U);
  EXPECT_FALSE(blocks_for(std::size_t{1} << 40U, 8));
}

}  // namespace
}  // namespace assay::operators::cuda
