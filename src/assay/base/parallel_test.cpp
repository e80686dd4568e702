#include <assay/base/parallel.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace assay::base {
namespace {

TEST(ParallelFor, CallsEachPieceOnce) {
  for (const std::size_t pieces : {0U, 1U, 2U, 3U, 1000U}) {
    std::vector<std::atomic<int>> calls(pieces);
    parallel_for(pieces, [&](std::size_t piece) { ++calls[piece]; });
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      EXPECT_EQ(calls[piece], 1) << piece << " of " << pieces;
    }
  }
}

TEST(ParallelFor, IsDoneWhenItReturns) {
  std::vector<double> values(100'000, 0);
  parallel_for(100, [&](std::size_t piece) {
    for (std::size_t i = piece * 1000; i < (piece + 1) * 1000; ++i) {
      values[i] = static_cast<double>(i);
    }
  });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 100'000.0 * 99'999.0 / 2);
}

TEST(ParallelFor, AThreadThatIsKeptToOneCpuWorksAlone) {
  std::set<std::thread::id> seen;
  std::thread([&] {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    std::size_t first = 0;
    while (!CPU_ISSET(first, &all)) {
      ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    std::mutex mutex;
    parallel_for(50, [&](std::size_t) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }).join();
  EXPECT_EQ(seen.size(), 1U);
}

}  // namespace
}  // namespace assay::base
