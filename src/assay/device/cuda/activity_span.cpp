#include <assay/device/cuda/activity_span.hpp>

#include <algorithm>

namespace assay::device::cuda {

ActivitySummary summarise_activity(std::vector<ActivitySpan> spans) {
  ActivitySummary summary;
  if (spans.empty()) {
    return summary;
  }
  std::sort(spans.begin(), spans.end(), [](const ActivitySpan& a, const ActivitySpan& b) { return a.start < b.start; });
  std::uint64_t end = spans.front().start;
  for (const ActivitySpan& span : spans) {
    if (span.start > end) {
      summary.idle_ns += static_cast<std::int64_t>(span.start - end);
    }
    end = std::max(end, span.end);
  }
  summary.elapsed_ns = static_cast<std::int64_t>(end - spans.front().start);
  return summary;
}

}  // namespace assay::device::cuda
