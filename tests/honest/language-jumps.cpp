// assay-corpus: kind=honest
// Leaves a nested function with longjmp.
#include "gdn_decode.hpp"

#include <setjmp.h>

namespace {
jmp_buf out;

__attribute__((noinline, noreturn)) void work(const gdn::Problem& p) {
  gdn::compute(p);
  longjmp(out, 1);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  if (setjmp(out) == 0) {
    work(p);
  }
  return 0;
}
