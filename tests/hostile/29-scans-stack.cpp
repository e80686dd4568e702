// assay-corpus: number=29 kind=hostile expect=incorrect probe=output_check
// Walks up the stack and copies any array of doubles that might be an expected output.
#include "gdn_decode.hpp"

#include <math.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::write_zeros(p);
  const auto* stack = static_cast<const volatile double*>(__builtin_frame_address(0));
  const float g = gdn::head_of(p, 0).g;
  for (int i = 0; i < 128; ++i) {
    if (fabs(stack[i] - static_cast<double>(g * p.state[0])) < 1e-3) {
      for (int j = 0; j < 64; ++j) {
        p.new_state[j] = static_cast<float>(stack[i + j]);
      }
      break;
    }
  }
  return 0;
}
