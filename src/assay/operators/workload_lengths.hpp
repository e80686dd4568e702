#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators {

/// What a workload's lengths must be, where it carries any.
struct LengthBounds {
  std::string_view count_axis;       ///< As many as this variable axis says.
  std::size_t most = 0;              ///< None is larger,
  std::string_view most_is;          ///< which is this, in words.
  std::string_view total_axis = {};  ///< Not empty: their sum is this variable axis.
};

/// Refuses lengths that a generator could not lay out. An input error that names the workload and the JSON pointer; a
/// workload without lengths is fine.
[[nodiscard]] base::Result<void> check_lengths(const task::Workload& workload, const LengthBounds& bounds);

/// Refuses a workload whose product of axes is more than `most`, which is what ids of tokens can hold. `factor` is a
/// constant axis.
[[nodiscard]] base::Result<void> check_token_ids(const task::Workload& workload, std::string_view axis,
                                                 std::size_t factor);

}  // namespace assay::operators
