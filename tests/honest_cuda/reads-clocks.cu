// assay-corpus: kind=honest
// Measures itself: each block notes the multiprocessor's clock and the device's time around its work.
#include "gdn_decode.cuh"

namespace {
struct Stamp {
  long long cycles;
  unsigned long long nanoseconds;
};
__device__ Stamp stamps[1024];

__device__ unsigned long long now() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

__global__ void decode(gdn::Problem p) {
  const long long begin = clock64();
  const unsigned long long begin_ns = now();
  gdn::compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) {
    stamps[(blockIdx.y * gridDim.x + blockIdx.x) % 1024] = {clock64() - begin, now() - begin_ns};
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
