// assay-corpus: kind=honest
// Throws and catches an exception for each head.
#include "gdn_decode.hpp"

#include <stdexcept>
#include <string>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    try {
      throw std::out_of_range(std::to_string(h));
    } catch (const std::out_of_range& error) {
      gdn::compute_head(p, std::stoll(error.what()));
    }
  }
  return 0;
}
