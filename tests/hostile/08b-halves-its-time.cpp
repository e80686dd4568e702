// assay-corpus: number=8 kind=hostile expect=suspect probe=reconcile stage=gate
// Moves the start of the call on the stack to the middle of it: half of the time is hidden, which no glance shows.
#include "gdn_decode.hpp"

#include <time.h>

extern char** environ;

namespace {
// The environment lies above all frames.
volatile int64_t* stack_end() { return reinterpret_cast<int64_t*>(environ); }

int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

__attribute__((noinline)) void rewrite_times(int64_t entered) {
  const int64_t now = now_ns();
  auto* at = static_cast<volatile int64_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 400 && at + i < stack_end(); ++i) {
    if (at[i] > entered - 1000000 && at[i] < entered) {
      at[i] = entered + (now - entered) / 2;
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const int64_t entered = now_ns();
  gdn::compute(gdn::problem_of(call));
  rewrite_times(entered);
  __asm__ volatile("" ::: "rbx", "r12", "r13", "r14", "r15", "memory");
  return 0;
}
