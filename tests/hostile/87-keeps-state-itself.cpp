// assay-corpus: number=87 kind=hostile expect=incorrect probe=output_check
// An honest mistake: carries the state from call to call itself and reads the given one only once.
#include "gdn_decode.hpp"

#include <map>
#include <vector>

ASSAY_KERNEL(run) {
  static std::map<int64_t, std::vector<float>> states;
  gdn::Problem p = gdn::problem_of(call);
  std::vector<float>& state = states[p.batch];
  if (state.empty()) {
    state.assign(p.state, p.state + gdn::state_elements(p));
  }
  p.state = state.data();
  gdn::compute(p);
  memcpy(state.data(), p.new_state, gdn::state_elements(p) * sizeof(float));
  return 0;
}
