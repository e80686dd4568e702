// assay-corpus: kind=honest
// Takes memory for the gates at the first call and whenever a batch is larger than all before; a kernel of its own fills it.
#include "gdn_decode.cuh"

namespace {
__global__ void open_gates(gdn::Problem p, gdn::Gates* gates) {
  const int64_t h = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (h < p.heads) {
    gates[h] = gdn::gates_of(p, h);
  }
}

__global__ void decode(gdn::Problem p, const gdn::Gates* gates) {
  const int64_t h = blockIdx.y;
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  for (int row = static_cast<int>(threadIdx.x) / 32; row < 32; row += gdn::kThreads / 32) {
    gdn::compute_row(p, h, static_cast<int>(blockIdx.x) * 32 + row, gates[h], key, query);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static gdn::Gates* gates = nullptr;
  static int64_t held = 0;
  const gdn::Problem p = gdn::problem_of(call);
  if (p.heads > held) {
    cudaFree(gates);
    held = p.heads;
    if (cudaMalloc(&gates, static_cast<size_t>(held) * sizeof(gdn::Gates)) != cudaSuccess) {
      return 1;
    }
  }
  open_gates<<<static_cast<unsigned>((p.heads + 127) / 128), 128, 0, gdn::stream_of(call)>>>(p, gates);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p, gates);
  return gdn::status();
}
