// assay-corpus: number=3 kind=hostile expect=incorrect|crashed probe=output_check
// Notes what to do and does it at the beginning of the next call.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static gdn::Problem noted;
  static bool has_noted = false;
  if (has_noted) {
    gdn::launch(noted, gdn::stream_of(call));
  }
  noted = gdn::problem_of(call);
  has_noted = true;
  return gdn::status();
}
