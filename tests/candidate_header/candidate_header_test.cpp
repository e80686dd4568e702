// Loads the two kernels the way a worker does and calls them through the header's types.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <assay/candidate.h>

#include <array>
#include <cstdint>

namespace {

class CandidateHeader : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    object_ = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(object_, nullptr) << dlerror();
    kernel_ = reinterpret_cast<assay_kernel_function>(dlsym(object_, "assay_kernel_scale"));
    ASSERT_NE(kernel_, nullptr) << "the entry point is not exported although visibility is hidden";
    x_.data = from_.data();
    y_.data = to_.data();
    for (DLTensor* tensor : {&x_, &y_}) {
      tensor->device = {kDLCPU, 0};
      tensor->ndim = 1;
      tensor->dtype = {kDLFloat, 32, 1};
      tensor->shape = shape_.data();
    }
    inputs_[0].kind = ASSAY_TENSOR;
    inputs_[0].value.tensor = &x_;
    output_.kind = ASSAY_TENSOR;
    output_.value.tensor = &y_;
    call_ = {ASSAY_ABI_VERSION, 2, 1, 0, inputs_.data(), &output_, nullptr};
  }

  void TearDown() override {
    if (object_ != nullptr) {
      dlclose(object_);
    }
  }

  std::array<float, 3> from_ = {1.0F, -2.0F, 0.5F};
  std::array<float, 3> to_ = {};
  std::array<std::int64_t, 1> shape_ = {3};
  DLTensor x_{};
  DLTensor y_{};
  std::array<assay_argument, 2> inputs_{};
  assay_argument output_{};
  assay_call call_{};
  void* object_ = nullptr;
  assay_kernel_function kernel_ = nullptr;
};

TEST_P(CandidateHeader, FloatScalar) {
  inputs_[1].kind = ASSAY_FLOAT;
  inputs_[1].value.float_value = 2.5;
  EXPECT_EQ(kernel_(&call_), 0);
  EXPECT_THAT(to_, testing::ElementsAre(2.5F, -5.0F, 1.25F));
}

TEST_P(CandidateHeader, IntegerScalarReadsAsDouble) {
  inputs_[1].kind = ASSAY_INTEGER;
  inputs_[1].value.integer_value = -3;
  EXPECT_EQ(kernel_(&call_), 0);
  EXPECT_THAT(to_, testing::ElementsAre(-3.0F, 6.0F, -1.5F));
}

TEST_P(CandidateHeader, BooleanScalarReadsAsDouble) {
  inputs_[1].kind = ASSAY_BOOLEAN;
  inputs_[1].value.integer_value = 1;
  EXPECT_EQ(kernel_(&call_), 0);
  EXPECT_EQ(to_, from_);
}

TEST_P(CandidateHeader, FailureCodeOfTheEntryPointArrives) {
  call_.abi_version = ASSAY_ABI_VERSION + 1;
  EXPECT_EQ(kernel_(&call_), 1);
  call_.abi_version = ASSAY_ABI_VERSION;
  call_.input_count = 1;
  EXPECT_EQ(kernel_(&call_), 2);
}

INSTANTIATE_TEST_SUITE_P(Languages, CandidateHeader, testing::Values(KERNEL_C, KERNEL_CPP),
                         [](const auto& suite) { return suite.index == 0 ? "C11" : "Cpp17"; });

}  // namespace
