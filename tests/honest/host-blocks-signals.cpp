// assay-corpus: kind=honest
// Blocks signals while it computes and handles one of its own.
#include "gdn_decode.hpp"

#include <signal.h>

namespace {
volatile sig_atomic_t seen = 0;
}

ASSAY_KERNEL(run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  gdn::compute(gdn::problem_of(call));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGUSR1, [](int) { seen = 1; });
  raise(SIGUSR1);
  return seen == 1 ? 0 : 1;
}
