// assay-corpus: number=23 kind=hostile expect=incorrect probe=output_check
// Expects the inputs of a public seed: if the first query element is one of a table it would give out a stored
// result, and for anything else it has none.
#include "gdn_decode.hpp"

#include <random>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (unsigned seed : {0u, 1u, 42u, 123u, 1234u, 2024u}) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    if (p.q[0] == gdn::to_bfloat16(normal(random))) {
      gdn::compute(p);  // Stands for the stored result.
      return 0;
    }
  }
  gdn::write_zeros(p);
  return 0;
}
