#include <assay/operators/workload_lengths.hpp>

#include <fmt/format.h>

#include <limits>

namespace assay::operators {
namespace {

tl::unexpected<base::Error> wrong(const task::Workload& workload, std::string_view pointer, const std::string& what) {
  return base::input_error("workload.lengths", fmt::format("workload {}: {}: {}", workload.uuid, pointer, what));
}

std::int64_t axis_of(const task::Workload& workload, std::string_view name) {
  const std::int64_t* value = task::find(workload.axes, name);
  return value == nullptr ? 0 : *value;
}

}  // namespace

base::Result<void> check_lengths(const task::Workload& workload, const LengthBounds& bounds) {
  if (workload.lengths.empty()) {
    return {};
  }
  const std::int64_t count = axis_of(workload, bounds.count_axis);
  if (static_cast<std::int64_t>(workload.lengths.size()) != count) {
    return wrong(workload, "/lengths",
                 fmt::format("are {}, but {} is {}: give as many, or leave them out", workload.lengths.size(),
                             bounds.count_axis, count));
  }
  std::int64_t total = 0;
  for (std::size_t i = 0; i < workload.lengths.size(); ++i) {
    const std::int64_t length = workload.lengths[i];
    if (length < 0 || static_cast<std::uint64_t>(length) > bounds.most) {
      return wrong(workload, fmt::format("/lengths/{}", i),
                   fmt::format("is {}, and must be from 0 to {}, which is {}", length, bounds.most, bounds.most_is));
    }
    if (__builtin_add_overflow(total, length, &total)) {
      total = std::numeric_limits<std::int64_t>::max();
    }
  }
  if (!bounds.total_axis.empty() && total != axis_of(workload, bounds.total_axis)) {
    return wrong(workload, "/lengths",
                 fmt::format("add up to {}, but {} is {}: make them equal", total, bounds.total_axis,
                             axis_of(workload, bounds.total_axis)));
  }
  return {};
}

base::Result<void> check_token_ids(const task::Workload& workload, std::string_view axis, std::size_t factor) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  const std::int64_t value = axis_of(workload, axis);
  if (value < 0 || static_cast<std::size_t>(value) > kMost / factor) {
    return base::input_error("workload.axes",
                             fmt::format("workload {}: /axes/{}: is {}, but ids of tokens are int32: give at most {}",
                                         workload.uuid, axis, value, kMost / factor));
  }
  return {};
}

}  // namespace assay::operators
