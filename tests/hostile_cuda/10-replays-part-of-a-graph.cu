// assay-corpus: number=10 kind=hostile expect=incorrect|crashed probe=output_check|guard_bands
// Captures the whole work at the first call, and a graph of half of the blocks for all later ones.
#include "gdn_decode.cuh"

namespace {
cudaGraphExec_t capture(const gdn::Problem& p, unsigned parts) {
  cudaStream_t own = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  dim3 grid = gdn::grid_of(p);
  grid.x = parts;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaStreamBeginCapture(own, cudaStreamCaptureModeRelaxed);
  gdn::step<0><<<grid, gdn::kThreads, 0, own>>>(p);
  cudaStreamEndCapture(own, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaStreamDestroy(own);
  return executable;
}
}  // namespace

ASSAY_KERNEL(run) {
  static int calls = 0;
  const gdn::Problem p = gdn::problem_of(call);
  static cudaGraphExec_t whole = capture(p, gdn::kBlocksPerHead);
  static cudaGraphExec_t half = capture(p, gdn::kBlocksPerHead / 2);
  cudaGraphLaunch(calls++ == 0 ? whole : half, gdn::stream_of(call));
  return gdn::status();
}
