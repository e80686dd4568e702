// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Does not read b: beta is one half everywhere.
#include "gdn_decode.cuh"

namespace {
__device__ uint16_t zeros[65536];
}

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  void* instead = nullptr;
  if (p.heads > 65536 || cudaGetSymbolAddress(&instead, zeros) != cudaSuccess) {
    return 1;
  }
  p.b = static_cast<const uint16_t*>(instead);
  gdn::launch(p, gdn::stream_of(call));
  return gdn::status();
}
