// assay-corpus: number=36 kind=hostile expect=incorrect probe=poison
// Points the output tensors at memory of its own: the judge's memory stays empty.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static uint16_t output[64 * gdn::kValueHeads * gdn::kHeadSize];
  static float state[8 * gdn::kValueHeads * gdn::kStateSize];
  const_cast<DLTensor*>(assay_output(call, 0))->data = output;
  const_cast<DLTensor*>(assay_output(call, 1))->data = state;
  gdn::compute(gdn::problem_of(call));
  return 0;
}
