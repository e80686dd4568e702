#include <assay/supervise/marks.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace assay::supervise {

std::vector<Mark> marks(const History& history, const Settings& settings) {
  std::vector<Mark> found;
  std::array<std::optional<std::size_t>, kConditions> holding;  // Indices into `found`.
  History seen;
  seen.headroom = history.headroom;
  for (const Attempt& attempt : history.attempts) {
    seen.attempts.push_back(attempt);
    std::array<bool, kConditions> holds{};
    for (Finding& finding : examine(seen, settings)) {
      const auto condition = static_cast<std::size_t>(finding.condition);
      const bool momentary = finding.momentary;
      holds[condition] = !momentary;
      if (holding[condition] && !momentary) {
        found[*holding[condition]].until = attempt.number;
      } else {
        holding[condition] = momentary ? std::nullopt : std::optional(found.size());
        found.push_back({std::move(finding), attempt.number, false});
      }
    }
    for (std::size_t condition = 0; condition < kConditions; ++condition) {
      if (!holds[condition]) {
        holding[condition].reset();
      }
    }
  }
  for (const std::optional<std::size_t>& index : holding) {
    if (index) {
      found[*index].open = true;
    }
  }
  return found;
}

}  // namespace assay::supervise
