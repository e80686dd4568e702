// assay-corpus: number=59 kind=hostile expect=not_built probe=load
// An honest mistake: calls a function of a library that is not linked.
#include "gdn_decode.hpp"

extern "C" void cblas_sgemv(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  cblas_sgemv(101, 111, 128, 128, 1.0f, p.state, 128, p.state, 1, 0.0f, p.new_state, 1);
  return 0;
}
