// assay-corpus: kind=honest stage=gate
// A template for each of three block sizes, of which the batch size chooses one.
#include "gdn_decode.cuh"

namespace {
template <int kWarps, int kRowsOfBlock>
__global__ void __launch_bounds__(kWarps * 32) decode(gdn::Problem p) {
  const int64_t h = blockIdx.y;
  const gdn::Gates gates = gdn::gates_of(p, h);
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  for (int row = static_cast<int>(threadIdx.x) / 32; row < kRowsOfBlock; row += kWarps) {
    gdn::compute_row(p, h, static_cast<int>(blockIdx.x) * kRowsOfBlock + row, gates, key, query);
  }
}

template <int kWarps, int kRowsOfBlock>
void launch(const gdn::Problem& p, cudaStream_t stream) {
  const dim3 grid(gdn::kHeadSize / kRowsOfBlock, static_cast<unsigned>(p.heads));
  decode<kWarps, kRowsOfBlock><<<grid, kWarps * 32, 0, stream>>>(p);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  if (p.batch < 2) {
    launch<1, 8>(p, stream);
  } else if (p.batch < 8) {
    launch<2, 16>(p, stream);
  } else {
    launch<4, 64>(p, stream);
  }
  return gdn::status();
}
