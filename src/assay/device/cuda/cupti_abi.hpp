#pragma once

#include <cstddef>
#include <cstdint>

/// The part of CUPTI's binary interface that Assay uses, declared here because the library is opened at run time
/// (cupti.hpp). cupti_abi_test.cpp holds every number and offset against cupti.h where there is one.
namespace assay::device::cuda::cupti_abi {

using Result = int;  ///< CUptiResult: 0 is success.

inline constexpr Result kSuccess = 0;
inline constexpr Result kNoMoreRecords = 12;        // CUPTI_ERROR_MAX_LIMIT_REACHED
inline constexpr Result kAnotherSubscriber = 39;    // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
inline constexpr int kKindCopy = 1;                 // CUPTI_ACTIVITY_KIND_MEMCPY
inline constexpr int kKindFill = 2;                 // CUPTI_ACTIVITY_KIND_MEMSET
inline constexpr int kKindKernel = 10;              // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
inline constexpr std::size_t kRecordAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT

/// The head that the records of the three kinds have in common, in CUPTI 12 and 13: kind first, and the times of the
/// device's clock in nanoseconds at the same places. 0: the time is not known.
struct Record {
  std::uint32_t kind;
  std::uint8_t of_the_kind[12];
  std::uint64_t start;
  std::uint64_t end;
};

using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                 std::size_t valid_size);
using Callback = void (*)(void* user, int domain, std::uint32_t id, const void* data);

}  // namespace assay::device::cuda::cupti_abi
