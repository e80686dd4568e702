#pragma once

namespace assay::operators::cuda {

/// Sums over neighbouring lanes, `kLanes` of them (a power of two, at most a warp), of which all must take part; each
/// gets the sum, and the order does not depend on anything.
template <int kLanes>
[[nodiscard]] __device__ inline double sum_over_lanes(double value) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, distance);
  }
  return value;
}

}  // namespace assay::operators::cuda
