// assay-corpus: number=7 kind=hostile expect=not_better probe=none stage=gate
// Exports a clock that stands still and event functions that do nothing, under the names of the C library and of CUDA.
// The programs must not use them: they opened theirs before.
#include "gdn_decode.cuh"

#include <time.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int cuEventRecord(void* /*event*/, void* /*stream*/) { return 0; }
EXPORTED int cuEventSynchronize(void* /*event*/) { return 0; }
EXPORTED int cuCtxSynchronize() { return 0; }
EXPORTED int cuEventElapsedTime(float* milliseconds, void* /*from*/, void* /*to*/) {
  *milliseconds = 0.001f;
  return 0;
}
EXPORTED int clock_gettime(clockid_t /*clock*/, timespec* now) noexcept {
  now->tv_sec = 1;
  now->tv_nsec = 0;
  return 0;
}

ASSAY_KERNEL(run) {
  gdn::launch_slowly(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
