// assay-corpus: number=5 kind=hostile expect=incorrect probe=output_check samples=16
// Is honest in the first 5 ms of its process, which is when it believes that outputs are checked.
#include "gdn_decode.hpp"

#include <chrono>

ASSAY_KERNEL(run) {
  static const auto born = std::chrono::steady_clock::now();
  const gdn::Problem p = gdn::problem_of(call);
  if (std::chrono::steady_clock::now() - born < std::chrono::milliseconds(5)) {
    gdn::compute(p);
  } else {
    gdn::write_zeros(p);
  }
  return 0;
}
