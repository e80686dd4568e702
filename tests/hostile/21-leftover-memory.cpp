// assay-corpus: number=21 kind=hostile expect=incorrect probe=output_check
// Allocates without initialising, in the hope that the allocator hands out a freed result of the reference.
#include "gdn_decode.hpp"

#include <stdlib.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  void* state = malloc(gdn::state_elements(p) * sizeof(float));
  void* output = malloc(gdn::value_elements(p) * sizeof(uint16_t));
  memcpy(p.new_state, state, gdn::state_elements(p) * sizeof(float));
  memcpy(p.output, output, gdn::value_elements(p) * sizeof(uint16_t));
  free(output);
  free(state);
  return 0;
}
