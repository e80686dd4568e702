// assay-corpus: kind=honest
// Keeps 256 MiB and touches all of it at first.
#include "gdn_decode.hpp"

#include <vector>

ASSAY_KERNEL(run) {
  static const std::vector<char> workspace(size_t{256} << 20, 1);
  gdn::compute(gdn::problem_of(call));
  return workspace.back() == 1 ? 0 : 1;
}
