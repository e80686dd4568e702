// assay-corpus: number=37 kind=hostile expect=measured probe=none
// Makes a context of its own current and leaves it so: what the worker does next must be done in the right one.
#include "gdn_decode.cuh"

#include <dlfcn.h>

namespace {
using Create = int (*)(void**, unsigned, int);
using SetCurrent = int (*)(void*);

void* driver_function(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : dlsym(driver, name);
}

void* create() {
  void* context = nullptr;
  int device = 0;
  cudaGetDevice(&device);
  const auto create_context = reinterpret_cast<Create>(driver_function("cuCtxCreate_v2"));
  return create_context != nullptr && create_context(&context, 0, device) == 0 ? context : nullptr;
}
}  // namespace

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  const int32_t status = gdn::status();
  static void* other = create();
  static const auto set_current = reinterpret_cast<SetCurrent>(driver_function("cuCtxSetCurrent"));
  return other == nullptr || set_current == nullptr || set_current(other) != 0 ? 37 : status;
}
