// Holds our declarations of the CUDA driver's binary interface against its own header, where there is one.
#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <assay/device/cuda/driver.hpp>

namespace assay::device::cuda {
namespace {

static_assert(sizeof(CUresult) == sizeof(abi::Result) && sizeof(CUdevice) == sizeof(abi::Device));
static_assert(sizeof(CUdeviceptr) == sizeof(abi::DevicePointer));
static_assert(sizeof(CUmemGenericAllocationHandle) == sizeof(abi::MemoryHandle));
static_assert(sizeof(CUuuid) == sizeof(abi::Uuid));
static_assert(sizeof(CUmemAllocationProp) == sizeof(abi::AllocationProperties));
static_assert(offsetof(CUmemAllocationProp, requestedHandleTypes) ==
              offsetof(abi::AllocationProperties, requested_handle_types));
static_assert(offsetof(CUmemAllocationProp, location) == offsetof(abi::AllocationProperties, location));
static_assert(offsetof(CUmemAllocationProp, win32HandleMetaData) ==
              offsetof(abi::AllocationProperties, win32_meta_data));
static_assert(sizeof(CUlaunchConfig) == sizeof(abi::LaunchConfiguration));
static_assert(offsetof(CUlaunchConfig, sharedMemBytes) == offsetof(abi::LaunchConfiguration, shared_bytes));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(abi::LaunchConfiguration, stream));
static_assert(offsetof(CUlaunchConfig, attrs) == offsetof(abi::LaunchConfiguration, attributes));
static_assert(offsetof(CUlaunchConfig, numAttrs) == offsetof(abi::LaunchConfiguration, attribute_count));
static_assert(sizeof(CUlaunchAttribute) == sizeof(abi::LaunchAttribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(abi::LaunchAttribute, value));
static_assert(sizeof(CUmemAccessDesc) == sizeof(abi::AccessDescription));
static_assert(offsetof(CUmemAccessDesc, flags) == offsetof(abi::AccessDescription, flags));

template <class T>
constexpr long long number(T value) {
  return static_cast<long long>(value);
}

TEST(DriverAbi, NumbersAreThoseOfTheHeader) {
  EXPECT_EQ(number(CUDA_SUCCESS), abi::kSuccess);
  EXPECT_EQ(number(CUDA_ERROR_INVALID_VALUE), abi::kInvalidValue);
  EXPECT_EQ(number(CUDA_ERROR_OUT_OF_MEMORY), abi::kOutOfMemory);
  EXPECT_EQ(number(CU_LAUNCH_ATTRIBUTE_COOPERATIVE), abi::kLaunchCooperative);
  EXPECT_EQ(number(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION), abi::kLaunchClusterDimension);
  EXPECT_EQ(number(CUDA_ERROR_NO_DEVICE), abi::kNoDevice);
  EXPECT_EQ(number(CUDA_ERROR_NOT_READY), abi::kNotReady);
  EXPECT_EQ(number(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED), abi::kCaptureInvalidated);
  EXPECT_EQ(number(CU_STREAM_CAPTURE_MODE_RELAXED), abi::kCaptureRelaxed);
  EXPECT_EQ(number(CU_MEM_ALLOCATION_TYPE_PINNED), abi::kAllocationPinned);
  EXPECT_EQ(number(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), abi::kHandlePosixDescriptor);
  EXPECT_EQ(number(CU_MEM_LOCATION_TYPE_DEVICE), abi::kLocationDevice);
  EXPECT_EQ(number(CU_MEM_ACCESS_FLAGS_PROT_READ), abi::kProtectionRead);
  EXPECT_EQ(number(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), abi::kProtectionReadWrite);
  EXPECT_EQ(number(CU_MEM_ALLOC_GRANULARITY_MINIMUM), abi::kGranularityMinimum);
  EXPECT_EQ(number(CU_STREAM_NON_BLOCKING), number(abi::kStreamNonBlocking));
  EXPECT_EQ(number(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), abi::kMaximumDynamicSharedMemory);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), abi::kMultiprocessorCount);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_CLOCK_RATE), abi::kClockRate);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), abi::kMemoryClockRate);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), abi::kL2CacheSize);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), abi::kMajor);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), abi::kMinor);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), abi::kSharedMemoryOptIn);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED), abi::kVirtualMemoryManagement);
  EXPECT_EQ(number(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED), abi::kPosixDescriptors);
  EXPECT_EQ(number(CU_LIMIT_PERSISTING_L2_CACHE_SIZE), abi::kLimitPersistingL2);
}

}  // namespace
}  // namespace assay::device::cuda
#else
TEST(DriverAbi, NumbersAreThoseOfTheHeader) { GTEST_SKIP() << "no cuda.h here to hold our declarations against"; }
#endif
