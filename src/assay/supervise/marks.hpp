#pragma once

#include <string>
#include <vector>

#include <assay/supervise/history.hpp>
#include <assay/supervise/supervisor.hpp>

namespace assay::supervise {

/// A stretch of a history over which one condition held, as it was seen at the time: nothing later was known.
struct Mark {
  Finding finding;    ///< When it was seen first; `finding.at` is the attempt after which that was.
  int until = 0;      ///< Number of the last attempt after which it held.
  bool open = false;  ///< It holds at the end.
};

/// Examines a history after each of its attempts, in order of the first sight. A condition that ceases and comes back is
/// marked again; a change of the cause alone is not.
[[nodiscard]] std::vector<Mark> marks(const History& history, const Settings& settings);

}  // namespace assay::supervise
