// assay-corpus: kind=honest
// A coroutine that yields after each head.
#include "gdn_decode.hpp"

#include <coroutine>
#include <exception>

namespace {
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Task heads(gdn::Problem p) {
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::compute_head(p, h);
    co_await std::suspend_always{};
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const Task task = heads(gdn::problem_of(call));
  while (!task.handle.done()) {
    task.handle.resume();
  }
  task.handle.destroy();
  return 0;
}
