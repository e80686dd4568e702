// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check samples=1000
// One call in a hundred, at random, comes out wrong: seen only where many calls are checked.
#include "gdn_decode.hpp"

#include <random>

ASSAY_KERNEL(run) {
  static std::mt19937 random(std::random_device{}());
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute_fast(p);
  if (random() % 100 == 0) {
    p.new_state[0] += 1.0f;
  }
  return 0;
}
