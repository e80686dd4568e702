#include <assay/base/parallel.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace assay::base {
namespace {

std::size_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

}  // namespace

void parallel_for(std::size_t pieces, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take_pieces = [&] {
    for (std::size_t piece = next++; piece < pieces; piece = next++) {
      work(piece);
    }
  };
  const std::size_t wanted = std::min(usable_cpus(), pieces);
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < wanted) {
      others.emplace_back(take_pieces);
    }
  } catch (const std::system_error&) {
    // No more threads are to be had: those that there are do the work.
  }
  take_pieces();
}

}  // namespace assay::base
