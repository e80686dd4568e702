#include <assay/report/wording.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include <assay/base/text.hpp>
#include <assay/plot/number.hpp>

namespace assay::report {

std::string safe(std::string_view text) { return base::escape_markup(base::printable(text)); }

std::string with_interval(const Ratio& ratio) {
  const std::string estimate = plot::ratio_label(ratio.estimate);
  if (!is_ratio(ratio.lower) || !is_ratio(ratio.upper)) {
    return estimate;
  }
  return fmt::format("{} [{:.2f}, {:.2f}]", estimate, ratio.lower, ratio.upper);
}

std::string resampled_text(const Headline::Resampled& resampled) {
  return fmt::format("{} ({:g} %, resampled over {} and {})", with_interval(resampled.speedup), 100 * resampled.level,
                     counted(resampled.sessions, "session"), counted(resampled.pairs, "process pair"));
}

std::string time_or_missing(const std::optional<double>& nanoseconds) {
  if (!nanoseconds || !is_ratio(*nanoseconds)) {
    return "missing";
  }
  return base::human(std::chrono::nanoseconds(std::llround(*nanoseconds)));
}

std::string pairs_text(const task::Named<std::int64_t>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string outcomes_text(const CampaignReport& report) {
  std::string text;
  for (const OutcomeCount& entry : count_outcomes(report)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.count, words(entry.outcome));
  }
  return text;
}

OutcomeFamily family(task::Outcome outcome) {
  switch (outcome) {
    case task::Outcome::better:
      return OutcomeFamily::gain;
    case task::Outcome::measured:
    case task::Outcome::not_better:
    case task::Outcome::indistinguishable:
      return OutcomeFamily::kept;
    case task::Outcome::duplicate:
    case task::Outcome::built:
      return OutcomeFamily::neutral;
    case task::Outcome::not_built:
    case task::Outcome::crashed:
    case task::Outcome::timed_out:
    case task::Outcome::incorrect:
    case task::Outcome::suspect:
    case task::Outcome::protocol_violation:
      return OutcomeFamily::failure;
  }
  return OutcomeFamily::failure;
}

}  // namespace assay::report
