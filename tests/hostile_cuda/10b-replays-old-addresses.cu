// assay-corpus: number=10 kind=hostile expect=incorrect|crashed probe=output_check|guard_bands
// An honest mistake: a graph for each batch size, captured with the addresses of the first call and replayed for all.
#include "gdn_decode.cuh"

#include <map>

ASSAY_KERNEL(run) {
  static std::map<int64_t, cudaGraphExec_t> graphs;
  const gdn::Problem p = gdn::problem_of(call);
  cudaGraphExec_t& executable = graphs[p.batch];
  if (executable == nullptr) {
    cudaStream_t own = nullptr;
    cudaGraph_t graph = nullptr;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaStreamBeginCapture(own, cudaStreamCaptureModeRelaxed);
    gdn::launch(p, own);
    cudaStreamEndCapture(own, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
  }
  cudaGraphLaunch(executable, gdn::stream_of(call));
  return gdn::status();
}
