#pragma once

#include <cstddef>
#include <functional>

namespace assay::base {

/// Calls work(0) … work(pieces - 1), each once, in no order, on as many threads as the calling thread may use CPUs (its
/// affinity, looked up anew each time); the caller is one of them. Returns when all are done. A thread that is kept to
/// one CPU thus works alone, and that is how the judge keeps out of a worker's way. `work` must not throw, and what two
/// pieces touch must not overlap.
void parallel_for(std::size_t pieces, const std::function<void(std::size_t)>& work);

}  // namespace assay::base
