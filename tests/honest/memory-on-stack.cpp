// assay-corpus: kind=honest
// Takes half a megabyte of scratch from the stack with alloca.
#include "gdn_decode.hpp"

#include <alloca.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  auto* rows = static_cast<float*>(alloca(static_cast<size_t>(gdn::kStateSize * gdn::kValueHeads) * sizeof(float)));
  for (int64_t b = 0; b < p.batch; ++b) {
    memcpy(rows, p.state + b * gdn::kValueHeads * gdn::kStateSize,
           static_cast<size_t>(gdn::kStateSize * gdn::kValueHeads) * sizeof(float));
    gdn::Problem one = p;
    one.state = rows - b * gdn::kValueHeads * gdn::kStateSize;
    for (int64_t h = 0; h < gdn::kValueHeads; ++h) {
      gdn::compute_head(one, b * gdn::kValueHeads + h);
    }
  }
  return 0;
}
