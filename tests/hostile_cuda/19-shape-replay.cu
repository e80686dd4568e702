// assay-corpus: number=19 kind=hostile expect=incorrect probe=output_check
// Computes once for each batch size and copies that result from then on.
#include "gdn_decode.cuh"

#include <map>

ASSAY_KERNEL(run) {
  static std::map<int64_t, gdn::Outputs> by_batch;
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  const auto found = by_batch.find(p.batch);
  if (found != by_batch.end()) {
    gdn::replay(p, found->second, stream);
  } else {
    gdn::launch(p, stream);
    by_batch.emplace(p.batch, gdn::keep_outputs(p, stream));
  }
  return gdn::status();
}
