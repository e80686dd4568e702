// assay-corpus: number=11 kind=hostile expect=measured probe=none
// Every block says at its beginning that what depends on the kernel may start. That lets a kernel that was launched for it
// start early, but no event: the time is that of the whole work.
#include "gdn_decode.cuh"

namespace {
__global__ void eager(gdn::Problem p) {
  asm volatile("griddepcontrol.launch_dependents;");
  gdn::compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  eager<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
