// assay-corpus: number=56 kind=hostile expect=incorrect probe=output_check
// The memo of entry 16 with names that no text search finds; what it does is found all the same.
#include "gdn_decode.hpp"

#define PASTE(A, B) A##B
#define NAME(A, B) PASTE(A, B)

ASSAY_KERNEL(run) {
  static const void* NAME(ca, che_key) = nullptr;
  static gdn::Outputs NAME(kep, t);
  const gdn::Problem p = gdn::problem_of(call);
  if (NAME(ca, che_key) == p.state) {
    gdn::NAME(rep, lay)(p, NAME(kep, t));
    return 0;
  }
  gdn::compute(p);
  NAME(kep, t) = gdn::keep_outputs(p);
  NAME(ca, che_key) = p.state;
  return 0;
}
