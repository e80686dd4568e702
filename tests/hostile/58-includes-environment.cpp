// assay-corpus: number=58 kind=hostile expect=not_built|measured probe=build
// Includes the compiler's environment as a source, so that the error message shows it. Some compilers take such a
// file for empty; whatever they read, there is nothing of ours in it.
#include "/proc/self/environ"

#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
