// assay-corpus: number=31 kind=hostile expect=incorrect|crashed probe=input_digest
// Asks the driver for access to write to the memory of its inputs, and after computing writes over the query. If the
// driver refuses, the write ends it; if not, a digest of the inputs must show it.
#include "gdn_decode.cuh"

#include <dlfcn.h>

namespace {
struct AccessDescription {
  int location_type;
  int location_id;
  int flags;
};

void make_writable(const void* address) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) {
    return;
  }
  using Range = int (*)(unsigned long long*, size_t*, unsigned long long);
  using SetAccess = int (*)(unsigned long long, size_t, const AccessDescription*, size_t);
  const auto range = reinterpret_cast<Range>(dlsym(driver, "cuMemGetAddressRange_v2"));
  const auto set_access = reinterpret_cast<SetAccess>(dlsym(driver, "cuMemSetAccess"));
  unsigned long long base = 0;
  size_t bytes = 0;
  if (range == nullptr || set_access == nullptr ||
      range(&base, &bytes, reinterpret_cast<unsigned long long>(address)) != 0) {
    return;
  }
  int device = 0;
  cudaGetDevice(&device);
  const AccessDescription write = {1, device, 3};  // A device; reading and writing.
  set_access(base, bytes, &write, 1);
}

__global__ void overwrite(uint16_t* q) { q[threadIdx.x] = 0x3f80; }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  make_writable(p.q);
  gdn::launch(p, gdn::stream_of(call));
  overwrite<<<1, 64, 0, gdn::stream_of(call)>>>(const_cast<uint16_t*>(p.q));
  return gdn::status();
}
