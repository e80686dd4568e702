// assay-corpus: kind=honest
// Which query head a value head uses is looked up in constant memory, and so are A_log and dt_bias, copied there by each
// call.
#include "gdn_decode.cuh"

namespace {
__constant__ int query_head[gdn::kValueHeads] = {0, 0, 1, 1, 2, 2, 3, 3};
__constant__ float rates[2][gdn::kValueHeads];

__global__ void decode(gdn::Problem p) {
  const int64_t h = blockIdx.y;
  const int64_t at = (h / gdn::kValueHeads * gdn::kQueryHeads + query_head[h % gdn::kValueHeads]) * gdn::kHeadSize;
  p.a_log = rates[0];
  p.dt_bias = rates[1];
  const gdn::Gates gates = gdn::gates_of(p, h);
  const gdn::Quarter key = gdn::quarter_of(p.k + at);
  const gdn::Quarter query = gdn::quarter_of(p.q + at);
  for (int row = static_cast<int>(threadIdx.x) / 32; row < 32; row += gdn::kThreads / 32) {
    gdn::compute_row(p, h, static_cast<int>(blockIdx.x) * 32 + row, gates, key, query);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  constexpr size_t kBytes = gdn::kValueHeads * sizeof(float);
  cudaMemcpyToSymbolAsync(rates, p.a_log, kBytes, 0, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyToSymbolAsync(rates, p.dt_bias, kBytes, kBytes, cudaMemcpyDeviceToDevice, stream);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, stream>>>(p);
  return gdn::status();
}
