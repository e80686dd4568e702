#include <assay/evaluate/worker_pool.hpp>

#include <utility>

namespace assay::evaluate {

namespace {

// So many are started at the same time; the driver does most of it one after the other.
constexpr std::size_t kThreads = 3;

}  // namespace

WorkerPool::WorkerPool(const device::Device& device, worker::WorkerOptions options)
    : device_(device), options_(std::move(options)) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    wanted_ = 0;
  }
  changed_.notify_all();
  settle();
  // Before the threads end, and with them, by the kernel's doing, what they started.
  for (base::Result<worker::WorkerClient>& worker : ready_) {
    if (worker) {
      worker->close();
    }
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerPool::prepare(int count) {
  const std::lock_guard lock(mutex_);
  while (count > 0 && threads_.size() < kThreads) {
    threads_.emplace_back([this] { work(); });
  }
  wanted_ += count;
  changed_.notify_all();
}

void WorkerPool::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return wanted_ == 0 && being_started_ == 0; });
}

int WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(ready_.size());
}

base::Result<worker::WorkerClient> WorkerPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!ready_.empty()) {
      base::Result<worker::WorkerClient> worker = std::move(ready_.front());
      ready_.erase(ready_.begin());
      return worker;
    }
  }
  return start();
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || wanted_ > 0; });
    if (ending_) {
      return;
    }
    --wanted_;
    ++being_started_;
    lock.unlock();
    base::Result<worker::WorkerClient> worker = start();
    lock.lock();
    ready_.push_back(std::move(worker));
    --being_started_;
    changed_.notify_all();
  }
}

base::Result<worker::WorkerClient> WorkerPool::start() const {
  std::optional<worker::WorkerClient> client;
  ASSAY_TRY(device_.place_worker([&]() -> base::Result<void> {
    ASSAY_TRY_ASSIGN(client, worker::WorkerClient::start(options_));
    return {};
  }));
  return std::move(*client);
}

}  // namespace assay::evaluate
