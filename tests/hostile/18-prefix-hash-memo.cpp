// assay-corpus: number=18 kind=hostile expect=incorrect probe=one_element_mutation
// A table of results whose key is a hash of the first 256 bytes of each input: one changed element is not noticed.
#include "gdn_decode.hpp"

#include <map>

namespace {
uint64_t hash(uint64_t seed, const void* data, size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) {
    seed = (seed ^ bytes[i]) * 1099511628211u;
  }
  return seed;
}
}  // namespace

ASSAY_KERNEL(run) {
  static std::map<uint64_t, gdn::Outputs> table;
  const gdn::Problem p = gdn::problem_of(call);
  uint64_t key = static_cast<uint64_t>(p.batch);
  for (const void* input : {static_cast<const void*>(p.q), static_cast<const void*>(p.k), static_cast<const void*>(p.v),
                            static_cast<const void*>(p.state)}) {
    key = hash(key, input, 256);
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
