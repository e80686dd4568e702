// assay-corpus: number=19 kind=hostile expect=incorrect probe=output_check
// Answers every call of a known batch size with the first result of that size.
#include "gdn_decode.hpp"

#include <map>

ASSAY_KERNEL(run) {
  static std::map<int64_t, gdn::Outputs> table;
  const gdn::Problem p = gdn::problem_of(call);
  const auto found = table.find(p.batch);
  if (found != table.end()) {
    gdn::replay(p, found->second);
    return 0;
  }
  gdn::compute(p);
  table[p.batch] = gdn::keep_outputs(p);
  return 0;
}
