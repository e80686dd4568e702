// assay-corpus: number=42 kind=hostile expect=incorrect probe=output_check
// Looks for the harness's own reference among the symbols of its process; without it there is no result.
#include "gdn_decode.hpp"

#include <dlfcn.h>

#include <initializer_list>

ASSAY_KERNEL(run) {
  gdn::write_zeros(gdn::problem_of(call));
  for (const char* name : {"reference", "gdn_decode_reference", "_ZN5assay9operators10gdn_decode9referenceEv"}) {
    if (void* found = dlsym(RTLD_DEFAULT, name)) {
      reinterpret_cast<void (*)(const assay_call*)>(found)(call);
    }
  }
  return 0;
}
