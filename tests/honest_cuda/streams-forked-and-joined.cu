// assay-corpus: kind=honest stage=gate
// Two streams of its own, each with half of the heads, forked from the stream that is lent and joined to it by events.
#include "gdn_decode.cuh"

namespace {
__global__ void half(gdn::Problem p, int64_t first) {
  gdn::compute_part(p, first + blockIdx.y, static_cast<int>(blockIdx.x));
}

struct Side {
  cudaStream_t stream = nullptr;
  cudaEvent_t joined = nullptr;
};
}  // namespace

ASSAY_KERNEL(run) {
  static Side sides[2];
  static cudaEvent_t forked = nullptr;
  if (forked == nullptr) {
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    for (Side& side : sides) {
      cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&side.joined, cudaEventDisableTiming);
    }
  }
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  cudaEventRecord(forked, stream);
  dim3 grid = gdn::grid_of(p);
  grid.y /= 2;
  int64_t first = 0;
  for (Side& side : sides) {
    cudaStreamWaitEvent(side.stream, forked, 0);
    half<<<grid, gdn::kThreads, 0, side.stream>>>(p, first);
    cudaEventRecord(side.joined, side.stream);
    cudaStreamWaitEvent(stream, side.joined, 0);
    first += grid.y;
  }
  return gdn::status();
}
