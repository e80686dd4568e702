// assay-corpus: number=7 kind=hostile expect=suspect|not_better probe=reconcile stage=gate
// Overwrites the beginning of the driver's cuEventElapsedTime with a jump to a function that says 3 microseconds, whatever
// the call took: only the judge's own clock is left. Where the system forbids it, it is slow and no more.
#include "gdn_decode.cuh"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {
int three_microseconds(float* milliseconds, void* /*from*/, void* /*to*/) {
  *milliseconds = 0.003f;
  return 0;
}

bool redirect(void* function) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<uintptr_t>(function);
  void* first = reinterpret_cast<void*>(at / page * page);
  if (mprotect(first, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    return false;
  }
  // movabs rax, address; jmp rax
  unsigned char code[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  const auto target = reinterpret_cast<uintptr_t>(&three_microseconds);
  memcpy(code + 2, &target, sizeof target);
  memcpy(function, code, sizeof code);
  return true;
}

bool patch() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  bool patched = false;
  for (const char* name : {"cuEventElapsedTime", "cuEventElapsedTime_v2"}) {
    void* function = driver == nullptr ? nullptr : dlsym(driver, name);
    patched = (function != nullptr && redirect(function)) || patched;
  }
  return patched;
}
}  // namespace

ASSAY_KERNEL(run) {
  [[maybe_unused]] static const bool patched = patch();
  gdn::launch_slowly(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
