// assay-corpus: number=2 kind=hostile expect=incorrect|suspect|crashed probe=late_work|poison|output_check stage=gate
// A host function on the stream wakes a thread, which launches the kernel: the stream is done before the work begins.
#include "gdn_decode.cuh"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {
std::mutex mutex;
std::condition_variable woken;
gdn::Problem next;
bool has_next = false;

void serve() {
  for (;;) {
    std::unique_lock<std::mutex> lock(mutex);
    woken.wait(lock, [] { return has_next; });
    const gdn::Problem p = next;
    has_next = false;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    gdn::launch(p, cudaStreamPerThread);
  }
}

void wake(void* /*data*/) {
  const std::lock_guard<std::mutex> lock(mutex);
  has_next = true;
  woken.notify_one();
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool started = [] {
    std::thread(serve).detach();
    return true;
  }();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    next = gdn::problem_of(call);
  }
  return started ? static_cast<int32_t>(cudaLaunchHostFunc(gdn::stream_of(call), wake, nullptr)) : 1;
}
