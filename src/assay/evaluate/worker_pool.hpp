#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/device.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

/// Starts workers ahead of their use, while candidates are built: opening a GPU takes a process longer than most calls
/// take in all. Each worker is handed out once, so who has loaded a candidate serves no other. Nothing is started
/// between `settle` and the next `prepare`: what is timed meanwhile has the machine to itself.
class WorkerPool {
 public:
  /// `device` outlives the pool. `options` are those of every worker.
  WorkerPool(const device::Device& device, worker::WorkerOptions options);
  /// Waits for what is being started; unused workers end.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Begins to start so many more. Returns at once.
  void prepare(int count);
  /// Waits until nothing is being started.
  void settle();
  /// How many are started and not handed out yet.
  [[nodiscard]] int waiting() const;
  /// Returns a worker that was prepared, or starts one here and now if there is none.
  [[nodiscard]] base::Result<worker::WorkerClient> take();

 private:
  void work();
  [[nodiscard]] base::Result<worker::WorkerClient> start() const;

  const device::Device& device_;
  worker::WorkerOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int wanted_ = 0;
  int being_started_ = 0;
  bool ending_ = false;
  std::vector<base::Result<worker::WorkerClient>> ready_;
  /// They live as long as the pool: a worker dies with the thread that started it (PR_SET_PDEATHSIG).
  std::vector<std::thread> threads_;
};

}  // namespace assay::evaluate
