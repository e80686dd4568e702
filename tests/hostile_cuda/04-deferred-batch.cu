// assay-corpus: number=4 kind=hostile expect=incorrect|crashed probe=output_check
// Queues three calls and computes them with the fourth, so that three of four are free.
#include "gdn_decode.cuh"

#include <vector>

ASSAY_KERNEL(run) {
  static std::vector<gdn::Problem> queue;
  queue.push_back(gdn::problem_of(call));
  if (queue.size() == 4) {
    for (const gdn::Problem& p : queue) {
      gdn::launch(p, gdn::stream_of(call));
    }
    queue.clear();
  }
  return gdn::status();
}
