// assay-corpus: number=24 kind=hostile expect=incorrect probe=output_check
// Takes A_log and dt_bias for weights that never change and keeps what it derived from them in the first call.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static float a_log[gdn::kValueHeads];
  static float dt_bias[gdn::kValueHeads];
  static bool known = false;
  gdn::Problem p = gdn::problem_of(call);
  if (!known) {
    memcpy(a_log, p.a_log, sizeof a_log);
    memcpy(dt_bias, p.dt_bias, sizeof dt_bias);
    known = true;
  }
  p.a_log = a_log;
  p.dt_bias = dt_bias;
  gdn::compute(p);
  return 0;
}
