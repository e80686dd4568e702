// assay-corpus: number=36 kind=hostile expect=incorrect probe=poison
// Points the input state at the output and the output at the input, so that nothing has to be copied.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  auto* state = const_cast<DLTensor*>(assay_input(call, 3));
  auto* new_state = const_cast<DLTensor*>(assay_output(call, 1));
  void* swapped = state->data;
  state->data = new_state->data;
  new_state->data = swapped;
  return 0;
}
