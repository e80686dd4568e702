#include <assay/foreign/wording.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/base/text.hpp>

namespace assay::foreign {
namespace {

std::string percent_band(double log_ratio) { return fmt::format("{:.1f} %", 100 * std::expm1(log_ratio)); }

std::string identity_sentence(const PromotionAudit& promotion, bool shifted) {
  const std::string same = promotion.identity == Identity::bytes
                               ? "The promoted code is byte for byte the code that it replaced"
                               : "The promoted code is the code that it replaced, up to comments and blank space";
  return same + (shifted
                     ? fmt::format(": the change of {} is the environment’s.", change_text(promotion.log_latency_ratio))
                     : fmt::format(": the change of {} is noise.", change_text(promotion.log_latency_ratio)));
}

std::string noise_sentence(const Audit& audit, const PromotionAudit& promotion) {
  return fmt::format(
      "One measurement each cannot tell the two apart: they differ by {}, and the same code measured twice by up to "
      "±{}.",
      change_text(promotion.log_latency_ratio), percent_band(audit.noise.band));
}

std::string sentence(const Audit& audit, const PromotionAudit& promotion, Reason reason) {
  const double reference = std::exp(promotion.log_reference_ratio);
  switch (reason) {
    case Reason::identical_source:
    case Reason::identical_normalized_source:
      return identity_sentence(promotion, std::abs(promotion.log_reference_ratio) > std::log(kEnvironmentFactor));
    case Reason::environment_shift:
      return fmt::format(
          "The reference implementation, which is the same code each time, took {:.1f} times as long: the two were not "
          "measured in the same environment.",
          reference);
    case Reason::latency_raising:
      return fmt::format("The promoted code was slower by {}{}.", percent_band(promotion.log_latency_ratio),
                         promotion.log_reference_ratio > 0
                             ? fmt::format("; its score rose since the reference happened to be slower too, by {}",
                                           percent_band(promotion.log_reference_ratio))
                             : std::string());
    case Reason::indistinguishable:
      return noise_sentence(audit, promotion);
    case Reason::indistinguishable_by_trace_noise:
      return "The repeats of its own run scatter as much as this.";
    case Reason::noise_unknown:
      return "No code was ever measured twice, so that no change can be told from noise.";
    case Reason::environment_suspect:
      return fmt::format(
          "Between the two the profiler stopped working for good: the machine or its driver was changed. The reference "
          "moved by {}.",
          change_text(promotion.log_reference_ratio));
    case Reason::evaluator_changed:
      return "Between the two the script that measures was changed.";
    case Reason::workloads_differ:
      return "The two means are over different numbers of workloads.";
  }
  return {};
}

std::string plausible_sentence(const Audit& audit, const PromotionAudit& promotion) {
  std::string text = change_text(promotion.log_latency_ratio);
  if (audit.noise.source != ComparisonNoise::Source::none) {
    text += fmt::format(", {:.1f} times the noise of a comparison",
                        std::abs(promotion.log_latency_ratio) / audit.noise.band);
  }
  return text + (promotion.reasons.empty() ? "; nothing in the archive speaks against it. Nobody confirmed it."
                                           : ". Nobody confirmed it.");
}

std::string weights_sentence(const PromotionAudit& promotion) {
  if (!promotion.weights) {
    return {};
  }
  if (!promotion.weights->moved_share) {
    return "It is faster on every workload: no weights of theirs would turn the decision.";
  }
  return fmt::format(
      "The decision turns if {:.0f} % of the workloads’ weight moves from those that gain most to the one that loses "
      "most, or if the weights are off by a factor of {:.2f}.",
      100 * *promotion.weights->moved_share, *promotion.weights->factor);
}

}  // namespace

std::string in_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::identical:
      return "the same code";
    case Verdict::environment_shift:
      return "another environment";
    case Verdict::worse:
      return "slower";
    case Verdict::indistinguishable:
      return "inside the noise";
    case Verdict::suspect_environment:
      return "suspect environment";
    case Verdict::plausible:
      return "plausible";
  }
  return {};
}

std::string in_words(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "measured";
    case Failure::compile:
      return "did not compile";
    case Failure::runtime:
      return "crashed";
    case Failure::incorrect:
      return "wrong result";
    case Failure::timeout:
      return "timed out";
    case Failure::infrastructure_quota:
      return "spending limit";
    case Failure::infrastructure_no_result:
      return "no result";
    case Failure::interface_mismatch:
      return "symbol not found";
  }
  return {};
}

std::string in_words(FailureOwner owner) {
  switch (owner) {
    case FailureOwner::candidate:
      return "the candidate";
    case FailureOwner::infrastructure:
      return "the infrastructure";
    case FailureOwner::interface:
      return "the task’s description of the interface";
  }
  return {};
}

std::vector<std::string> sentences(const Audit& audit, const PromotionAudit& promotion) {
  std::vector<std::string> found;
  if (promotion.verdict == Verdict::plausible) {
    found.push_back(plausible_sentence(audit, promotion));
  }
  for (const Reason reason : promotion.reasons) {
    found.push_back(sentence(audit, promotion, reason));
  }
  if (std::string weights = weights_sentence(promotion); !weights.empty()) {
    found.push_back(std::move(weights));
  }
  return found;
}

std::string choice_sentence(const Audit& audit, const TraceAudit& trace) {
  if (!trace.picked) {
    return "No candidate was stored, so that nothing was picked.";
  }
  const Evaluation& picked = audit.archive.evaluations[*trace.picked];
  const Evaluation& fastest = audit.archive.evaluations[*trace.fastest];
  if (trace.picked == trace.fastest) {
    return fmt::format("The controller ended with the fastest evaluation of all, {}.",
                       latency_text(*picked.latency_ms));
  }
  const std::string numbers = fmt::format("The controller ended with {} although {} had been measured: it is {} slower",
                                          latency_text(*picked.latency_ms), latency_text(*fastest.latency_ms),
                                          percent_band(std::log(*picked.latency_ms / *fastest.latency_ms)));
  if (identity_of(picked, fastest) != Identity::different) {
    return numbers + ", but the same code.";
  }
  return numbers +
         (trace.tellable_apart ? ", which is more than noise." : ", which is inside the noise of a comparison.");
}

std::vector<std::string> noise_sentences(const Audit& audit) {
  const ComparisonNoise& noise = audit.noise;
  if (noise.source == ComparisonNoise::Source::none) {
    return {
        "No code was ever measured twice in one environment: how large the noise is cannot be told from this archive."};
  }
  const bool stored = noise.source == ComparisonNoise::Source::stored_pairs;
  std::vector<std::string> found = {fmt::format(
      "{} {} differ by {:.1f} % (root mean square). In 95 of 100 comparisons the same code differs from itself by less "
      "than ±{}.",
      stored ? "Pairs of stored evaluations that turned out to be the same code" : "All repeats of the same code",
      stored ? fmt::format("({} of them)", noise.pairs) : fmt::format("({} degrees of freedom)", noise.pairs),
      100 * noise.rms, percent_band(noise.band))};
  std::size_t lost = 0;
  std::size_t won = 0;
  for (const PromotionAudit& promotion : audit.promotions) {
    const double size = std::abs(promotion.log_latency_ratio);
    lost += promotion.verdict == Verdict::plausible && size < noise.band_interval.upper ? 1U : 0U;
    won += promotion.verdict == Verdict::indistinguishable && size >= noise.band_interval.lower ? 1U : 0U;
  }
  found.push_back(fmt::format(
      "So few pairs leave that number open between ±{} and ±{} (95 % confidence): at the wide end {} of the plausible "
      "promotions would be inside the noise, at the narrow end {} of those inside the noise would be outside.",
      percent_band(noise.band_interval.lower), percent_band(noise.band_interval.upper), lost, won));
  return found;
}

std::string latency_text(double milliseconds) {
  constexpr std::array<const char*, 4> kUnits = {"s", "ms", "µs", "ns"};
  double value = milliseconds / 1000;
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && value < 0.9995) {
    value *= 1000;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string change_text(double log_ratio) {
  if (log_ratio < -std::log(2.0)) {
    return fmt::format("{:.1f} times faster", std::exp(-log_ratio));
  }
  if (log_ratio > std::log(2.0)) {
    return fmt::format("{:.1f} times slower", std::exp(log_ratio));
  }
  const double percent = 100 * std::expm1(log_ratio);
  return fmt::format("{}{:.1f} %", percent < 0 ? "−" : "+", std::abs(percent));
}

std::string short_name(const std::string& trace) {
  const std::vector<std::string> words = base::split(trace, '_');
  std::string name;
  for (const std::string& word : words) {
    const bool has_digit = std::any_of(word.begin(), word.end(), base::is_digit);
    if (!name.empty() && has_digit) {
      break;
    }
    name += (name.empty() ? "" : " ") + word;
  }
  return name;
}

}  // namespace assay::foreign
