// assay-corpus: number=60 kind=hostile expect=crashed probe=none plan=60t-device-only-more-threads-than-registers.launch.json
// Compiled for blocks of 128 threads, launched with 1,024: the driver refuses, and its word is the outcome.
#include "gdn_kernels.cuh"

#undef GDN_DECODE
extern "C" __global__ void __launch_bounds__(128)
    decode(const unsigned short* q, const unsigned short* k, const unsigned short* v, const float* state,
           const float* a_log, const unsigned short* a, const float* dt_bias, const unsigned short* b, float scale,
           unsigned short* output, float* new_state, float* scratch, int heads) {
  scratch[0] = static_cast<float>(heads);
  gdn::compute_part(GDN_PROBLEM);
}
