// Holds our declarations of CUPTI's binary interface against its own headers, where there are any.
#include <gtest/gtest.h>

#if __has_include(<cupti.h>) && __has_include(<cuda.h>)
#include <cupti.h>

#include <assay/device/cuda/cupti_abi.hpp>

namespace assay::device::cuda {
namespace {

static_assert(sizeof(CUptiResult) == sizeof(cupti_abi::Result));

// The newest record types of this header; the offsets are those of CUPTI 12 as well.
template <class T>
constexpr bool has_our_head() {
  return offsetof(T, kind) == offsetof(cupti_abi::Record, kind) &&
         offsetof(T, start) == offsetof(cupti_abi::Record, start) &&
         offsetof(T, end) == offsetof(cupti_abi::Record, end) && sizeof(T) >= sizeof(cupti_abi::Record) &&
         sizeof(T{}.kind) == sizeof(cupti_abi::Record{}.kind) && sizeof(T{}.start) == sizeof(cupti_abi::Record{}.start);
}

#if CUPTI_API_VERSION >= 130000
static_assert(has_our_head<CUpti_ActivityKernel10>());
#endif
static_assert(has_our_head<CUpti_ActivityKernel9>());
static_assert(has_our_head<CUpti_ActivityMemcpy5>());
static_assert(has_our_head<CUpti_ActivityMemset4>());

TEST(CuptiAbi, NumbersAreThoseOfTheHeader) {
  EXPECT_EQ(static_cast<int>(CUPTI_SUCCESS), cupti_abi::kSuccess);
  EXPECT_EQ(static_cast<int>(CUPTI_ERROR_MAX_LIMIT_REACHED), cupti_abi::kNoMoreRecords);
  EXPECT_EQ(static_cast<int>(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED), cupti_abi::kAnotherSubscriber);
  EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_KIND_MEMCPY), cupti_abi::kKindCopy);
  EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_KIND_MEMSET), cupti_abi::kKindFill);
  EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), cupti_abi::kKindKernel);
}

// The compiler holds each type of a function against what we call it by.
TEST(CuptiAbi, FunctionsTakeWhatWePass) {
  const auto requested = [](std::uint8_t**, std::size_t*, std::size_t*) {};
  const auto completed = [](CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {};
  const CUpti_BuffersCallbackRequestFunc request = requested;
  const CUpti_BuffersCallbackCompleteFunc complete = completed;
  EXPECT_NE(request, nullptr);
  EXPECT_NE(complete, nullptr);
  static_assert(sizeof(CUpti_SubscriberHandle) == sizeof(void*) && sizeof(CUcontext) == sizeof(void*));
  static_assert(sizeof(CUpti_CallbackDomain) == sizeof(int) && sizeof(CUpti_CallbackId) == sizeof(std::uint32_t));
  static_assert(sizeof(CUpti_ActivityKind) == sizeof(int));
}

}  // namespace
}  // namespace assay::device::cuda
#else
TEST(CuptiAbi, NumbersAreThoseOfTheHeader) { GTEST_SKIP() << "no cupti.h here to hold our declarations against"; }
#endif
