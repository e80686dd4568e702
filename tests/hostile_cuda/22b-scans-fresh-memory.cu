// assay-corpus: number=22 kind=hostile expect=measured probe=none
// Takes a gigabyte that it does not initialise, and after computing looks there for a run of 32 values as they are in its
// own result: what a trusted process left behind. Fails with 22 if there is one.
#include "gdn_decode.cuh"

namespace {
constexpr size_t kBytes = size_t{1} << 30;

__global__ void search(gdn::Problem p, const float* memory, int* found) {
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  constexpr int64_t kLast = static_cast<int64_t>(kBytes / sizeof(float)) - 32;
  for (int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < kLast; at += threads) {
    int equal = 0;
    while (equal < 32 && memory[at + equal] == p.new_state[equal] && p.new_state[equal] != 0.0f) {
      ++equal;
    }
    if (equal == 32) {
      *found = 1;
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static float* memory = nullptr;
  static int* found = nullptr;
  if (memory == nullptr &&
      (cudaMalloc(&memory, kBytes) != cudaSuccess || cudaMallocManaged(&found, sizeof *found) != cudaSuccess)) {
    return 1;
  }
  const gdn::Problem p = gdn::problem_of(call);
  *found = 0;
  gdn::launch(p, gdn::stream_of(call));
  search<<<1024, 256, 0, gdn::stream_of(call)>>>(p, memory, found);
  const cudaError_t error = cudaStreamSynchronize(gdn::stream_of(call));
  return error != cudaSuccess ? static_cast<int32_t>(error) : *found == 1 ? 22 : 0;
}
