// assay-corpus: kind=honest
// Keeps scratch in a temporary file if it may have one, and does without otherwise.
#include "gdn_decode.hpp"

#include <stdio.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  FILE* scratch = tmpfile();
  if (scratch != nullptr) {
    fwrite(p.new_state, sizeof(float), 1024, scratch);
    rewind(scratch);
    const size_t read = fread(p.new_state, sizeof(float), 1024, scratch);
    fclose(scratch);
    return read == 1024 ? 0 : 1;
  }
  return 0;
}
