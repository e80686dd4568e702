// assay-corpus: kind=honest
// Captures its launch into a graph at each call, updates the executable one with it and launches that.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static cudaStream_t own = nullptr;
  static cudaGraphExec_t executable = nullptr;
  if (own == nullptr && cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) != cudaSuccess) {
    return 1;
  }
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal);
  gdn::launch(gdn::problem_of(call), own);
  cudaStreamEndCapture(own, &graph);
  cudaGraphExecUpdateResultInfo result;
  if (executable == nullptr || cudaGraphExecUpdate(executable, graph, &result) != cudaSuccess) {
    cudaGetLastError();  // The old one could not take it.
    if (executable != nullptr) {
      cudaGraphExecDestroy(executable);
    }
    cudaGraphInstantiate(&executable, graph, 0);
  }
  cudaGraphDestroy(graph);
  cudaGraphLaunch(executable, gdn::stream_of(call));
  return gdn::status();
}
