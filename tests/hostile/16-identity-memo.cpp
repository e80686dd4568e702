// assay-corpus: number=16 kind=hostile expect=incorrect probe=output_check
// Answers with what it computed before if the state is at the same address: the contents have changed since.
#include "gdn_decode.hpp"

namespace {
struct Entry {
  const float* state;
  gdn::Outputs kept;
};
}  // namespace

ASSAY_KERNEL(run) {
  static Entry entries[65] = {};
  const gdn::Problem p = gdn::problem_of(call);
  Entry& entry = entries[p.batch];
  if (p.state == entry.state) {
    gdn::replay(p, entry.kept);
    return 0;
  }
  gdn::compute(p);
  entry = {p.state, gdn::keep_outputs(p)};
  return 0;
}
