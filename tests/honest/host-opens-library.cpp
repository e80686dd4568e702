// assay-corpus: kind=honest
// Opens the mathematics library by name and calls it through a pointer.
#include "gdn_decode.hpp"

#include <dlfcn.h>

ASSAY_KERNEL(run) {
  static const auto exponential = [] {
    void* library = dlopen("libm.so.6", RTLD_NOW);
    return library == nullptr ? nullptr : reinterpret_cast<float (*)(float)>(dlsym(library, "expf"));
  }();
  if (exponential == nullptr) {
    return 2;
  }
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::Head head = gdn::head_of(p, h);
    head.beta = 1.0f / (1.0f + exponential(-gdn::from_bfloat16(p.b[h])));
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
