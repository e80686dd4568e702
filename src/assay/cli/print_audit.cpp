#include <assay/cli/print_audit.hpp>

#include <fmt/core.h>

#include <array>

#include <assay/base/text.hpp>
#include <assay/foreign/marked_search.hpp>
#include <assay/foreign/wording.hpp>

namespace assay::cli {
namespace {

using report::Align;
using report::Table;
using report::Tone;

Tone tone_of(foreign::Verdict verdict) {
  switch (verdict) {
    case foreign::Verdict::plausible:
      return Tone::good;
    case foreign::Verdict::indistinguishable:
      return Tone::faint;
    default:
      return Tone::bad;
  }
}

std::string promotions_text(const foreign::Audit& audit, const foreign::TraceAudit& trace, report::Colour colour) {
  Table table({{"no.", Align::right},
               {"verdict", Align::left, 22},
               {"before", Align::right},
               {"after", Align::right},
               {"change", Align::right},
               {"why", Align::left, 160}});
  for (const foreign::PromotionAudit& promotion : audit.promotions) {
    if (promotion.promotion.trace == trace.name) {
      table.add({std::to_string(promotion.promotion.number),
                 {foreign::in_words(promotion.verdict), tone_of(promotion.verdict)},
                 foreign::latency_text(*audit.archive.evaluations[promotion.promotion.before].latency_ms),
                 foreign::latency_text(*audit.archive.evaluations[promotion.promotion.after].latency_ms),
                 foreign::change_text(promotion.log_latency_ratio),
                 foreign::sentences(audit, promotion).front()});
    }
  }
  return table.size() == 0 ? "  no promotion\n" : table.render(colour, 2);
}

std::string failures_text(const foreign::TraceAudit& trace) {
  std::string text = fmt::format("  {} evaluations, {} measured", trace.archived, trace.succeeded);
  for (const foreign::Failure failure : foreign::kFailures) {
    if (const auto found = trace.failures.find(failure); found != trace.failures.end()) {
      text += fmt::format(", {} {}", found->second, foreign::in_words(failure));
    }
  }
  return text + fmt::format("; programs never judged: {}\n", trace.unjudged);
}

std::string repeats_text(const foreign::SourceRepeats& repeats) {
  if (repeats.refused() == 0) {
    return "  no source was evaluated twice\n";
  }
  return fmt::format(
      "  a memory would have refused {} of {}: {} repeat bytes ({} are unique, one up to {} times), {} more only "
      "comments and blank space ({} sources); of {} the verdict was known\n",
      repeats.refused(), repeats.evaluations, repeats.same_bytes, repeats.unique_bytes(), repeats.most,
      repeats.same_source, repeats.unique_sources(), repeats.answered);
}

}  // namespace

std::string print_audit(const foreign::Audit& audit, report::Colour colour) {
  std::string text;
  for (const std::string& note : audit.archive.notes) {
    text += "note: " + base::printable(note) + "\n";
  }
  for (const foreign::TraceAudit& trace : audit.traces) {
    text += report::tinted(base::printable(trace.name), Tone::strong, colour) + "\n";
    text += promotions_text(audit, trace, colour);
    text += "  " + foreign::choice_sentence(audit, trace) + "\n" + failures_text(trace) + repeats_text(trace.repeats);
    for (const supervise::Mark& mark : trace.marks) {
      text += "  supervisor: " + foreign::mark_sentence(audit, trace, mark) + "\n";
    }
    text += "\n";
  }
  for (const std::string& sentence : foreign::noise_sentences(audit)) {
    text += sentence + "\n";
  }
  text += fmt::format("\n{} promotions:", audit.promotions.size());
  constexpr std::array<foreign::Verdict, foreign::kVerdicts> kOrder = {
      foreign::Verdict::identical,         foreign::Verdict::environment_shift,   foreign::Verdict::worse,
      foreign::Verdict::indistinguishable, foreign::Verdict::suspect_environment, foreign::Verdict::plausible};
  const char* separator = " ";
  for (const foreign::Verdict verdict : kOrder) {
    if (audit.count(verdict) > 0) {
      text += fmt::format("{}{} {}", separator, audit.count(verdict), foreign::in_words(verdict));
      separator = ", ";
    }
  }
  return text + ".\n";
}

}  // namespace assay::cli
