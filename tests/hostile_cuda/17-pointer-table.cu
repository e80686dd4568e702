// assay-corpus: number=17 kind=hostile expect=incorrect probe=fresh_contents|one_element_mutation
// A table of results with the addresses of all inputs as its key.
#include "gdn_decode.cuh"

#include <map>
#include <vector>

ASSAY_KERNEL(run) {
  static std::map<std::vector<const void*>, gdn::Outputs> table;
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  const std::vector<const void*> key = {p.q, p.k, p.v, p.state, p.a_log, p.a, p.dt_bias, p.b};
  const auto found = table.find(key);
  if (found != table.end()) {
    gdn::replay(p, found->second, stream);
  } else {
    gdn::launch(p, stream);
    table.emplace(key, gdn::keep_outputs(p, stream));
  }
  return gdn::status();
}
