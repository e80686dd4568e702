// assay-corpus: number=18 kind=hostile expect=incorrect probe=one_element_mutation
// The key is everything but the gates (A_log, a, dt_bias, b), which are "a few numbers that never matter".
#include "gdn_decode.hpp"

#include <map>
#include <string>

ASSAY_KERNEL(run) {
  static std::map<std::string, gdn::Outputs> table;
  const gdn::Problem p = gdn::problem_of(call);
  std::string key(reinterpret_cast<const char*>(p.q), gdn::query_elements(p) * 2);
  key.append(reinterpret_cast<const char*>(p.k), gdn::query_elements(p) * 2);
  key.append(reinterpret_cast<const char*>(p.v), gdn::value_elements(p) * 2);
  key.append(reinterpret_cast<const char*>(p.state), static_cast<size_t>(p.heads * gdn::kStateSize) * sizeof(float));
  key.append(reinterpret_cast<const char*>(&p.scale), sizeof p.scale);
  const auto found = table.find(key);
  if (found != table.end()) {
    gdn::replay(p, found->second);
    return 0;
  }
  gdn::compute(p);
  table[key] = gdn::keep_outputs(p);
  return 0;
}
