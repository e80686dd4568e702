#include <assay/report/model.hpp>

#include <algorithm>
#include <cmath>

namespace assay::report {

std::vector<OutcomeCount> count_outcomes(const CampaignReport& report) {
  std::vector<OutcomeCount> counts;
  for (const task::Outcome outcome : task::all_outcomes()) {
    const auto count = std::count_if(report.candidates.begin(), report.candidates.end(),
                                     [outcome](const CandidateRow& row) { return row.outcome == outcome; });
    if (count > 0) {
      counts.push_back({outcome, static_cast<int>(count)});
    }
  }
  return counts;
}

std::string words(task::Outcome outcome) {
  std::string text(task::to_string(outcome));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::optional<Ratio> trusted_speedup(const CandidateRow& row) {
  const bool trusted = row.outcome && task::is_correct(*row.outcome) && row.speedup && is_ratio(row.speedup->estimate);
  return trusted ? row.speedup : std::nullopt;
}

bool is_ratio(double value) { return std::isfinite(value) && value > 0; }

}  // namespace assay::report
