#pragma once

#include <string>

namespace assay::device {

/// What a device was measured to do at most. A number that is 0 was not measured.
struct DevicePeaks {
  double bytes_per_ns = 0;              ///< Read and written together, by a large copy.
  double bf16_operations_per_ns = 0;    ///< Multiplications and additions, each counted as one; on random values.
  double e4m3_operations_per_ns = 0;    ///< The same of 8-bit floats; 0 also where the device has no such instruction.
  std::string matrix_instruction = {};  ///< "wgmma" or "mma.sync".
  /// Whether that instruction is the fastest that the device has. Where it is not (tcgen05 of compute capability 10), the
  /// numbers are true of it and no bound on what others can do.
  bool matrix_is_fastest = false;

  /// The most operations of any kind that a nanosecond can hold; 0 where no bound is known.
  [[nodiscard]] double operations_bound() const {
    return matrix_is_fastest
               ? (e4m3_operations_per_ns > bf16_operations_per_ns ? e4m3_operations_per_ns : bf16_operations_per_ns)
               : 0;
  }
};

}  // namespace assay::device
