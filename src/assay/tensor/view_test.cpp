#include <assay/tensor/view.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>

namespace assay::tensor {
namespace {

TEST(View, AsConstRefersToTheSameMemory) {
  std::array<float, 6> values{1, 2, 3, 4, 5, 6};
  const View view{"x", DType::float32, {2, 3}, std::as_writable_bytes(std::span(values))};
  const ConstView read_only = as_const(view);
  EXPECT_EQ(read_only.name, "x");
  EXPECT_EQ(read_only.dtype, DType::float32);
  EXPECT_THAT(read_only.shape, testing::ElementsAre(2, 3));
  EXPECT_EQ(read_only.bytes.data(), view.bytes.data());
  EXPECT_EQ(read_only.bytes.size(), sizeof values);
}

}  // namespace
}  // namespace assay::tensor
