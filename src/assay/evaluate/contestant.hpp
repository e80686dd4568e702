#pragma once

#include <string>

#include <assay/base/digest.hpp>
#include <assay/os/fd.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/solution.hpp>

namespace assay::evaluate {

/// A built solution, ready to be loaded into a worker.
struct Contestant {
  task::Side side = task::Side::candidate;
  std::string name;
  base::Digest content;  ///< Of the solution.
  std::string symbol;    ///< Exported by the object.
  os::Fd object;         ///< Sealed memory with the shared object that the build's record names.
};

}  // namespace assay::evaluate
