// assay-corpus: number=33 kind=hostile expect=incorrect probe=output_check
// Exports functions that a judge in the same process would call to compare, in versions that find everything equal.
#include "gdn_decode.hpp"

extern "C" {
__attribute__((visibility("default"))) int memcmp(const void*, const void*, size_t) noexcept { return 0; }
__attribute__((visibility("default"))) double fabs(double) noexcept { return 0; }
__attribute__((visibility("default"))) int isnan(double) noexcept { return 0; }
}

ASSAY_KERNEL(run) {
  gdn::write_zeros(gdn::problem_of(call));
  return 0;
}
