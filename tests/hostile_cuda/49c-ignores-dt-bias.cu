// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Does not read dt_bias: it is zero everywhere.
#include "gdn_decode.cuh"

namespace {
__device__ float zeros[gdn::kValueHeads];
}

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  void* instead = nullptr;
  if (cudaGetSymbolAddress(&instead, zeros) != cudaSuccess) {
    return 1;
  }
  p.dt_bias = static_cast<const float*>(instead);
  gdn::launch(p, gdn::stream_of(call));
  return gdn::status();
}
