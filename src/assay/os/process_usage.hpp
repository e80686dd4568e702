#pragma once

#include <chrono>

namespace assay::os {

/// What a process and all its living descendants use, seen from outside. Zero of what cannot be read.
struct ProcessUsage {
  std::chrono::nanoseconds cpu{};  ///< CPU time since they started, all threads.
  int processes = 0;               ///< The first one counts.
  int threads = 0;
};

/// Looks at the tree under `pid`, in /proc and by the processes' CPU clocks: some 20 µs a process. A descendant that
/// ends in between is left out, its time too.
[[nodiscard]] ProcessUsage usage_of_tree(int pid);

}  // namespace assay::os
