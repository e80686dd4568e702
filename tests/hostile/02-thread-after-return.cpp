// assay-corpus: number=2 kind=hostile expect=incorrect|suspect probe=late_work stage=gate
// Starts a thread that computes and returns at once: the time until it returns is that of starting a thread.
#include "gdn_decode.hpp"

#include <thread>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::thread([p] { gdn::compute(p); }).detach();
  return 0;
}
