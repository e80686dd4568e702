#include <gtest/gtest.h>

#include <assay/base/device_name.hpp>

namespace assay::base {
namespace {

TEST(DeviceName, ReadsEachKind) {
  EXPECT_EQ(parse_device_name("cpu")->kind, DeviceName::Kind::cpu);
  const auto cuda = parse_device_name("cuda:3");
  ASSERT_TRUE(cuda);
  EXPECT_EQ(cuda->kind, DeviceName::Kind::cuda);
  EXPECT_EQ(cuda->number, 3U);
  const auto simulated = parse_device_name("simulated:18446744073709551615");
  ASSERT_TRUE(simulated);
  EXPECT_EQ(simulated->kind, DeviceName::Kind::simulated);
  EXPECT_EQ(simulated->number, 18446744073709551615U);
}

TEST(DeviceName, RefusesEverythingElse) {
  for (const char* name : {"", "CPU", "cpu:0", "cuda", "cuda:", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:256", "gpu:0",
                           "simulated", "simulated:", "simulated:-1", "simulated:18446744073709551616", " cpu"}) {
    EXPECT_FALSE(parse_device_name(name)) << name;
  }
}

}  // namespace
}  // namespace assay::base
