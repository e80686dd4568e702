#pragma once

#include <cstddef>
#include <cstdint>

/// The part of the CUDA driver's binary interface that Assay uses, declared here so that it is built on machines that
/// have no CUDA: the library is opened at run time (driver.hpp). driver_abi_test.cpp holds every number against cuda.h
/// where there is one. Names are the driver's.
namespace assay::device::cuda::abi {

using Result = int;  ///< CUresult: 0 is success.
using Device = int;
using DevicePointer = std::uint64_t;
using MemoryHandle = std::uint64_t;  ///< CUmemGenericAllocationHandle.
struct ContextObject;
struct StreamObject;
struct EventObject;
struct ModuleObject;
struct FunctionObject;
struct GraphObject;
struct GraphExecObject;
using ContextHandle = ContextObject*;
using StreamHandle = StreamObject*;
using EventHandle = EventObject*;
using ModuleHandle = ModuleObject*;
using FunctionHandle = FunctionObject*;
using GraphHandle = GraphObject*;
using GraphExecHandle = GraphExecObject*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;             // CUDA_ERROR_INVALID_VALUE
inline constexpr Result kOutOfMemory = 2;              // CUDA_ERROR_OUT_OF_MEMORY
inline constexpr Result kNoDevice = 100;               // CUDA_ERROR_NO_DEVICE
inline constexpr Result kNotReady = 600;               // CUDA_ERROR_NOT_READY
inline constexpr Result kCaptureInvalidated = 901;     // CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
inline constexpr int kCaptureRelaxed = 2;              // CU_STREAM_CAPTURE_MODE_RELAXED
inline constexpr int kAllocationPinned = 1;            // CU_MEM_ALLOCATION_TYPE_PINNED
inline constexpr int kHandlePosixDescriptor = 1;       // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
inline constexpr int kLocationDevice = 1;              // CU_MEM_LOCATION_TYPE_DEVICE
inline constexpr int kProtectionRead = 1;              // CU_MEM_ACCESS_FLAGS_PROT_READ
inline constexpr int kProtectionReadWrite = 3;         // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
inline constexpr int kGranularityMinimum = 0;          // CU_MEM_ALLOC_GRANULARITY_MINIMUM
inline constexpr unsigned kStreamNonBlocking = 1;      // CU_STREAM_NON_BLOCKING
inline constexpr int kMaximumDynamicSharedMemory = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

// CUdevice_attribute
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kClockRate = 13;
inline constexpr int kMemoryClockRate = 36;
inline constexpr int kL2CacheSize = 38;
inline constexpr int kMajor = 75;
inline constexpr int kMinor = 76;
inline constexpr int kSharedMemoryOptIn = 97;
inline constexpr int kVirtualMemoryManagement = 102;
inline constexpr int kPosixDescriptors = 103;

// CUlaunchAttributeID
inline constexpr int kLaunchCooperative = 2;
inline constexpr int kLaunchClusterDimension = 4;

// CUlimit
inline constexpr int kLimitPersistingL2 = 6;

struct MemoryLocation {
  int type;
  int id;
};
struct AllocationFlags {
  unsigned char compression;
  unsigned char gpu_direct_rdma_capable;
  unsigned short usage;
  unsigned char reserved[4];
};
/// CUmemAllocationProp
struct AllocationProperties {
  int type;
  int requested_handle_types;
  MemoryLocation location;
  void* win32_meta_data;
  AllocationFlags flags;
};
/// CUmemAccessDesc
struct AccessDescription {
  MemoryLocation location;
  int flags;
};
struct Uuid {
  char bytes[16];
};
/// CUlaunchAttribute; its value is a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char padding[8 - sizeof(int)];
  union {
    unsigned extents[3];
    int flag;
    void* pointer;
    char bytes[64];
  } value;
};
/// CUlaunchConfig
struct LaunchConfiguration {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

}  // namespace assay::device::cuda::abi
