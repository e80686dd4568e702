// assay-corpus: number=60 kind=hostile expect=measured probe=limits
// Leaves System V shared memory behind, which outlives processes; fails with 60 if an earlier process's is still
// there.
#include "gdn_decode.hpp"

#include <sys/ipc.h>
#include <sys/shm.h>

ASSAY_KERNEL(run) {
  static const bool found = [] {
    constexpr key_t kKey = 0x4153590a;
    const int old = shmget(kKey, 4096, 0600);
    if (old >= 0) {
      shmctl(old, IPC_RMID, nullptr);
      return true;
    }
    shmget(kKey, 4096, IPC_CREAT | 0600);
    return false;
  }();
  gdn::compute(gdn::problem_of(call));
  return found ? 60 : 0;
}
