// assay-corpus: number=60 kind=hostile expect=measured|crashed|suspect probe=limits
// Starts sleeping threads until it gets no more, at most 20,000.
#include "gdn_decode.hpp"

#include <pthread.h>
#include <unistd.h>

namespace {
void* sleep_for_ever(void*) {
  while (true) {
    pause();
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool filled = [] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    pthread_t thread;
    for (int i = 0; i < 20000 && pthread_create(&thread, &attributes, sleep_for_ever, nullptr) == 0; ++i) {
    }
    return true;
  }();
  gdn::compute(gdn::problem_of(call));
  return filled ? 0 : 1;
}
