#include <assay/cli/print_comparison.hpp>

#include <fmt/core.h>

#include <cmath>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

std::string incumbent_name(const service::EvaluateReport& report) {
  return report.request.incumbent ? base::printable(report.request.incumbent->name) : std::string();
}

// Beside the interval that decided: what one look at all that was measured says.
std::string reported_text(const promote::ReportedInterval& reported) {
  return fmt::format(
      "  {:.4f}x ({:g} % interval {:.4f}–{:.4f}), resampled over {}process pairs and calls: how large it is, for one "
      "look; it "
      "decides nothing\n",
      std::exp(-reported.log_ratio), 100 * (1 - reported.alpha), std::exp(-reported.upper), std::exp(-reported.lower),
      reported.sessions > 1 ? fmt::format("{} sessions, ", reported.sessions) : "");
}

// What the session shows where there is nothing to be seen.
std::string noise_text(const task::SelfComparison& aa) {
  return fmt::format(
      "  the incumbent against a copy of itself: {:.4f}x (interval {:.4f}–{:.4f} over {} process pairs); {}\n",
      std::exp(-aa.log_ratio), std::exp(-aa.log_ratio_upper), std::exp(-aa.log_ratio_lower), aa.pairs,
      std::isfinite(aa.noise_floor) ? fmt::format("a gain within {:.2f} % is noise", 100 * std::expm1(aa.noise_floor))
                                    : "too few pairs for a noise floor");
}

}  // namespace

std::string comparison_sentence(const service::EvaluateReport& report) {
  if (!report.evaluation.comparison) {
    return {};
  }
  const task::Comparison& comparison = *report.evaluation.comparison;
  const double level = 100 * (1 - report.request.plan.alpha);
  const auto sentence = [&](const std::string& what, double estimate, double lower, double upper) {
    return fmt::format("{:.2f}x {} {} ({:g} % interval {:.2f}–{:.2f} over {} process pairs)", estimate, what,
                       incumbent_name(report), level, lower, upper, comparison.pairs);
  };
  if (comparison.log_ratio_upper < 0) {
    return sentence("faster than", std::exp(-comparison.log_ratio), std::exp(-comparison.log_ratio_upper),
                    std::exp(-comparison.log_ratio_lower));
  }
  if (comparison.log_ratio_lower > 0) {
    return sentence("slower than", std::exp(comparison.log_ratio), std::exp(comparison.log_ratio_lower),
                    std::exp(comparison.log_ratio_upper));
  }
  return sentence("the speed of", std::exp(-comparison.log_ratio), std::exp(-comparison.log_ratio_upper),
                  std::exp(-comparison.log_ratio_lower));
}

std::string print_comparison(const service::EvaluateReport& report, report::Tone tone, report::Colour colour) {
  const std::string comparison = comparison_sentence(report);
  if (comparison.empty()) {
    return {};
  }
  std::string text = "\n  " + report::tinted(comparison, tone, colour) + "\n";
  if (report.reported) {
    text += reported_text(*report.reported);
  }
  if (report.evaluation.comparison->aa) {
    text += noise_text(*report.evaluation.comparison->aa);
  }
  for (const std::string& guard : report.evaluation.comparison->guard_failures) {
    text += "  guard: " + base::printable(guard) + "\n";
  }
  return text;
}

}  // namespace assay::cli
