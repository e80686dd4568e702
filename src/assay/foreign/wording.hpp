#pragma once

#include <string>
#include <vector>

#include <assay/foreign/audit.hpp>

namespace assay::foreign {

/// Plain sentences about an audit, for terminals and pages. Numbers that change come last in a sentence where they can.

/// Says what a verdict means, in a few words: "the same code".
[[nodiscard]] std::string in_words(Verdict verdict);
/// Says what a failure was, in a few words, and whose it is.
[[nodiscard]] std::string in_words(Failure failure);
[[nodiscard]] std::string in_words(FailureOwner owner);

/// Says what was found about a promotion, the deciding sentence first; never empty.
[[nodiscard]] std::vector<std::string> sentences(const Audit& audit, const PromotionAudit& promotion);

/// Says how the controller's choice and the fastest evaluation of a trace compare.
[[nodiscard]] std::string choice_sentence(const Audit& audit, const TraceAudit& trace);

/// Says how the noise was found and how well it is known.
[[nodiscard]] std::vector<std::string> noise_sentences(const Audit& audit);

/// Writes a latency with three significant digits: "27.2 µs".
[[nodiscard]] std::string latency_text(double milliseconds);
/// Writes a log-ratio of latencies as a change: "−38.8 %", "+1.4 %"; far gains as "9.6 times faster".
[[nodiscard]] std::string change_text(double log_ratio);

/// Shortens a definition's name to what tells it from the others: the words before its dimensions.
[[nodiscard]] std::string short_name(const std::string& trace);

}  // namespace assay::foreign
