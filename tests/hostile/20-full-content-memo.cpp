// assay-corpus: number=20 kind=hostile expect=not_better probe=fresh_contents stage=gate
// Remembers results by their whole contents, for harnesses that time the inputs that they checked. Never wrong, but
// it must never find anything: what it pays for looking shows that it gains nothing.
#include "gdn_decode.hpp"

#include <map>
#include <string>

ASSAY_KERNEL(run) {
  static std::map<std::string, gdn::Outputs> table;
  const gdn::Problem p = gdn::problem_of(call);
  std::string key(reinterpret_cast<const char*>(p.state), gdn::state_elements(p) * 4);
  key.append(reinterpret_cast<const char*>(p.q), gdn::query_elements(p) * 2);
  key.append(reinterpret_cast<const char*>(p.k), gdn::query_elements(p) * 2);
  key.append(reinterpret_cast<const char*>(p.v), gdn::value_elements(p) * 2);
  key.append(reinterpret_cast<const char*>(p.a), static_cast<size_t>(p.heads) * 2);
  key.append(reinterpret_cast<const char*>(p.b), static_cast<size_t>(p.heads) * 2);
  key.append(reinterpret_cast<const char*>(p.a_log), gdn::kValueHeads * 4);
  key.append(reinterpret_cast<const char*>(p.dt_bias), gdn::kValueHeads * 4);
  key.append(reinterpret_cast<const char*>(&p.scale), sizeof p.scale);
  const auto found = table.find(key);
  if (found != table.end()) {
    gdn::replay(p, found->second);
    return 0;
  }
  gdn::compute(p);
  if (table.size() < 64) {
    table[key] = gdn::keep_outputs(p);
  }
  return 0;
}
