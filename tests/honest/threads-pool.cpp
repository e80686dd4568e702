// assay-corpus: kind=honest stage=gate
// A pool that is kept; its threads wait on a condition variable between calls.
#include "gdn_decode.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace {
class Pool {
 public:
  Pool() {
    for (int64_t t = 0; t < kThreads; ++t) {
      std::thread([this, t] { serve(t); }).detach();
    }
  }

  void compute(const gdn::Problem& p) {
    std::unique_lock lock(mutex_);
    problem_ = p;
    left_ = kThreads;
    ++round_;
    begin_.notify_all();
    end_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  static constexpr int64_t kThreads = 3;

  void serve(int64_t t) {
    for (unsigned seen = 0;;) {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      const gdn::Problem p = problem_;
      lock.unlock();
      for (int64_t h = t; h < p.heads; h += kThreads) {
        gdn::compute_head(p, h);
      }
      lock.lock();
      if (--left_ == 0) {
        end_.notify_one();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  gdn::Problem problem_{};
  int64_t left_ = 0;
  unsigned round_ = 0;
};
}  // namespace

ASSAY_KERNEL(run) {
  static Pool& pool = *new Pool;  // Never destroyed: its threads may still wait when the process ends.
  pool.compute(gdn::problem_of(call));
  return 0;
}
