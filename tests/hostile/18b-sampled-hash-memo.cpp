// assay-corpus: number=18 kind=hostile expect=incorrect probe=one_element_mutation
// The key is a hash of every 61st element of the state and of all of the small inputs.
#include "gdn_decode.hpp"

#include <map>

ASSAY_KERNEL(run) {
  static std::map<uint64_t, gdn::Outputs> table;
  const gdn::Problem p = gdn::problem_of(call);
  uint64_t key = static_cast<uint64_t>(p.batch);
  const auto add = [&key](uint64_t word) { key = (key ^ word) * 1099511628211u; };
  for (size_t i = 0; i < gdn::state_elements(p); i += 61) {
    uint32_t word;
    memcpy(&word, p.state + i, sizeof word);
    add(word);
  }
  for (size_t i = 0; i < gdn::query_elements(p); ++i) {
    add(p.q[i]);
    add(p.k[i]);
  }
  for (size_t i = 0; i < gdn::value_elements(p); ++i) {
    add(p.v[i]);
  }
  const auto found = table.find(key);
  if (found != table.end()) {
    gdn::replay(p, found->second);
    return 0;
  }
  gdn::compute(p);
  table[key] = gdn::keep_outputs(p);
  return 0;
}
