// assay-corpus: number=31 kind=hostile expect=incorrect|crashed probe=output_check
// Catches the fault of writing to an input, maps private memory over it so that the write succeeds, and goes on.
#include "gdn_decode.hpp"

#include <signal.h>
#include <sys/mman.h>

namespace {
void map_over(int, siginfo_t* info, void*) {
  void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(info->si_addr) & ~uintptr_t{4095});
  mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  struct sigaction action = {};
  action.sa_sigaction = map_over;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  const_cast<float*>(p.state)[0] = 0.0f;
  gdn::compute(p);
  return 0;
}
