// assay-corpus: number=51 kind=hostile expect=incorrect probe=poison plan=gdn_kernels.launch.json
// Every thread returns at once.
#include "gdn_kernels.cuh"

GDN_DECODE {
  if (heads > 0) {
    return;
  }
  gdn::compute_part(GDN_PROBLEM);
}
