// assay-corpus: kind=honest
// Allocates and frees its scratch memory in each call.
#include "gdn_decode.hpp"

#include <memory>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::Problem inner = p;
  const auto scratch = std::make_unique<float[]>(gdn::state_elements(p));
  inner.new_state = scratch.get();
  gdn::compute(inner);
  memcpy(p.new_state, scratch.get(), gdn::state_elements(p) * sizeof(float));
  return 0;
}
