#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace assay::base {

/// A thread of its own that does one piece of work at a time, so that the caller can wait for something else meanwhile.
/// The thread is started with the first piece and is free to run where the caller was by then.
class Background {
 public:
  Background() = default;
  /// Waits for the work, if any.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Begins; the piece before must have been waited for. The work must not throw.
  void begin(std::function<void()> work);
  /// Waits until the work is done, if any was begun.
  void wait();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  ///< Empty: nothing to do.
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace assay::base
