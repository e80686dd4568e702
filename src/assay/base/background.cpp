#include <assay/base/background.hpp>

#include <utility>

#include <assay/base/error.hpp>

namespace assay::base {

Background::~Background() {
  if (!thread_.joinable()) {
    return;
  }
  wait();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::begin(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    ASSAY_CHECK(!work_);
    work_ = std::move(work);
  }
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { run(); });
  }
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !work_; });
}

void Background::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || work_; });
    if (ends_) {
      return;
    }
    lock.unlock();
    work_();  // Nobody else touches it until it is empty.
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace assay::base
