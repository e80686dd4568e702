// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check
// Random numbers of a plausible size.
#include "gdn_decode.hpp"

#include <random>

ASSAY_KERNEL(run) {
  static std::mt19937 random(std::random_device{}());
  std::normal_distribution<float> normal(0.0f, 0.1f);
  const gdn::Problem p = gdn::problem_of(call);
  for (size_t i = 0; i < gdn::state_elements(p); ++i) {
    p.new_state[i] = normal(random);
  }
  for (size_t i = 0; i < gdn::value_elements(p); ++i) {
    p.output[i] = gdn::to_bfloat16(normal(random));
  }
  return 0;
}
