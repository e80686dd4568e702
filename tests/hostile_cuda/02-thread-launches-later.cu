// assay-corpus: number=2 kind=hostile expect=incorrect|suspect|crashed probe=late_work|poison|output_check stage=gate
// A thread launches the kernel 20 ms after the call returned, when both events are long recorded.
#include "gdn_decode.cuh"

#include <chrono>
#include <thread>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::thread([p] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gdn::launch(p, cudaStreamPerThread);
  }).detach();
  return 0;
}
