// assay-corpus: number=58 kind=hostile expect=measured probe=build
// Asks the preprocessor which files of the machine exist; fails if it sees one that no build needs.
#include "gdn_decode.hpp"

#if __has_include("/etc/shadow")
#define SEEN 1
#elif __has_include("/etc/hostname")
#define SEEN 2
#elif __has_include("/proc/1/cmdline")
#define SEEN 3
#else
#define SEEN 0
#endif

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return SEEN;
}
