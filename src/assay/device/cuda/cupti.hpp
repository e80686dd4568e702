#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/cuda/activity_span.hpp>
#include <assay/device/cuda/cupti_abi.hpp>
#include <assay/device/device.hpp>

namespace assay::device::cuda {

/// CUPTI's activity records of this process: when each kernel, copy and fill ran on the device. Opened once a process
/// and never closed. Use from one thread; CUPTI's own threads deliver records meanwhile.
class Cupti {
 public:
  /// Opens libcupti.so.13 or .12 and starts tracing; a context should be there already. No library, one that lacks a
  /// function, and another client of CUPTI (a profiler) are environment errors with the remedy.
  [[nodiscard]] static base::Result<Cupti*> open();

  /// Forgets everything before: the device must be idle. Returns CUPTI's status.
  [[nodiscard]] cupti_abi::Result begin();
  /// Appends what ran since `begin`: the device must be idle again. Returns CUPTI's status, or kLostRecords.
  [[nodiscard]] cupti_abi::Result finish(std::vector<ActivitySpan>& spans);

  /// Records were dropped, or one came without its times. No number of CUPTI's.
  static constexpr cupti_abi::Result kLostRecords = -1;

 private:
  struct Table;
  explicit Cupti(const Table& table);
  [[nodiscard]] cupti_abi::Result drain();
  std::shared_ptr<const Table> table_;
  std::uint64_t since_ = 0;
};

/// Looks for the library where workers shall find it: the folder $ASSAY_CUPTI, or the usual ones of the CUDA toolkit
/// and the system. Not there: an environment error with the remedy.
[[nodiscard]] base::Result<os::Path> find_cupti();

/// Lets a worker's sandbox see CUPTI, where find_cupti found it.
[[nodiscard]] base::Result<void> add_cupti(WorkerAccess& access, const os::Path& library);

}  // namespace assay::device::cuda
